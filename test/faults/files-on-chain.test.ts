// Uploads whose records go to a contract on a real node: at once, late, with the node away, and with lost answers.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { deployContract } from '@recordproof/server/features/chain/index.ts';
import * as chunkedApi from '@recordproof/shared/api/chunked-uploads.ts';
import type { AnswerOf } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { listCircuitBreakers } from '@recordproof/shared/api/monitor.ts';
import type { BulkResult } from '@recordproof/shared/api/short-uploads.ts';
import { getSystemHealth } from '@recordproof/shared/api/system.ts';
import * as sessionApi from '@recordproof/shared/api/upload-sessions.ts';
import type * as api from '@recordproof/shared/api/uploads.ts';
import { countRecords } from '@recordproof/shared/evidence/evm-roots.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Anvil, type LossyProxy, openLossyProxy, startAnvil, writerKey } from '../support/anvil.ts';
import { type Person, startApp, type TestApp } from '../support/app.ts';
import { checkEverything } from '../support/check-everything.ts';
import { crashAtEveryCommit } from '../support/completion-crashes.ts';
import { newInstallation } from '../support/installation.ts';
import {
  completeDirect,
  digestOf,
  sendDirect,
  sendFile,
  sendMany,
  sendProxied,
  storeProxied,
} from '../support/uploads.ts';

const sender = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266';

let node: Anvil;
let proxy: LossyProxy;
let contract: string;
let app: TestApp;
let ada: Person;

beforeEach(async () => {
  node = await startAnvil();
  proxy = await openLossyProxy(node.url);
  ({ contract } = await deployContract(node.url, writerKey, { pollMs: 20 }));
  app = await startApp({ env: settings() });
  ada = await app.person('ada');
});
afterEach(async () => {
  for (const opened of [app, proxy, node]) await opened[Symbol.asyncDispose]();
});

const settings = () => ({
  RECORDPROOF_CHAIN_RPC_URL: proxy.url,
  RECORDPROOF_CHAIN_CONTRACT: contract,
  RECORDPROOF_CHAIN_SENDER_KEY: writerKey,
  CHAIN_CONFIRMATIONS: '0',
  CHAIN_FILE_RECORDS: 'chain',
});

const count = () => countRecords(node.rpc, contract);
const sentCount = () => proxy.asked.filter(method => method === 'eth_sendRawTransaction').length;
const statusOf = async (clientId: string) => (await ada.call(chunkedApi.checkUpload, { query: { clientId } })).status;

/** Moves the server's clock by one second every fifth of a second until the work has ended. */
async function whileTimePasses<T>(work: Promise<T>, { clock }: Pick<TestApp, 'clock'> = app): Promise<T> {
  const passing = setInterval(() => clock.advance(1000), 200);
  return work.finally(() => clearInterval(passing));
}

/** Retries when told to, as clients do. */
async function comeBack<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof ApiError && error.kind === 'SYSTEM_BUSY') return comeBack(ask);
    throw error;
  }
}

const complete = (clientId: string, person = ada): Promise<api.UploadResult> =>
  comeBack(() => person.call(sessionApi.completeUploadSession, { params: { clientId } }));

const store = async (bytes: Uint8Array): Promise<api.UploadResult> =>
  whileTimePasses(complete(await sendProxied(ada, bytes)));

const wordsOf = async (hash: string | null): Promise<string> => {
  const receipt = (await node.rpc('eth_getTransactionReceipt', [hash])) as { logs: { topics: string[] }[] };
  return receipt.logs.flatMap(log => log.topics).join();
};

test('a stored file is recorded in the contract, in its transaction, and not in the ledger', async () => {
  const stored = await store(randomBytes(9000));
  const { clientId } = await sendDirect(ada, randomBytes(5000));
  const direct = await whileTimePasses(comeBack(() => completeDirect(ada, clientId)));
  const single = (await whileTimePasses(sendFile(ada, randomBytes(70)))).data;
  for (const { fileHash, transactionHash } of [stored, direct, single])
    expect(await wordsOf(transactionHash)).toContain(fileHash);
  expect(await count()).toBe(3);
  const onLedger = await app.app.database.db.selectFrom('ledger_entry').select('kind').execute();
  expect(onLedger).toEqual([{ kind: 'SIGNING_KEY' }]);
  await checkEverything(app);
});

test('each file of a bulk request is recorded in the contract once, however often it is sent', async () => {
  const contents = Array.from({ length: 4 }, (_, index) => randomBytes(100 + index));
  const files = contents.map(bytes => ({ bytes, path: 'many' }));
  const wrong = { bytes: randomBytes(50), contentHash: digestOf(randomBytes(50)) };
  const send = async (): Promise<BulkResult[]> => {
    const { results } = (await sendMany(ada, [...files, wrong, { bytes: new Uint8Array() }], 'on-chain-1')).data;
    const isBusy = results.some(result => result.status === 'REFUSED' && result.code === 40003);
    return isBusy ? send() : results; // as clients do
  };
  const results = await whileTimePasses(send());
  expect(results.map(({ status }) => status)).toEqual([...files.map(() => 'STORED'), 'REFUSED', 'REFUSED']);
  for (const [index, result] of results.entries())
    if (result.status === 'STORED') {
      expect(result.contentHash).toBe(digestOf(contents[index] ?? new Uint8Array()));
      expect(await wordsOf(result.transactionHash)).toContain(result.fileHash);
    }
  expect(await whileTimePasses(send())).toEqual(results);
  expect(await count()).toBe(4);
  await checkEverything(app);
});

