// The ledger of file records: checkpoints, tiles, batch roots, damage, and two servers on one log.
import { join } from 'node:path';
import { getChainRoot, getChainStatus } from '@recordproof/shared/api/chain.ts';
import { openCheckpoint } from '@recordproof/shared/evidence/checkpoint.ts';
import { sha256, toHex } from '@recordproof/shared/evidence/digest.ts';
import { parseLedgerEntry } from '@recordproof/shared/evidence/ledger-entry.ts';
import { LogFollower, proveConsistency } from '@recordproof/shared/evidence/log-reader.ts';
import { parseVerifierKey } from '@recordproof/shared/evidence/signed-note.ts';
import { expect, test } from 'vitest';
import { type Person, startApp } from '../../../../test/support/app.ts';
import { openChainsBeside } from '../../../../test/support/chains-beside.ts';
import { readEntries, writeEntry } from '../../../../test/support/ledger-entries.ts';
import { objectDamages } from '../../../../test/support/object-damages.ts';
import { toObjectPath } from '../../platform/objects/disk-layout.ts';
import { verifyEd25519 } from './ledger/ledger-key.ts';

const toParts = (key: string): string[] => {
  const { folders, file } = toObjectPath(key);
  return [...folders, file];
};

const hashOf = (letter: string) => letter.repeat(64);
const root = (batchNo: string, letter = 'a') => ({ batchNo, merkleRoot: hashOf(letter), treeSize: 2 });

