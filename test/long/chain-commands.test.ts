// Journeys of an operator with the commands for the ledger and the anchor contract.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getChainRoot, getChainStatus } from '@recordproof/shared/api/chain.ts';
import { afterEach, expect, test } from 'vitest';
import { startAnvil, writerKey } from '../support/anvil.ts';
import { startApp } from '../support/app.ts';
import { openChainsBeside } from '../support/chains-beside.ts';
import { stopChild } from '../support/child-process.ts';
import { installed, type ProgramLine } from '../support/installed.ts';
import { batchRoot } from '../support/ledgers.ts';

const cleaners: (() => unknown)[] = [];

/** In reverse order: a program has ended before the folder it writes to is removed. */
afterEach(async () => {
  for (const clean of cleaners.splice(0).reverse()) await clean();
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'recordproof-chain-'));
  cleaners.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function start(program: ProgramLine, args: readonly string[], input = ''): ChildProcess {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('RECORDPROOF_')));
  const child = spawn(program.file, [...program.args, ...args], { env, stdio: ['pipe', 'pipe', 'pipe'] });
  cleaners.push(() => stopChild(child, 'SIGKILL'));
  child.stdin?.end(input);
  return child;
}

async function run(args: readonly string[], input?: string) {
  const child = start(installed.server, args, input);
  const written = { stdout: '', stderr: '' };
  child.stdout?.on('data', data => (written.stdout += data));
  child.stderr?.on('data', data => (written.stderr += data));
  const [code] = (await once(child, 'close')) as [number];
  return { code, ...written };
}

test('ledger verify accepts what the server wrote, and reports what was altered', async () => {
  const folder = newFolder();
  {
    await using app = await startApp({ folder });
    await using chains = await openChainsBeside(app);
    for (let number = 1; number <= 3; number++) await chains.chain.submitRoot(batchRoot(number));
  }
  const sound = await run(['ledger', 'verify', '--data', folder]);
  expect(sound).toMatchObject({ code: 0, stderr: '' });
  expect(sound.stdout).toMatch(
    /^recordproof-[0-9a-f]{16}: 4 entries \(4 published\), 2 tiles, \d checkpoints?, all sound$/m,
  );

  const names = await readdir(join(folder, 'objects/objects/ledger'), { recursive: true, withFileTypes: true });
  const tile = names.find(entry => entry.isFile() && entry.name.includes('entries'));
  if (tile === undefined) throw new Error('no bundle');
  const path = join(tile.parentPath, tile.name);
  const bytes = readFileSync(path);
  bytes[50] = (bytes[50] ?? 0) ^ 1;
  writeFileSync(path, bytes);
  const broken = await run(['ledger', 'verify', '--data', folder, '--json']);
  expect(broken.code).toBe(1);
  expect(JSON.parse(broken.stdout).problems).toEqual([expect.stringContaining('tile/entries/000.p/4')]);
  expect((await run(['ledger', 'forget', '--data', folder])).code).toBe(64);

  const restored = await run(['ledger', 'restore', '--data', folder]);
  expect(restored).toMatchObject({ code: 0, stdout: expect.stringContaining('1 of them were missing or damaged') });
  expect((await run(['ledger', 'verify', '--data', folder])).code).toBe(0);
});

test('the server anchors in a deployed contract, and an independent gateway returns the same roots', async () => {
  await using node = await startAnvil();
  const deployed = await run(['chain', 'deploy', '--rpc-url', node.url], `${writerKey}\n`);
  expect(deployed).toMatchObject({ code: 0 });
  expect(deployed.stderr).not.toContain(writerKey);
  const contract = /^RECORDPROOF_CHAIN_CONTRACT=(0x[0-9a-f]{40})\n$/.exec(deployed.stdout)?.[1] ?? '';
  expect((await run(['chain', 'deploy', '--rpc-url', node.url], 'no key')).code).toBe(64);
  const deadChain = ['chain', 'deploy', '--rpc-url', 'http://127.0.0.1:1'];
  const away = await run(deadChain, `${writerKey}\n`);
  expect(away).toEqual({
    code: 69,
    stdout: '',
    stderr: 'recordproof-server: the node of the chain cannot be reached.\n',
  });

  await using app = await startApp({
    env: {
      RECORDPROOF_CHAIN_RPC_URL: node.url,
      RECORDPROOF_CHAIN_CONTRACT: contract,
      RECORDPROOF_CHAIN_SENDER_KEY: writerKey,
      CHAIN_CONFIRMATIONS: '0',
    },
  });
  await using chains = await openChainsBeside(app);
  const written = await chains.chain.submitRoot(batchRoot(7));
  const address = { ...(await chains.chain.identity()), batchNo: 'MB-7' };
  expect(await app.anonymous.call(getChainRoot, { params: address })).toMatchObject({ ...address, ...written });
  const watcher = await app.person('watcher', { role: 'monitor' });
  expect(await watcher.call(getChainStatus)).toMatchObject({ chainType: 'EVM', healthy: true, transactionCount: 1 });

  const options = ['--rpc-url', node.url, '--contract', contract, '--confirmations', '0', '--port', '0'];
  const gateway = start(installed.verifier, ['gateway', ...options]);
  const [line] = (await once(gateway.stdout ?? gateway, 'data')) as [Buffer];
  const { chainType, chainId, groupId, contractAddress, batchNo } = address;
  const path = [chainType, chainId, groupId, contractAddress, batchNo].join('/');
  const answer = await fetch(`${line.toString().trim()}/chain-roots/${path}`);
  expect(await answer.json()).toMatchObject({ ...address, ...written });

  await node.stop();
  expect(await app.anonymous.expectError(getChainRoot, { params: address })).toMatchObject({ status: 503 });
  expect(await watcher.call(getChainStatus)).toMatchObject({ healthy: false, nodeCount: 0 });
  expect((await fetch(`${line.toString().trim()}/chain-roots/${path}`)).status).toBe(503);
  gateway.kill('SIGTERM');
  expect((await once(gateway, 'close'))[0]).toBe(0);
});