test('twenty concurrent uploads and twenty completions of one upload create one record per file', async () => {
  const clientIds = await Promise.all(Array.from({ length: 20 }, () => sendProxied(ada, randomBytes(300))));
  const wanted = [...clientIds, ...Array.from({ length: 19 }, () => clientIds[0] as string)];
  const results = await whileTimePasses(Promise.all(wanted.map(clientId => complete(clientId))));
  expect(new Set(results.map(({ fileHash }) => fileHash)).size).toBe(20);
  expect(await count()).toBe(20);
  await checkEverything(app);
});

test('a completion waits for a block that is mined soon', async () => {
  await node.rpc('evm_setAutomine', [false]);
  const clientId = await sendProxied(ada, randomBytes(300));
  const completing = whileTimePasses(complete(clientId));
  await expect.poll(sentCount, { timeout: 120_000 }).toBe(1);
  await node.mine(1);
  expect(await completing).toMatchObject({ status: 'SUCCESS' });
  expect(sentCount()).toBe(1);
});

test('an outage of the chain for hours loses nothing; clients are told to retry or not to send again', async () => {
  await node.stop();
  const clientId = await sendProxied(ada, randomBytes(300));
  const [rejected, single] = await Promise.all([
    ada.expectError(sessionApi.completeUploadSession, { params: { clientId } }),
    sendFile(ada, randomBytes(400)),
  ]);
  expect(rejected).toMatchObject({ kind: 'SYSTEM_BUSY', retryAfterSeconds: 2 });
  expect(single).toMatchObject({ status: 503, message: expect.stringContaining('do not send it again') });
  for (let minute = 0; minute < 180; minute += 1) {
    app.clock.advance(60_000);
    await app.drain();
  }
  expect(await statusOf(clientId)).toBe('FINALIZING');
  await node.start();
  app.clock.advance(60_000);
  await app.drain();
  expect(await whileTimePasses(complete(clientId))).toMatchObject({ status: 'SUCCESS' });
  await expect.poll(() => whileTimePasses(count()), { timeout: 60_000 }).toBe(2);
  await checkEverything(app);
});

test('an outage of the node opens its circuit breaker, which health reports and recovery closes', async () => {
  const root = await app.person('root', { role: 'admin' });
  const poll = async () => {
    app.clock.advance(3000); // longer than a circuit stays open, and than a status is cached
    const { blockchain } = await root.call(getSystemHealth);
    const answer = await root.fetch(listCircuitBreakers.path);
    const { circuitBreakers } = (await answer.json()) as AnswerOf<typeof listCircuitBreakers>;
    return { health: blockchain.status, circuit: circuitBreakers.chain?.state };
  };
  await store(randomBytes(300));
  expect(await poll()).toEqual({ health: 'UP', circuit: 'CLOSED' });
  await node.stop();
  await expect.poll(poll, { timeout: 60_000 }).toEqual({ health: 'DOWN', circuit: 'OPEN' });
  const asked = proxy.asked.length;
  const clientId = await sendProxied(ada, randomBytes(300));
  await expect(ada.call(sessionApi.completeUploadSession, { params: { clientId } })).rejects.toThrow();
  expect(proxy.asked.length, 'an open circuit spares the node').toBe(asked);
  await node.start();
  await expect.poll(poll, { timeout: 60_000 }).toEqual({ health: 'UP', circuit: 'CLOSED' });
  await whileTimePasses(complete(clientId));
  expect(await count()).toBe(2);
  await checkEverything(app);
});

test('a lost response of the node is recovered by a query, and the file has one record', async () => {
  proxy.swallow = { method: 'eth_sendRawTransaction', times: 1 };
  const stored = await store(randomBytes(300));
  expect(await wordsOf(stored.transactionHash)).toContain(stored.fileHash);
  expect([await count(), sentCount()]).toEqual([1, 1]);
  await checkEverything(app);
});

test('a sender without funds fails the completion; with funds the same upload completes', async () => {
  await node.rpc('anvil_setBalance', [sender, '0x0']);
  const clientId = await sendProxied(ada, randomBytes(300));
  const rejected = await whileTimePasses(ada.expectError(sessionApi.completeUploadSession, { params: { clientId } }));
  expect(rejected.kind).toBe('FILE_UPLOAD_ERROR');
  expect(await statusOf(clientId)).toBe('UPLOADING');
  await node.rpc('anvil_setBalance', [sender, '0x3635c9adc5dea00000']);
  const stored = await whileTimePasses(complete(clientId));
  expect(await wordsOf(stored.transactionHash)).toContain(stored.fileHash);
  expect(await count()).toBe(1);
});

test('files stored before the switch keep their records in the ledger', async () => {
  await using before = await startApp({ folder: join(app.folder, 'before') });
  const old = await storeProxied(await before.person('eve'), randomBytes(300));
  await before[Symbol.asyncDispose]();
  await using after = await startApp({ folder: before.folder, env: settings(), clock: before.clock });
  const eve = after.anonymous;
  await eve.login('eve', 'correct horse battery');
  const clientId = await sendProxied(eve, randomBytes(400), { targetFileId: old.fileId });
  const next = await whileTimePasses(complete(clientId, eve), before);
  expect(await wordsOf(next.transactionHash)).toContain(next.fileHash);
  await checkEverything(after);
});

test('a server killed at any time of a completion leaves one record for each file', async () => {
  await using installation = await newInstallation(settings());
  const kills = await crashAtEveryCommit(installation, 'proxied', 2);
  expect(kills).toBeGreaterThan(5);
  expect(await count()).toBe(kills + 1);
});