const bytesAt = async (person: Person, path: string): Promise<Uint8Array> => {
  const response = await person.fetch(path);
  if (!response.ok) throw new Error(`${path} answers ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
};

async function readCheckpoint(person: Person) {
  const key = parseVerifierKey(new TextDecoder().decode(await bytesAt(person, '/ledger/key')).trim());
  return openCheckpoint(await bytesAt(person, '/ledger/checkpoint'), key, verifyEd25519);
}

/** A new ledger holds the birth of the signing key. */
const beginning = 1;

test('a new ledger holds only the signing key and publishes a signed checkpoint', {
  tags: 'long-on-postgres',
}, async () => {
  await using app = await startApp();
  await app.app.server.ledger.publish();
  expect(await readCheckpoint(app.anonymous)).toMatchObject({ size: beginning });
  const response = await app.anonymous.fetch('/ledger/checkpoint');
  expect(response.headers.get('cache-control')).toBe('no-cache');
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect((await app.anonymous.fetch('/ledger/tile/0/000.p/2')).status).toBe(404);
});

test('a server behind the published ledger answers 503 instead of an older checkpoint', async () => {
  await using app = await startApp();
  const { db } = app.app.database;
  const answerWhileFencedAt = async (fencedAt: number | null) => {
    await db.updateTable('ledger_log').set({ fenced_at: fencedAt }).execute();
    return (await app.anonymous.fetch('/ledger/checkpoint')).status;
  };
  expect(await answerWhileFencedAt(app.clock.now())).toBe(503);
  expect(await answerWhileFencedAt(null)).toBe(200);
});

test('a damaged tile is rebuilt or reported as 503', { tags: 'long-on-postgres' }, async () => {
  await using app = await startApp();
  await using chains = await openChainsBeside(app);
  await chains.chain.submitRoot(root('MB-1'));
  const path = '/ledger/tile/entries/000.p/2';
  const sound = await bytesAt(app.anonymous, path);
  const file = join(app.folder, 'objects/objects', ...toParts('ledger/tile/entries/000.p/2'));
  await objectDamages['zeros all over']?.(file);
  expect(await bytesAt(app.anonymous, path)).toEqual(sound);
  await objectDamages['zeros all over']?.(file);
  await writeEntry(app.app.database.db, 0, '{}');
  const answer = await app.anonymous.fetch(path);
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([503, 'no-store']);
});

test('a batch root can be read once it is submitted, and is never replaced', async () => {
  await using app = await startApp();
  await using chains = await openChainsBeside(app);
  const written = await chains.chain.submitRoot(root('MB-1'));
  expect(written).toMatchObject({ batchNo: 'MB-1', merkleRoot: hashOf('a'), blockNumber: beginning });
  expect(await chains.chain.submitRoot(root('MB-1', 'b'))).toEqual(written);
  expect(await chains.chain.findRoot('MB-1')).toEqual(written);
  expect(await chains.chain.findRoot('MB-2')).toBeNull();

  const address = { ...(await chains.chain.identity()), batchNo: 'MB-1' };
  const answer = await app.anonymous.fetch(
    getChainRoot.path.replace(/\{(\w+)\}/g, (_, name) => address[name as keyof typeof address]),
  );
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(await answer.json()).toEqual({ schemaVersion: 'service-chain-root-resolution.v1', ...address, ...written });
  for (const other of [{ batchNo: 'MB-2' }, { chainType: 'EVM' }, { chainId: 'f'.repeat(16) }, { groupId: 'other' }]) {
    expect(await app.anonymous.expectError(getChainRoot, { params: { ...address, ...other } })).toMatchObject({
      status: 404,
    });
  }
  const { db } = app.app.database;
  const row = (await readEntries(db)).find(({ kind }) => kind === 'BATCH_ROOT');
  await writeEntry(db, row?.position ?? -1, row?.entry.replace(hashOf('a'), hashOf('c')) ?? '');
  expect((await app.anonymous.expectError(getChainRoot, { params: address })).status).toBe(503);
});

test('every ledger entry is proved by its tiles, also with partial tiles of earlier checkpoints', {
  tags: 'long-on-postgres',
}, async () => {
  await using app = await startApp();
  await using chains = await openChainsBeside(app);
  await chains.ledger.publish();
  const checkpoints = [await readCheckpoint(app.anonymous)];
  for (const count of [3, 251, 1, 300]) {
    const from = checkpoints.at(-1)?.size ?? 0;
    const names = Array.from({ length: count }, (_, i) => `MB-${from + i}`);
    await Promise.all(names.map(name => chains.ledger.append({ kind: 'BATCH_ROOT', ...root(name) })));
    await chains.ledger.publish();
    checkpoints.push(await readCheckpoint(app.anonymous));
  }
  expect(checkpoints.map(({ size }) => size)).toEqual([1, 4, 255, 256, 556]);

  const readTile = (path: string) => bytesAt(app.anonymous, `/ledger/${path}`);
  for (const [index, older] of checkpoints.entries())
    for (const newer of checkpoints.slice(index)) await proveConsistency(readTile, older, newer);
  const seen: string[] = [];
  const follower = new LogFollower(readTile);
  for (const checkpoint of checkpoints)
    seen.push(
      ...(await follower.follow(checkpoint, bytes => {
        const entry = parseLedgerEntry(bytes);
        return entry.kind === 'BATCH_ROOT' ? entry.batchNo : undefined;
      })),
    );
  expect(seen).toHaveLength(555);
  expect(new Set(seen).size).toBe(555);

  const full = await bytesAt(app.anonymous, '/ledger/tile/0/001');
  for (const path of ['0/000.p/3', '0/000.p/255', 'entries/000.p/7', '1/000.p/1', '0/000'])
    expect((await bytesAt(app.anonymous, `/ledger/tile/${path}`)).length, path).toBeGreaterThan(31);
  expect((await bytesAt(app.anonymous, '/ledger/tile/0/001.p/2')).join()).toBe(full.subarray(0, 64).join());
  for (const path of ['0/002.p/45', '0/002', '1/000.p/3', 'entries/002.p/45', '0/0', '9', '0/001/..', 'x'])
    expect((await app.anonymous.fetch(`/ledger/tile/${path}`)).status, path).toBe(404);
  const tile = await app.anonymous.fetch('/ledger/tile/0/001');
  expect(tile.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect((await app.anonymous.fetch('/ledger/tile/0/777')).headers.get('cache-control')).toBe('no-store');
});

test('a file record is written once, and another manifest for it is rejected', async () => {
  await using app = await startApp();
  await using chains = await openChainsBeside(app);
  const { records } = chains;
  const record = { fileHash: hashOf('1'), manifestHash: `sha256:${hashOf('2')}` };
  expect(await records.findRecord(record.fileHash)).toBeNull();
  const [written, again] = await Promise.all([records.recordFile(record), records.recordFile(record)]);
  expect(again).toEqual(written);
  expect(await records.findRecord(record.fileHash)).toEqual({ ...record, ...written });
  await expect(records.recordFile({ ...record, manifestHash: `sha256:${hashOf('3')}` })).rejects.toThrow();
});

test('two servers on one database write one log', async () => {
  await using app = await startApp();
  await using left = await openChainsBeside(app);
  await using right = await openChainsBeside(app);
  const submitted = await Promise.all(
    Array.from({ length: 60 }, (_, i) => (i % 2 === 0 ? left : right).chain.submitRoot(root(`MB-${i % 40}`))),
  );
  expect(new Set(submitted.map(({ blockNumber }) => blockNumber)).size).toBe(40);
  expect(await readCheckpoint(app.anonymous)).toMatchObject({ size: beginning + 40 });
  await proveConsistency(
    path => bytesAt(app.anonymous, `/ledger/${path}`),
    { size: 0, root: sha256(new Uint8Array(0)) },
    await readCheckpoint(app.anonymous),
  );
});

test('entries appended by a server that died are published by the next server', {
  tags: 'long-on-postgres',
}, async () => {
  await using app = await startApp();
  {
    await using chains = await openChainsBeside(app);
    await chains.ledger.append({ kind: 'BATCH_ROOT', ...root('MB-1') });
  }
  app.clock.advance(31_000);
  await app.drain();
  expect(await readCheckpoint(app.anonymous)).toMatchObject({ size: beginning + 1 });
});

test('the status reports the progress of the chain, to users who may read metrics', {
  tags: 'long-on-postgres',
}, async () => {
  await using app = await startApp();
  await using chains = await openChainsBeside(app);
  const watcher = await app.person('watcher', { role: 'monitor' });
  expect(await watcher.call(getChainStatus)).toMatchObject({ blockNumber: 0, transactionCount: 1, healthy: true });
  await chains.chain.submitRoot(root('MB-1'));
  expect(await watcher.call(getChainStatus)).toMatchObject({
    blockNumber: 1,
    transactionCount: 2,
    failedTransactionCount: 0,
    nodeCount: 1,
    chainType: 'LOCAL_LEDGER',
    healthy: true,
  });
  const person = await app.person('ada');
  expect(await person.expectError(getChainStatus)).toMatchObject({ status: 403 });
});

test('the identity derives from the signing key, which is kept in the key file', {
  tags: 'long-on-postgres',
}, async () => {
  await using app = await startApp();
  await using first = await openChainsBeside(app);
  await using second = await openChainsBeside(app);
  expect(second.ledger.identity).toEqual(first.ledger.identity);
  expect(second.ledger.verifierKey).toBe(first.ledger.verifierKey);
  expect(toHex(second.ledger.key.publicKey)).toMatch(/^[0-9a-f]{64}$/);
  expect(first.ledger.key.name).toBe(`recordproof-${first.ledger.identity.chainId}`);
});
