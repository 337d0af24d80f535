// Proofs of files over the API: issue, archive, notices, version chains, revocation and altered evidence.
import { randomBytes } from 'node:crypto';
import { getFile } from '@recordproof/shared/api/files.ts';
import type { Health } from '@recordproof/shared/api/monitor.ts';
import * as api from '@recordproof/shared/api/proofs.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Person, startApp, type TestApp } from '../../../../test/support/app.ts';
import { storeBareFile } from '../../../../test/support/bare-file.ts';
import { noticesOf } from '../../../../test/support/events.ts';
import { manifestOfText } from '../../../../test/support/manifest-text.ts';
import { onInsert } from '../../../../test/support/on-insert.ts';
import { whyNotWith } from '../../../../test/support/programs.ts';
import {
  checkInPython,
  exportProof,
  fetchProof,
  fetchTrustedKey,
  laptop,
  openProof,
  verifyOnline,
} from '../../../../test/support/real-proofs.ts';
import { completeDirect, sendDirect, storeProxied } from '../../../../test/support/uploads.ts';
import { buildStoredProof, findStored } from './evidence.ts';
import { signParts } from './issue-proof.ts';
import { toIssuedEntries } from './ledger-entries.ts';
import { findProof } from './queries.ts';
import { toProofKey } from './signing.ts';

let app: TestApp;
let ada: Person;
let admin: Person;

beforeAll(async () => {
  app = await startApp({ env: laptop });
  ada = await app.person('ada');
  admin = await app.person('root', { role: 'admin' });
});
afterAll(() => app[Symbol.asyncDispose]());

async function store(person: Person, bytes: Uint8Array, targetFileId?: string): Promise<string> {
  const { fileId } = await storeProxied(person, bytes, { ...(targetFileId && { targetFileId }) });
  await app.drain();
  return fileId;
}

async function judge(archive: Buffer, original: Uint8Array): Promise<string> {
  // A second judge, where it is installed; the journey of `prove` is left out where it is not.
  if (whyNotWith('python3') === null) checkInPython(original, archive, await fetchTrustedKey(app.app.url, archive));
  const report = await verifyOnline({ app, archive, original });
  const bad = report.checks.filter(check => check.status !== 'PASS');
  return `${report.outcome}${bad.map(check => ` ${check.code}`).join('')}`;
}

const statusOf = (proofId: string) => app.anonymous.call(api.getPublicProofStatus, { params: { proofId } });

test('the proof of an encrypted upload is valid for anybody, and its archive is the same each time', {
  tags: 'long-on-postgres',
}, async () => {
  const bytes = randomBytes(9000);
  const fileId = await store(ada, bytes);
  const archive = await exportProof(ada, fileId);
  expect(await judge(archive, bytes)).toBe('VALID');
  expect((await exportProof(ada, fileId)).equals(archive)).toBe(true);
  const { receipt, entries } = openProof(archive);
  expect(receipt.confirmationSource).toBe('CHAIN_WRITE');
  expect(JSON.parse(Buffer.from(entries['chunk-manifest.json']).toString())).toMatchObject({
    encryptionAlgorithm: 'RP-AES256-GCM-CHUNK-CHAIN-V1',
    totalSize: 9000,
    chunkCount: 3,
  });
});

test('the owner is notified of the proof with the file name, and an administrator is not', {
  tags: 'long-on-postgres',
}, async () => {
  const fileId = await store(ada, randomBytes(3000));
  await exportProof(ada, fileId);
  const told = (await noticesOf(app, 'ada')).filter(({ type }) => type === 'proof-issued');
  expect(told.filter(({ payload }) => 'fileId' in payload && payload.fileId === fileId)).toMatchObject([
    { payload: { fileId, fileName: 'report.pdf', proofId: expect.stringMatching(/^rp-proof-[0-9a-f]{64}$/) } },
  ]);
  expect(await noticesOf(app, 'root')).toEqual([]);
});

test('a direct upload gets a valid proof, and the file reports its status', { tags: 'long-on-postgres' }, async () => {
  const bytes = randomBytes(5000);
  const { clientId } = await sendDirect(ada, bytes);
  const { fileId, fileHash } = await completeDirect(ada, clientId);
  await app.drain();
  expect((await ada.call(getFile, { params: { hash: fileHash } })).proofStatus).toBe('ISSUED');
  expect(await judge(await exportProof(ada, fileId), bytes)).toBe('VALID');
});

