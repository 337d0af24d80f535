// Ledger entries of proofs, read from the public tiles: issue, revocation, supersession and damaged evidence.
import { randomBytes } from 'node:crypto';
import * as api from '@recordproof/shared/api/proofs.ts';
import { openCheckpoint } from '@recordproof/shared/evidence/checkpoint.ts';
import { digestOf, parseUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { digestProofId, type LedgerEntry, parseLedgerEntry } from '@recordproof/shared/evidence/ledger-entry.ts';
import { LogFollower } from '@recordproof/shared/evidence/log-reader.ts';
import { parseVerifierKey } from '@recordproof/shared/evidence/signed-note.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Person, startApp, type TestApp } from '../../../../test/support/app.ts';
import { exportProof, laptop, openProof } from '../../../../test/support/real-proofs.ts';
import { storeProxied } from '../../../../test/support/uploads.ts';
import { findTimeSteps, verifyEd25519 } from '../chain/index.ts';
import { prepareFindOnLedger } from './proven-queries.ts';
import { findProof, listKeys } from './queries.ts';
import { openLocalSigningKeys } from './signing-keys.ts';

let app: TestApp;
let ada: Person;

beforeAll(async () => {
  app = await startApp({ env: laptop });
  ada = await app.person('ada');
});
afterAll(() => app[Symbol.asyncDispose]());

async function readLedger({ anonymous, app: { server } }: TestApp): Promise<LedgerEntry[]> {
  await server.ledger.publish();
  const read = async (path: string) => new Uint8Array(await (await anonymous.fetch(`/ledger/${path}`)).arrayBuffer());
  const key = parseVerifierKey(parseUtf8(await read('key')).trim());
  const checkpoint = await openCheckpoint(await read('checkpoint'), key, verifyEd25519);
  return new LogFollower(read).follow(checkpoint, bytes => parseLedgerEntry(bytes));
}

const db = () => app.app.database.db;

const store = async (bytes: Uint8Array, targetFileId?: string): Promise<string> => {
  const { fileId } = await storeProxied(ada, bytes, targetFileId === undefined ? {} : { targetFileId });
  await app.drain();
  return fileId;
};

const manifestOf = async (fileId: string) => {
  const { entries, manifest } = openProof(await exportProof(ada, fileId));
  return { proofId: manifest.proofId, manifestSha256: digestOf(entries['manifest.json']) };
};

const about = (entries: readonly LedgerEntry[], proofId: string) =>
  entries
    .filter(entry => 'proofIdSha256' in entry && entry.proofIdSha256 === digestProofId(proofId))
    .map(({ schema: _s, recordedAt: _r, ...rest }) => rest);

const toEntry = ({ proofId, manifestSha256 }: Awaited<ReturnType<typeof manifestOf>>) => ({
  kind: 'PROOF_ISSUED',
  proofIdSha256: digestProofId(proofId),
  manifestSha256,
});

test('each issued proof is on the ledger with the digest of its manifest, without its content hash or id', {
  tags: 'long-on-postgres',
}, async () => {
  const bytes = randomBytes(700);
  const issued = await manifestOf(await store(bytes));
  const entries = await readLedger(app);
  expect(about(entries, issued.proofId)).toEqual([toEntry(issued)]);
  for (const secret of [digestOf(bytes).slice('sha256:'.length), issued.proofId])
    expect(JSON.stringify(entries)).not.toContain(secret);
});

test('a revocation is recorded on the ledger once', async () => {
  const id = await store(randomBytes(700));
  const issued = await manifestOf(id);
  const revoking = { params: { id }, body: { reason: 'wrong file' } };
  await ada.call(api.revokeProof, revoking);
  await ada.call(api.revokeProof, revoking);
  const entries = await readLedger(app);
  expect(about(entries, issued.proofId)).toEqual([
    toEntry(issued),
    { kind: 'PROOF_STATUS', proofIdSha256: digestProofId(issued.proofId), status: 'REVOKED', statusVersion: 2 },
  ]);
  expect(JSON.stringify(entries)).not.toContain('wrong file');
});

test('concurrent revocations write one entry', async () => {
  const id = await store(randomBytes(700));
  const { proofId } = await manifestOf(id);
  const revoking = { params: { id }, body: { reason: 'wrong file' } };
  await Promise.all(Array.from({ length: 5 }, () => ada.call(api.revokeProof, revoking)));
  expect(about(await readLedger(app), proofId)).toHaveLength(2);
});

test('a superseded proof and damaged evidence are recorded on the ledger', async () => {
  const first = await store(randomBytes(100));
  const older = await manifestOf(first);
  const newer = await manifestOf(await store(randomBytes(200), first));
  const damaged = await store(randomBytes(300));
  const { proofId } = await manifestOf(damaged);
  await sql`update proof set signature = replace(signature, substr(signature, 1, 1), '!') where proof_id = ${proofId}`.execute(
    db(),
  );
  expect(await app.anonymous.call(api.getPublicProofStatus, { params: { proofId } })).toMatchObject({
    status: 'INVALID',
  });
  const entries = await readLedger(app);
  const superseded = {
    kind: 'PROOF_STATUS',
    proofIdSha256: digestProofId(older.proofId),
    status: 'SUPERSEDED',
    statusVersion: 2,
  };
  expect(about(entries, older.proofId).at(-1)).toEqual(superseded);
  expect(about(entries, newer.proofId)).toEqual([toEntry(newer)]);
  const invalid = { kind: 'PROOF_STATUS', proofIdSha256: digestProofId(proofId), status: 'INVALID', statusVersion: 2 };
  expect(about(entries, proofId).at(-1)).toEqual(invalid);
});

const forget = (proofId: string) =>
  sql`update proof set status = 'ACTIVE', status_version = 1, reason = null where proof_id = ${proofId}`.execute(db());

test('a revocation missing in a restored database is taken from the ledger by every call', async () => {
  const id = await store(randomBytes(100));
  const { proofId } = await manifestOf(id);
  const revoking = { params: { id }, body: { reason: 'wrong file' } };
  await ada.call(api.revokeProof, revoking);
  const before = await readLedger(app);
  const revoked = { status: 'REVOKED', statusVersion: 2, reason: expect.stringContaining('ledger') };
  await forget(proofId);
  const asked = Array.from({ length: 4 }, () => app.anonymous.call(api.getPublicProofStatus, { params: { proofId } }));
  for (const status of await Promise.all(asked)) expect(status).toMatchObject(revoked);
  await forget(proofId);
  expect(await ada.call(api.getProofStatus, { params: { id } })).toMatchObject(revoked);
  await forget(proofId);
  expect(await ada.call(api.revokeProof, revoking)).toMatchObject(revoked);
  await forget(proofId);
  await store(randomBytes(200), id);
  expect(await app.anonymous.call(api.getPublicProofStatus, { params: { proofId } })).toMatchObject(revoked);
  expect(about(await readLedger(app), proofId)).toEqual(about(before, proofId));
});

/** As in a database from a backup of before the file was put into a batch. */
async function forgetBatchOf(fileId: string): Promise<void> {
  const { kind } = app.app.database;
  const id = Number(fileId);
  const leaf = await db()
    .selectFrom('attestation_leaf')
    .selectAll()
    .where('file_id', '=', id)
    .executeTakeFirstOrThrow();
  await db().deleteFrom('proof').where('file_id', '=', id).execute();
  await db().deleteFrom('attestation_candidate').where('file_id', '=', id).execute();
  await db().deleteFrom('attestation_leaf').where('file_id', '=', id).execute();
  await db().deleteFrom('attestation_batch').where('id', '=', leaf.batch_id).execute();
  await db().updateTable('file').set({ proof_status: 'NONE' }).where('id', '=', id).execute();
  for (const [table, next] of [
    ['attestation_leaf', leaf.id],
    ['attestation_batch', leaf.batch_id],
  ] as const)
    await (kind === 'sqlite'
      ? sql`update sqlite_sequence set seq = ${next - 1} where name = ${table}`
      : sql`select setval(pg_get_serial_sequence(${table}, 'id'), ${next}::bigint, false)`
    ).execute(db());
}

test('a proof that a restored database does not know is followed by one with another id', async () => {
  const id = await store(randomBytes(100));
  const lost = await manifestOf(id);
  await forgetBatchOf(id);
  app.clock.advance(60_000);
  await app.drain();
  const { proofId } = await manifestOf(id);
  expect(proofId).not.toBe(lost.proofId);
  expect(about(await readLedger(app), lost.proofId)).toEqual([toEntry(lost)]);
  const asked = await app.anonymous.fetch(`/api/v1/public/proofs/${lost.proofId}/status`);
  expect(asked.status).toBe(404);
});

test('the status contains the positions of its ledger entries, which are published at once', async () => {
  const id = await store(randomBytes(100));
  const issued = await manifestOf(id);
  const ask = () => app.anonymous.call(api.getPublicProofStatus, { params: { proofId: issued.proofId } });
  const { ledgerEntries: first } = await ask();
  expect(first).toEqual({ issued: expect.any(Number), status: null, keyInUse: 0, keyRetired: null });
  await ada.call(api.revokeProof, { params: { id }, body: { reason: 'wrong file' } });
  const { ledgerEntries: second } = await ask();
  const published = await db().selectFrom('ledger_log').select('published_size').executeTakeFirstOrThrow();
  expect(published.published_size).toBeGreaterThan(Number(second?.status));
  const entries = await readLedger(app);
  expect(entries[Number(second?.issued)]).toMatchObject(toEntry(issued));
  expect(entries[Number(second?.status)]).toMatchObject({ kind: 'PROOF_STATUS', status: 'REVOKED' });
  expect(entries[Number(second?.keyInUse)]).toMatchObject({ kind: 'SIGNING_KEY', state: 'IN_USE' });
  expect(second).toMatchObject({ issued: first?.issued, keyInUse: 0, keyRetired: null });
});

test('a ledger lookup for an earlier status of a proof is not used for its present status', {
  tags: 'long-on-postgres',
}, async () => {
  const id = await store(randomBytes(100));
  const { proofId } = await manifestOf(id);
  const find = prepareFindOnLedger(app.app.database);
  const before = await findProof(db(), proofId);
  if (before === null) throw new Error('the file has no proof');
  expect(await find(before)).toMatchObject({ proof: { status: 'ACTIVE' }, ledger: { isAhead: false } });
  await ada.call(api.revokeProof, { params: { id }, body: { reason: 'wrong file' } });
  const after = await find(before);
  expect(after?.proof?.status).toBe('REVOKED');
  expect(after).not.toHaveProperty('ledger');
});

test('a status change without a ledger entry is rejected and not stored', async () => {
  const id = await store(randomBytes(100));
  const { proofId } = await manifestOf(id);
  const { recorded_until: until } = await db()
    .selectFrom('ledger_log')
    .select('recorded_until')
    .executeTakeFirstOrThrow();
  // The clock of this server is behind what another one recorded.
  await db()
    .updateTable('ledger_log')
    .set({ recorded_until: until + 3_600_000 })
    .execute();
  const rejected = await ada.expectError(api.revokeProof, { params: { id }, body: { reason: 'wrong file' } });
  await db().updateTable('ledger_log').set({ recorded_until: until }).execute();
  expect(rejected).toMatchObject({ kind: 'SERVICE_UNAVAILABLE', message: expect.stringContaining('clock') });
  const status = await app.anonymous.call(api.getPublicProofStatus, { params: { proofId } });
  expect(status).toMatchObject({ status: 'ACTIVE', statusVersion: 1 });
});

test('a version superseded before its proof is issued has both entries', async () => {
  await using late = await startApp({ env: { ...laptop, ATTESTATION_PRODUCTION_MIN_BATCH_SIZE: '2' } });
  const eve = await late.person('eve');
  const { fileId } = await storeProxied(eve, randomBytes(10));
  await storeProxied(eve, randomBytes(20), { targetFileId: fileId });
  await late.drain();
  const entries = await readLedger(late);
  const kinds = entries.map(({ kind }) => kind);
  expect(kinds.filter(kind => kind === 'PROOF_ISSUED')).toHaveLength(2);
  expect(entries.filter(({ kind }) => kind === 'PROOF_STATUS')).toMatchObject([
    { status: 'SUPERSEDED', statusVersion: 2 },
  ]);
});

test('the signing key is on the ledger before every proof, and a restart adds no entry', {
  tags: 'long-on-postgres',
}, async () => {
  const other = await startApp({ env: laptop });
  const [key] = await listKeys(other.app.database.db);
  await other.app[Symbol.asyncDispose]();
  await using again = await startApp({ env: laptop, folder: other.folder });
  const inUse = {
    kind: 'SIGNING_KEY',
    keyId: key?.key_id,
    keyVersion: 1,
    publicKeyFingerprint: key?.fingerprint,
    state: 'IN_USE',
  };
  expect(await readLedger(again)).toMatchObject([inUse]);
  await openLocalSigningKeys({
    db: again.app.database.db,
    folder: again.config.keysFolder,
    clock: again.clock,
  }).addVersion();
  const [, newKey] = await listKeys(again.app.database.db);
  expect(await readLedger(again)).toMatchObject([
    inUse,
    { ...inUse, state: 'RETIRED' },
    { ...inUse, keyVersion: 2, publicKeyFingerprint: newKey?.fingerprint },
  ]);
});

test('concurrent file records and proofs have non-decreasing times when one server writes', async () => {
  await Promise.all(Array.from({ length: 12 }, (_, at) => store(randomBytes(100 + at))));
  await app.drain();
  const { count } = await findTimeSteps(db(), 0);
  // Transactions of PostgreSQL that run at once may commit in another order; then up to the skew.
  if (app.app.database.kind === 'sqlite') expect(count).toBe(0);
  expect((await findTimeSteps(db(), 5000)).count).toBe(0);
});
