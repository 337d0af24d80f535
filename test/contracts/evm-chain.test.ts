// Anchor contract on a real EVM node: each root and record written once, through reorganisations and lost answers.
import { readFileSync } from 'node:fs';
import { migrations } from '@recordproof/server/compose/features.ts';
import { type EvmChain, openEvmChain } from '@recordproof/server/features/chain/evm/evm-chain.ts';
import artifact from '@recordproof/server/features/chain/evm/RecordProofAnchor.json' with { type: 'json' };
import { ChainError, type ChainRecord, deployContract } from '@recordproof/server/features/chain/index.ts';
import { countRecords } from '@recordproof/shared/evidence/evm-roots.ts';
import { openEvmSource } from '@recordproof/verifier/gateway/evm-source.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Anvil, openLossyProxy, openSilentProxy, startAnvil, strangerKey, writerKey } from '../support/anvil.ts';
import { type MovableClock, movableClock } from '../support/clock.ts';
import { eachDatabase, type OpenDatabase, type TestDatabase } from '../support/databases.ts';

const root = (number: number, letter = 'a') => ({
  batchNo: `MB-${number}`,
  merkleRoot: letter.repeat(64),
  treeSize: number + 1,
});

const record = (number: number) => ({
  fileHash: number.toString(16).padStart(64, '0'),
  manifestHash: `sha256:${(number + 1000).toString(16).padStart(64, '0')}`,
});

async function untilRecorded(chain: EvmChain, wanted: ReturnType<typeof record>): Promise<ChainRecord> {
  for (;;) {
    try {
      return await chain.recordFile(wanted);
    } catch (error) {
      if (!(error instanceof ChainError) || error.failure !== 'TIMEOUT') throw error;
    }
  }
}

test('the stored contract artifact equals the compiler output for its source', async () => {
  const listeners = new Set(process.listeners('unhandledRejection'));
  const { artifactFile, compileContract } = await import('../../scripts/compile-contract.mjs');
  for (const added of process.listeners('unhandledRejection').filter(listener => !listeners.has(listener)))
    process.off('unhandledRejection', added); // the compiler ends its process at a rejection
  expect(JSON.parse(readFileSync(artifactFile, 'utf8'))).toEqual(compileContract());
  expect(artifact.abi.length).toBeGreaterThan(5);
});

let node: Anvil;
let contract: string;
let clock: MovableClock;
let database: TestDatabase;

const openOver = (
  url: string,
  options: { confirmations?: number; timeoutMs?: number; senderKey?: string; at?: TestDatabase } = {},
): EvmChain => {
  const { db, kind: engine } = options.at ?? database;
  const { confirmations = 0, timeoutMs = 10_000, senderKey = writerKey } = options;
  return openEvmChain({ db, engine, clock, rpcUrl: url, contract, senderKey, confirmations, timeoutMs, pollMs: 20 });
};
const countRoots = () => countRecords(node.rpc, contract);
const listRows = () => database.db.selectFrom('evm_transaction').selectAll().orderBy('id').execute();