// Several seconds of work, a good part of it by the second judge.
test('a plan of 10,000 chunks gets a valid proof', { tags: 'long', timeout: 120_000 }, async () => {
  const bytes = randomBytes(10_000 * 3 - 1);
  const fileId = await storeBareFile(app, 'ada', bytes, 3);
  await app.drain();
  const archive = await exportProof(ada, fileId);
  expect(archive.length).toBeGreaterThan(2_000_000);
  expect(await judge(archive, bytes)).toBe('VALID');
  expect((await exportProof(ada, fileId)).equals(archive)).toBe(true);
});

test('in a chain of three versions the newest proof is valid and the others are superseded', {
  tags: 'long-on-postgres',
}, async () => {
  const contents = [randomBytes(100), randomBytes(200), randomBytes(300)] as const;
  const first = await store(ada, contents[0]);
  const firstArchive = await exportProof(ada, first);
  expect(await judge(firstArchive, contents[0])).toBe('VALID');
  const second = await store(ada, contents[1], first);
  const third = await store(ada, contents[2], second);
  expect(await judge(await exportProof(ada, third), contents[2])).toBe('VALID');
  expect(await judge(await exportProof(ada, second), contents[1])).toMatch(/^INVALID/);
  expect((await exportProof(ada, first)).equals(firstArchive)).toBe(true);
  const status = await statusOf(openProof(firstArchive).manifest.proofId);
  expect(status).toMatchObject({ status: 'SUPERSEDED', statusVersion: 2, issuedStatus: 'ACTIVE' });
});

test('a proof is superseded in the transaction that stores the newer version', async () => {
  const first = await store(ada, randomBytes(100));
  const { proofId } = openProof(await exportProof(ada, first)).manifest;
  await sql`create table seen as select status, status_version from proof where false`.execute(db());
  await using _trigger = await onInsert(app.app.database, 'job', `new.payload like '%"file.stored"%'`, [
    `insert into seen select status, status_version from proof where proof_id = '${proofId}'`,
  ]);
  await storeProxied(ada, randomBytes(200), { targetFileId: first });
  const { rows } = await sql`select status, status_version from seen`.execute(db());
  expect(rows).toEqual([{ status: 'SUPERSEDED', status_version: 2 }]);
  expect(await statusOf(proofId)).toMatchObject({ status: 'SUPERSEDED', statusVersion: 2 });
});

test('a proof issued after the next version was stored is superseded from the start', {
  tags: 'long-on-postgres',
}, async () => {
  await using late = await startApp({ env: { ...laptop, ATTESTATION_PRODUCTION_MIN_BATCH_SIZE: '2' } });
  const eve = await late.person('eve');
  const { fileId } = await storeProxied(eve, randomBytes(10));
  const next = await storeProxied(eve, randomBytes(20), { targetFileId: fileId });
  await late.drain();
  const statusOfFile = async (id: string) => {
    const { status, statusVersion } = await eve.call(api.getProofStatus, { params: { id } });
    return [status, statusVersion];
  };
  expect(await statusOfFile(fileId)).toEqual(['SUPERSEDED', 2]);
  expect(await statusOfFile(next.fileId)).toEqual(['ACTIVE', 1]);
});

test('a server with proofs turned off reports that, without Retry-After', { tags: 'long-on-postgres' }, async () => {
  await using off = await startApp();
  const eve = await off.person('eve');
  const { fileId, fileHash } = await storeProxied(eve, randomBytes(10));
  await off.drain();
  const response = await fetchProof(eve, fileId);
  expect([response.status, response.headers.get('retry-after')]).toEqual([409, null]);
  expect(await response.json()).toMatchObject({
    message: expect.stringContaining('attestation.production.enabled is off'),
    data: { detail: { reason: 'ATTESTATION_OFF' } },
  });
  expect((await eve.call(getFile, { params: { hash: fileHash } })).proofStatus).toBe('NONE');
  const root = await off.person('root', { role: 'admin' });
  const { components } = (await (await root.fetch('/actuator/health')).json()) as Health;
  expect(components?.attestation).toEqual({
    status: 'UP',
    details: { enabled: false, profile: 'server', setting: 'attestation.production.enabled' },
  });
});

