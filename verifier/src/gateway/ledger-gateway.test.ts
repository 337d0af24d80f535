// Gateway that serves ledger roots to verifiers: caching, outages, rewritten ledgers, rejected requests.
import type { AddressInfo } from 'node:net';
import { openHttpLog } from '@recordproof/shared/evidence/log-over-http.ts';
import { expect, test } from 'vitest';
import { type LedgerSite, openLedgerSite, openOwnLedger } from '../../../test/support/ledger-site.ts';
import { batchRoot, fileRecord, newLedgerKey } from '../../../test/support/ledgers.ts';
import { main } from '../cli.ts';
import type { Terminal } from '../shell/terminal.ts';
import { parseRootAnswer } from '../verify/live-evidence.ts';
import { parseGatewayOptions, runGateway } from './gateway-command.ts';
import { LedgerSource } from './ledger-source.ts';
import { openGateway } from './serve-gateway.ts';

type Gateway = AsyncDisposable & { readonly said: string[]; get(batchNo: string): Promise<Response> };

async function openBefore(site: LedgerSite, pauseMs = 10): Promise<Gateway> {
  const said: string[] = [];
  const { key, identity } = site.shown;
  const source = new LedgerSource(openHttpLog({ baseUrl: `${site.url}/ledger/` }), key, pauseMs);
  const server = openGateway(source, line => said.push(line));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { chainType, chainId, groupId, contractAddress } = identity;
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/chain-roots/${chainType}/${chainId}/${groupId}`;
  return {
    said,
    get: batchNo => fetch(`${base}/${contractAddress}/${batchNo}`),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function submit(site: LedgerSite, number: number): Promise<void> {
  await site.shown.append(fileRecord(number));
  await site.shown.append(batchRoot(number));
  await site.shown.publish();
}

test('a root under the signed checkpoint is returned in the format of verifiers', async () => {
  await using site = await openLedgerSite();
  await submit(site, 1);
  await using gateway = await openBefore(site);
  const answer = await gateway.get('MB-1');
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  expect(parseRootAnswer(new Uint8Array(await answer.arrayBuffer()))).toMatchObject({
    ...site.shown.identity,
    batchNo: 'MB-1',
    merkleRoot: batchRoot(1).merkleRoot,
    blockNumber: 1,
  });
  expect((await gateway.get('MB-2')).status).toBe(404);
  await submit(site, 2);
  expect((await gateway.get('MB-2')).status).toBe(200);
});

test('a root published after a read is found by the next request', async () => {
  await using site = await openLedgerSite();
  await using gateway = await openBefore(site, 300);
  for (let number = 1; number <= 3; number++) {
    expect((await gateway.get(`MB-${number}`)).status).toBe(404);
    await submit(site, number);
    expect((await gateway.get(`MB-${number}`)).status).toBe(200);
  }
});

test('requests for unknown batches do not cause a ledger request each', async () => {
  await using site = await openLedgerSite();
  await using gateway = await openBefore(site, 300);
  const rounds = [0, 1].map(async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, (_, at) => gateway.get(`MB-${at}`)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 404));
  });
  await Promise.all(rounds);
  expect(site.asked.filter(path => path === 'checkpoint').length).toBeLessThanOrEqual(2);
});

test('another chain, path and method are rejected', async () => {
  await using site = await openLedgerSite();
  await submit(site, 1);
  await using gateway = await openBefore(site);
  const { url } = await gateway.get('MB-1');
  for (const other of [
    url.replace('LOCAL_LEDGER', 'EVM'),
    url.replace('default', 'other'),
    `${url}/x`,
    url.slice(0, -5),
  ])
    expect((await fetch(other)).status, other).toBe(404);
  expect((await fetch(url, { method: 'POST' })).status).toBe(405);
});

test('an unavailable ledger returns 503 until it is available again', async () => {
  await using site = await openLedgerSite();
  await submit(site, 1);
  await using gateway = await openBefore(site);
  site.isDown = true;
  for (let i = 0; i < 2; i++) expect((await gateway.get('MB-1')).status).toBe(503);
  site.isDown = false;
  expect((await gateway.get('MB-1')).status).toBe(200);
});

test('a rewritten ledger is no longer served', async () => {
  await using site = await openLedgerSite();
  await submit(site, 1);
  await using gateway = await openBefore(site);
  expect((await gateway.get('MB-1')).status).toBe(200);
  await using other = await openOwnLedger(site.key);
  site.shown = other.ledger;
  for (const number of [5, 6]) await submit(site, number);
  expect((await gateway.get('MB-5')).status).toBe(503);
  expect((await gateway.get('MB-1')).status).toBe(503);
  expect(gateway.said.join()).toContain('the root computed from the entries differs');
});

async function run(...args: string[]) {
  const written = { stdout: '', stderr: '' };
  const code = await main(['gateway', ...args], {
    stdin: (async function* () {})(),
    stdout: { write: (text: string) => (written.stdout += text) },
    stderr: { write: (text: string) => (written.stderr += text) },
  });
  return { code, ...written };
}

test.each([
  [[], 'give --ledger-url'],
  [['--ledger-url=http://a', '--rpc-url=http://b'], 'not both'],
  [['--ledger-url=http://a'], '--ledger-key is needed'],
  [['--ledger-url=http://a', '--ledger-key=x'], 'must be written'],
  [['--ledger-url=ftp://a', '--ledger-key=x'], 'http or https'],
  [['--ledger-url=http://a', '--contract=0x'], '--contract requires --rpc-url'],
  [['--rpc-url=http://a'], '--contract is needed'],
  [['--rpc-url=http://a', `--contract=0x${'a'.repeat(40)}`, '--port=70000'], '--port must be'],
  [['--nonsense'], 'not known'],
])('%j is rejected with a sentence', async (args, sentence) => {
  const { code, stderr } = await run(...args);
  expect(code).toBe(64);
  expect(stderr).toContain(sentence);
});

test('a gateway reads the ledger at its start, and logs its problems', async () => {
  await using site = await openLedgerSite();
  await using other = await openOwnLedger(newLedgerKey());
  const begin = async (verifierKey: string) => {
    const said: string[] = [];
    const until = new AbortController();
    const stderr = { write: (text: string) => said.push(text) };
    const terminal = { stdout: { write: () => until.abort() }, stderr } as unknown as Terminal;
    const where = ['--ledger-url', `${site.url}/ledger`, '--ledger-key', verifierKey, '--port', '0'];
    await runGateway(parseGatewayOptions(where), terminal, until.signal);
    return said;
  };
  expect(await begin(site.shown.verifierKey)).toEqual([]);
  await expect.poll(() => site.asked.filter(path => path === 'checkpoint')).toHaveLength(1);
  const said = await begin(other.ledger.verifierKey);
  await expect.poll(() => said.join('')).toContain('not signed once by the expected key');
});

test('help explains how to configure verifiers for the gateway', async () => {
  const { code, stdout } = await run('--help');
  expect(code).toBe(0);
  expect(stdout).toContain('--chain-url-template');
});