eachDatabase((engine, open) => {
  // The chain is the point of most of them, not the database.
  const onSqlite = engine === 'postgres' ? ({ tags: 'long' } as const) : {};
  const onPostgres = engine === 'sqlite' ? ({ tags: 'long' } as const) : {};
  beforeEach(() => begin(open));
  afterEach(() => node[Symbol.asyncDispose]());

  test('a root is written once, and is found with its transaction and block', async () => {
    const chain = openOver(node.url);
    expect(await chain.findRoot('MB-1')).toBeNull();
    const written = await chain.submitRoot(root(1));
    expect(written).toMatchObject({ batchNo: 'MB-1', merkleRoot: 'a'.repeat(64), blockNumber: 2 });
    expect(await chain.submitRoot(root(1, 'b'))).toEqual(written);
    expect(await chain.findRoot('MB-1')).toEqual(written);
    expect(await chain.identity()).toEqual({
      chainType: 'EVM',
      chainId: '31337',
      groupId: 'default',
      contractAddress: contract,
    });
    const gateway = openEvmSource({ rpcUrl: node.url, contract, confirmations: 0 });
    expect(await gateway.findRoot('MB-1')).toEqual(written);
    expect(await gateway.identity()).toEqual(await chain.identity());
    expect(await gateway.findRoot('MB-2')).toBeNull();
    expect(await listRows()).toMatchObject([{ state: 'SETTLED', hash: written.transactionHash }]);
  });

  test('concurrent submissions of many batches by two servers write each batch once', onPostgres, async () => {
    const second = { ...database, ...(await database.openAgain()) };
    const chains = [openOver(node.url, { timeoutMs: 60_000 }), openOver(node.url, { timeoutMs: 60_000, at: second })];
    const wanted = Array.from({ length: 24 }, (_, i) => root(i % 16));
    const found = await Promise.all(wanted.map((one, i) => (chains[i % 2] as EvmChain).submitRoot(one)));
    expect(new Set(found.map(({ transactionHash }) => transactionHash)).size).toBe(16);
    expect(await countRoots()).toBe(16);
    expect((await listRows()).map(({ nonce }) => nonce).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 16 }, (_, i) => i + 1),
    );
  });

  test('a root counts only after enough confirmations', onSqlite, async () => {
    const chain = openOver(node.url, { confirmations: 3, timeoutMs: 50 });
    await expect(chain.submitRoot(root(1))).rejects.toMatchObject({ failure: 'TIMEOUT' });
    await expect.poll(countRoots).toBe(1);
    await node.mine(2);
    expect(await chain.findRoot('MB-1')).toBeNull();
    await node.mine(1);
    expect(await chain.findRoot('MB-1')).toMatchObject({ blockNumber: 2 });
    expect(await chain.submitRoot(root(1))).toMatchObject({ blockNumber: 2 });
    expect(await countRoots()).toBe(1);
  });

  test('a root removed by a reorganisation is written again, once', onSqlite, async () => {
    const chain = openOver(node.url, { confirmations: 5, timeoutMs: 50 });
    await expect(chain.submitRoot(root(1))).rejects.toMatchObject({ failure: 'TIMEOUT' });
    await node.mine(2);
    expect(await countRoots()).toBe(1);
    await node.rpc('anvil_reorg', [3, []]);
    expect(await countRoots()).toBe(0);
    expect(await chain.findRoot('MB-1')).toBeNull();
    await expect(chain.submitRoot(root(1))).rejects.toMatchObject({ failure: 'TIMEOUT' });
    await node.mine(5);
    const settled = await chain.submitRoot(root(1));
    expect(settled).toMatchObject({ batchNo: 'MB-1', merkleRoot: 'a'.repeat(64) });
    expect(await countRoots()).toBe(1);
    expect(await listRows()).toMatchObject([{ state: 'SETTLED', hash: settled.transactionHash }]);
  });

  test('a nonce freed by a reorganisation is reused, so later transactions are not blocked', onSqlite, async () => {
    const chain = openOver(node.url, { timeoutMs: 50 });
    const patient = openOver(node.url);
    await patient.submitRoot(root(1));
    await node.rpc('evm_setAutomine', [false]);
    await expect(chain.submitRoot(root(2))).rejects.toMatchObject({ failure: 'TIMEOUT' });
    await node.rpc('anvil_reorg', [1, []]); // deeper than the confirmations: the nonce of the first is free again
    clock.advance(4 * 60_000);
    await expect(chain.submitRoot(root(2))).rejects.toMatchObject({ failure: 'TIMEOUT' });
    await node.mine(1);
    expect(await patient.submitRoot(root(2))).toMatchObject({ batchNo: 'MB-2' });
    expect(await countRoots()).toBe(1);
    await expect(chain.submitRoot(root(3))).rejects.toMatchObject({ failure: 'TIMEOUT' });
    await node.mine(1);
    expect(await patient.submitRoot(root(3))).toMatchObject({ batchNo: 'MB-3' });
    expect((await listRows()).filter(({ state }) => state === 'SENT')).toEqual([]);
  });

  test('a transaction that the node lost is sent again unchanged', onSqlite, async () => {
    await node.rpc('evm_setAutomine', [false]);
    const chain = openOver(node.url, { timeoutMs: 50 });
    await expect(chain.submitRoot(root(1))).rejects.toMatchObject({ failure: 'TIMEOUT' });
    const [row] = await listRows();
    await node.rpc('anvil_dropTransaction', [row?.hash]);
    expect(await node.rpc('eth_getTransactionByHash', [row?.hash])).toBeNull();
    await expect(chain.submitRoot(root(1))).rejects.toMatchObject({ failure: 'TIMEOUT' });
    await node.mine(1);
    expect(await chain.submitRoot(root(1))).toMatchObject({ transactionHash: row?.hash });
    expect(await listRows()).toHaveLength(1);
  });

  test('a transaction that is mined late is found, and later transactions keep their order', onSqlite, async () => {
    await node.rpc('evm_setAutomine', [false]);
    const chain = openOver(node.url, { timeoutMs: 30 });
    for (const number of [1, 2, 3, 1])
      await expect(chain.submitRoot(root(number))).rejects.toMatchObject({ failure: 'TIMEOUT' });
    expect((await listRows()).map(({ nonce }) => nonce)).toEqual([1, 2, 3]);
    await node.mine(1);
    for (const number of [1, 2, 3]) expect(await chain.findRoot(`MB-${number}`)).toMatchObject({ blockNumber: 2 });
    expect(await countRoots()).toBe(3);
  });

  test(
    'a transaction that is not mined is replaced with a higher fee, and one of the two is mined',
    onSqlite,
    async () => {
      await node.rpc('evm_setAutomine', [false]);
      const chain = openOver(node.url, { timeoutMs: 30 });
      await expect(chain.submitRoot(root(1))).rejects.toMatchObject({ failure: 'TIMEOUT' });
      const [before] = await listRows();
      clock.advance(4 * 60_000);
      await expect(chain.submitRoot(root(1))).rejects.toMatchObject({ failure: 'TIMEOUT' });
      const [after] = await listRows();
      expect(after?.nonce).toBe(before?.nonce);
      expect(after?.hash).not.toBe(before?.hash);
      await node.mine(1);
      expect(await chain.submitRoot(root(1))).toMatchObject({ transactionHash: after?.hash });
      expect(await countRoots()).toBe(1);
    },
  );

  test('a lost response does not cause a second write', onSqlite, async () => {
    await using proxy = await openLossyProxy(node.url);
    const chain = openOver(proxy.url);
    proxy.swallow = { method: 'eth_sendRawTransaction', times: 1 };
    await expect(chain.submitRoot(root(1))).rejects.toMatchObject({ failure: 'UNREACHABLE' });
    await expect.poll(countRoots).toBe(1); // the node may still be mining it
    expect(await chain.findRoot('MB-1')).toMatchObject({ batchNo: 'MB-1' });
    expect(await chain.submitRoot(root(1))).toMatchObject({ blockNumber: 2 });
    expect(await listRows()).toMatchObject([{ state: 'SETTLED' }]);
  });

  test('after a restart of the node the same transaction is found', onSqlite, async () => {
    const chain = openOver(node.url, { confirmations: 2, timeoutMs: 30 });
    await expect(chain.submitRoot(root(1))).rejects.toMatchObject({ failure: 'TIMEOUT' });
    await node.stop();
    await expect(chain.submitRoot(root(1))).rejects.toMatchObject({ failure: 'UNREACHABLE' });
    await expect(chain.findRoot('MB-1')).rejects.toMatchObject({ failure: 'UNREACHABLE' });
    expect(await chain.readStatus()).toMatchObject({ healthy: false, nodeCount: 0, blockNumber: null });
    await node.start();
    await node.mine(2);
    expect(await chain.submitRoot(root(1))).toMatchObject({ blockNumber: 2 });
    expect(await countRoots()).toBe(1);
    expect(await listRows()).toHaveLength(1);
  });

  test('a sender without permission or funds is rejected before anything is sent', onSqlite, async () => {
    const stranger = openOver(node.url, { senderKey: strangerKey });
    await expect(stranger.submitRoot(root(1))).rejects.toMatchObject({
      failure: 'REFUSED',
      message: expect.stringContaining('may not write to the contract'),
    });
    await node.rpc('anvil_setBalance', ['0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266', '0x0']);
    await expect(openOver(node.url).submitRoot(root(1))).rejects.toMatchObject({ failure: 'REFUSED' });
    expect(await countRoots()).toBe(0);
    expect((await listRows()).filter(({ state }) => state === 'SENT')).toEqual([]);
  });

  test('a file record is written once, and is found with its transaction and block', onSqlite, async () => {
    const chain = openOver(node.url);
    const wanted = record(1);
    expect(await chain.findRecord(wanted.fileHash)).toBeNull();
    const written = await untilRecorded(chain, wanted); // the node may take a moment to mine it
    expect(written).toMatchObject({ ...wanted, blockNumber: 2 });
    expect(await chain.recordFile(wanted)).toEqual(written);
    const other = { ...wanted, manifestHash: `sha256:${'f'.repeat(64)}` };
    await expect(chain.recordFile(other)).rejects.toMatchObject({ failure: 'REFUSED' });
    expect(await chain.findRecord(wanted.fileHash)).toEqual(written);
    expect(await listRows()).toMatchObject([{ kind: 'FILE_RECORD', state: 'SETTLED', hash: written.transactionHash }]);
    expect(await countRoots()).toBe(1);
  });

  test('concurrent roots and file records of two servers are each written once', onPostgres, async () => {
    const second = { ...database, ...(await database.openAgain()) };
    const chains = [openOver(node.url), openOver(node.url, { at: second })] as const;
    await Promise.all([
      ...Array.from({ length: 12 }, (_, i) => untilRecorded(chains[i % 2 === 0 ? 0 : 1], record(i % 8))),
      ...[1, 2, 3].map(number => chains[number % 2 === 0 ? 0 : 1].submitRoot(root(number))),
    ]);
    expect(await countRoots()).toBe(8 + 3);
    expect((await listRows()).map(({ state }) => state)).toEqual(Array(11).fill('SETTLED'));
  });

  test(
    'a file record is submitted without waiting for blocks, and is found after enough confirmations',
    onSqlite,
    async () => {
      await node.rpc('evm_setAutomine', [false]);
      const chain = openOver(node.url, { confirmations: 2 });
      const wanted = record(1);
      for (const blocks of [0, 1, 1]) {
        await node.mine(blocks);
        await expect(chain.recordFile(wanted)).rejects.toMatchObject({ failure: 'TIMEOUT' });
      }
      expect(await chain.findRecord(wanted.fileHash)).toBeNull();
      await node.mine(1);
      expect(await chain.recordFile(wanted)).toMatchObject({ blockNumber: 2 });
      expect(await listRows()).toHaveLength(1);
    },
  );

  test('a lost response about a file record does not cause a second write', onSqlite, async () => {
    await using proxy = await openLossyProxy(node.url);
    const chain = openOver(proxy.url);
    proxy.swallow = { method: 'eth_sendRawTransaction', times: 1 };
    await expect(chain.recordFile(record(1))).rejects.toMatchObject({ failure: 'UNREACHABLE' });
    expect(await chain.recordFile(record(1))).toMatchObject({ blockNumber: 2 });
    expect(await countRoots()).toBe(1);
    expect(await listRows()).toMatchObject([{ state: 'SETTLED' }]);
  });

  test('a file record removed by a reorganisation is written once more', onSqlite, async () => {
    const chain = openOver(node.url, { confirmations: 3 });
    await expect(chain.recordFile(record(1))).rejects.toMatchObject({ failure: 'TIMEOUT' });
    await expect.poll(countRoots).toBe(1);
    await node.rpc('anvil_reorg', [1, []]);
    expect(await countRoots()).toBe(0);
    await expect(chain.recordFile(record(1))).rejects.toMatchObject({ failure: 'TIMEOUT' });
    await node.mine(3);
    expect(await chain.recordFile(record(1))).toMatchObject(record(1));
    expect(await countRoots()).toBe(1);
  });

  test(
    'a nonce gap after a deep reorganisation is filled, and the transactions behind it are mined',
    onSqlite,
    async () => {
      const chain = openOver(node.url);
      await untilRecorded(chain, record(1));
      await node.rpc('evm_setAutomine', [false]);
      await expect(chain.recordFile(record(2))).rejects.toMatchObject({ failure: 'TIMEOUT' });
      const [, waiting] = await listRows();
      await node.rpc('anvil_dropTransaction', [waiting?.hash]);
      await node.rpc('anvil_reorg', [1, []]);
      for (const number of [2, 3])
        await expect(chain.recordFile(record(number))).rejects.toMatchObject({ failure: 'TIMEOUT' });
      await node.mine(1);
      for (const number of [2, 3]) expect(await untilRecorded(chain, record(number))).toMatchObject(record(number));
    },
  );

  test('a pending transaction is polled, not sent again', onSqlite, async () => {
    await node.rpc('evm_setAutomine', [false]);
    await using proxy = await openLossyProxy(node.url);
    const chain = openOver(proxy.url);
    for (const number of [1, 2, 3, 4])
      await expect(chain.recordFile(record(number))).rejects.toMatchObject({ failure: 'TIMEOUT' });
    const sentBefore = proxy.asked.filter(method => method === 'eth_sendRawTransaction').length;
    expect(sentBefore).toBe(4);
    proxy.asked.length = 0;
    for (const number of [1, 2, 3, 4])
      await expect(chain.recordFile(record(number))).rejects.toMatchObject({ failure: 'TIMEOUT' });
    expect(proxy.asked).not.toContain('eth_sendRawTransaction');
    expect(proxy.asked.length).toBeLessThan(4 * 6);
    await node.mine(1);
    for (const number of [1, 2, 3, 4]) expect(await chain.recordFile(record(number))).toMatchObject(record(number));
  });

  test('a root that a later query finds settles its transaction', onSqlite, async () => {
    const chain = openOver(node.url, { confirmations: 2, timeoutMs: 30 });
    await expect(chain.submitRoot(root(1))).rejects.toMatchObject({ failure: 'TIMEOUT' });
    await node.mine(2);
    expect(await chain.findRoot('MB-1')).not.toBeNull();
    expect(await listRows()).toMatchObject([{ state: 'SETTLED' }]);
  });

  test(
    'the status reports the contents of the chain, and an address without the contract as unhealthy',
    onSqlite,
    async () => {
      const chain = openOver(node.url);
      await chain.submitRoot(root(1));
      expect(await chain.readStatus()).toMatchObject({
        blockNumber: 2,
        transactionCount: 1,
        failedTransactionCount: 0,
        nodeCount: 1,
        chainType: 'EVM',
        healthy: true,
      });
      contract = `0x${'1'.repeat(40)}`;
      expect(await openOver(node.url).readStatus()).toMatchObject({ healthy: false, nodeCount: 1 });
      await expect(openOver(node.url).submitRoot(root(2))).rejects.toMatchObject({ failure: 'REFUSED' });
    },
  );

  test('the status queries an unresponsive node once', onSqlite, async () => {
    await using silent = await openSilentProxy();
    const { db, kind: engine } = database;
    const options = { confirmations: 0, timeoutMs: 1000, rpcTimeoutMs: 100, senderKey: writerKey };
    const chain = openEvmChain({ db, engine, clock, rpcUrl: silent.url, contract, ...options });
    expect(await chain.readStatus()).toMatchObject({ healthy: false, nodeCount: 0 });
    expect(silent.asked()).toBe(1);
  });
});

async function begin(open: OpenDatabase): Promise<void> {
  clock = movableClock();
  database = await open(migrations);
  node = await startAnvil();
  ({ contract } = await deployContract(node.url, writerKey, { pollMs: 20 }));
}