test('revocation is idempotent, permanent, and allowed for the owner and administrators', {
  tags: 'long-on-postgres',
}, async () => {
  const bytes = randomBytes(50);
  const fileId = await store(ada, bytes);
  const params = { id: fileId };
  const stranger = await app.person('mallory');
  const input = { params, body: { reason: 'sent by mistake' } };
  expect((await stranger.expectError(api.revokeProof, input)).kind).toBe('FILE_NOT_EXIST');
  const once = await ada.call(api.revokeProof, input);
  expect(once).toMatchObject({ status: 'REVOKED', statusVersion: 2, reason: 'sent by mistake' });
  expect(await admin.call(api.revokeProof, { params, body: { reason: 'again' } })).toEqual(once);
  await store(ada, randomBytes(60), fileId);
  expect(await statusOf(once.proofId)).toEqual(once);
  const archive = await exportProof(ada, fileId);
  expect((await verifyOnline({ app, archive, original: bytes })).outcome).toBe('INVALID');
});

test('public responses are not cached, and unknown ids return 404', { tags: 'long-on-postgres' }, async () => {
  const fileId = await store(ada, randomBytes(50));
  const { manifest } = openProof(await exportProof(ada, fileId));
  const response = await fetch(`${app.app.url}${manifest.statusLocation}`);
  expect(response.headers.get('cache-control')).toBe('no-store');
  const proofId = `rp-proof-${'0'.repeat(64)}`;
  expect((await app.anonymous.expectError(api.getPublicProofStatus, { params: { proofId } })).status).toBe(404);
  const statusOfKey = async (keyVersion: string) =>
    (await fetch(`${app.app.url}/api/v1/public/proof-keys/${manifest.signature.keyId}/versions/${keyVersion}`)).status;
  expect(await statusOfKey('1')).toBe(200);
  expect(await statusOfKey('99')).toBe(404);
  for (const odd of ['1e0', '%2B1', '0x1', '01', '1.0', '%201', '0', '-1']) expect(await statusOfKey(odd)).toBe(400);
});

test('only the owner and administrators of the tenant get an archive', { tags: 'long-on-postgres' }, async () => {
  const fileId = await store(ada, randomBytes(50));
  const bob = await app.person('bob');
  const foreign = await app.person('boss', { role: 'admin', tenant: 'elsewhere' });
  const watcher = await app.person('watcher', { role: 'monitor' });
  const statuses = await Promise.all(
    [app.anonymous, bob, watcher, foreign, admin, ada].map(async person => (await fetchProof(person, fileId)).status),
  );
  expect(statuses).toEqual([401, 404, 404, 404, 200, 200]);
});

const tampering = {
  'the content hash of the record': (id: number) =>
    db()
      .updateTable('file')
      .set({ content_hash: `sha256:${'1'.repeat(64)}` })
      .where('id', '=', id),
  'the size of the record': (id: number) => db().updateTable('file').set({ file_size: 7 }).where('id', '=', id),
  'the manifest': (id: number) => db().updateTable('manifest').set(manifestOfText('{}')).where('file_id', '=', id),
  'the path of the leaf': (id: number) =>
    db()
      .updateTable('attestation_leaf')
      .set({ proof_path: Buffer.alloc(32, 'ab', 'hex') })
      .where('file_id', '=', id),
  'the root of the batch': (id: number) => batchOf(id).set({ merkle_root: 'ab'.repeat(32) }),
  'the transaction of the batch': (id: number) => batchOf(id).set({ transaction_hash: `0x${'ab'.repeat(32)}` }),
  'the time of issue': (id: number) => db().updateTable('proof').set({ issued_at: 1 }).where('file_id', '=', id),
  'the signature': (id: number) =>
    db()
      .updateTable('proof')
      .set({ signature: 'A'.repeat(86) })
      .where('file_id', '=', id),
  'the form of the signature': (id: number) =>
    db().updateTable('proof').set({ signature: '' }).where('file_id', '=', id),
  'the digest of the manifest': (id: number) =>
    db()
      .updateTable('proof')
      .set({ manifest_sha256: 'ab'.repeat(32) })
      .where('file_id', '=', id),
  'the version of the file': (id: number) =>
    db().updateTable('proof').set({ file_version: 2 }).where('file_id', '=', id),
  'the version of the key': (id: number) => db().updateTable('proof').set({ key_version: 2 }).where('file_id', '=', id),
} as const;

const db = () => app.app.database.db;
const batchOf = (fileId: number) =>
  db()
    .updateTable('attestation_batch')
    .where('id', 'in', eb => eb.selectFrom('attestation_leaf').select('batch_id').where('file_id', '=', fileId));

test.each(Object.entries(tampering))(
  'a proof is invalid and never signed again when %s is altered',
  async (_, change) => {
    const fileId = await store(ada, randomBytes(5000));
    const { manifest } = openProof(await exportProof(ada, fileId));
    expect((await statusOf(manifest.proofId)).status).toBe('ACTIVE');
    await change(Number(fileId)).execute();
    expect(await statusOf(manifest.proofId)).toMatchObject({ status: 'INVALID', statusVersion: 2 });
    expect((await fetchProof(ada, fileId)).status).toBe(409);
    expect((await statusOf(manifest.proofId)).statusVersion).toBe(2);
    const revoking = { params: { id: fileId }, body: { reason: 'x' } };
    expect((await ada.expectError(api.revokeProof, revoking)).kind).toBe('CONFLICT');
  },
);

test('a proof with an id of an older rule stays valid, and its archive unchanged', async () => {
  const bytes = randomBytes(4000);
  const fileId = await store(ada, bytes);
  const { proofId: newId } = openProof(await exportProof(ada, fileId)).manifest;
  const { signing } = app.app.server;
  const proof = await findProof(db(), newId);
  const stored = await findStored(db(), Number(proof?.tenant_id), Number(fileId));
  if (proof === null || stored === null) throw new Error('there is a proof');
  const oldId = `rp-proof-${'ab'.repeat(32)}`;
  const key = await signing.current();
  const unsigned = buildStoredProof(stored, { at: proof.issued_at, as: oldId }, toProofKey(key));
  const older = { proof_id: oldId, ...(await signParts(app.app.server, key, unsigned)) };
  await db()
    .transaction()
    .execute(async tx => {
      await tx.updateTable('proof').set(older).where('id', '=', proof.id).execute();
      await app.app.server.ledger.recordWithin(tx, toIssuedEntries([{ ...proof, ...older }]));
    });

  const archive = await exportProof(ada, fileId);
  expect(openProof(archive).manifest.proofId).toBe(oldId);
  expect(await judge(archive, bytes)).toBe('VALID');
  expect(await statusOf(oldId)).toMatchObject({ status: 'ACTIVE', statusVersion: 1 });
});

test('an export detects altered evidence without a status request', async () => {
  const fileId = await store(ada, randomBytes(5000));
  const { manifest } = openProof(await exportProof(ada, fileId));
  await tampering['the root of the batch'](Number(fileId)).execute();
  const response = await fetchProof(ada, fileId);
  const { message, data } = (await response.json()) as { message: string; data: unknown };
  expect([response.status, data]).toEqual([409, { detail: { reason: 'EVIDENCE_MISMATCH' } }]);
  expect(message).toContain(`evidence of file ${fileId} differs from what was signed`);
  const row = await db()
    .selectFrom('proof')
    .select('status')
    .where('proof_id', '=', manifest.proofId)
    .executeTakeFirst();
  expect(row?.status).toBe('INVALID');
});

test('no proof is signed for evidence altered before', async () => {
  await using off = await startApp({ env: { ...laptop, ATTESTATION_PRODUCTION_MIN_BATCH_SIZE: '2' } });
  const eve = await off.person('eve');
  const { fileId } = await storeProxied(eve, randomBytes(50));
  await off.drain();
  const waiting = await fetchProof(eve, fileId);
  expect([waiting.status, waiting.headers.get('retry-after')]).toEqual([409, '30']);
  const id = Number(fileId);
  await off.app.database.db.updateTable('file').set({ file_size: 7 }).where('id', '=', id).execute();
  const { fileId: other } = await storeProxied(eve, randomBytes(60));
  await off.drain();
  expect((await fetchProof(eve, other)).status).toBe(200);
  expect((await eve.expectError(api.getProofStatus, { params: { id: fileId } })).kind).toBe('FILE_RECORD_ERROR');
  expect(await off.app.database.db.selectFrom('proof').select('file_id').execute()).toEqual([
    { file_id: Number(other) },
  ]);
});
