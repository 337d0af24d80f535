// @module-tag long-on-postgres
// Attacks on the date of a proof with the operator's keys, against an unmodified server and verifier.
import { createHash, randomBytes } from 'node:crypto';
import * as api from '@recordproof/shared/api/proofs.ts';
import { canonicalBytes } from '@recordproof/shared/evidence/canonical-json.ts';
import { parseUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { signJws, toJwsHeader } from '@recordproof/shared/evidence/jws.ts';
import type { ProofEntries } from '@recordproof/shared/evidence/proof-archive.ts';
import { proofEntryNames } from '@recordproof/shared/evidence/proof-archive.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Person, startApp, type TestApp } from '../../../../test/support/app.ts';
import { exportProof, laptop, openProof, verifyOnline } from '../../../../test/support/real-proofs.ts';
import { storeProxied } from '../../../../test/support/uploads.ts';
import { writeZip } from '../../../../test/support/zip.ts';
import { buildStoredProof, findStored } from './evidence.ts';
import { signParts } from './issue-proof.ts';
import { findKey, findProof, type ProofKeyRow } from './queries.ts';
import { toProofKey } from './signing.ts';

let app: TestApp;
let ada: Person;

beforeAll(async () => {
  app = await startApp({ env: laptop });
  ada = await app.person('ada');
});
afterAll(() => app[Symbol.asyncDispose]());

async function storeProven(bytes: Uint8Array) {
  const { fileId } = await storeProxied(ada, bytes);
  await app.drain();
  return { fileId, archive: await exportProof(ada, fileId) };
}

const toArchive = (entries: ProofEntries) => writeZip(proofEntryNames.map(name => ({ name, data: entries[name] })));

const signWith = (key: ProofKeyRow) => (message: Uint8Array) => app.app.server.signing.sign(key, message);

/** The archive with some members of its manifest replaced, signed anew with the real key. */
async function resign(archive: Uint8Array, members: object): Promise<Uint8Array> {
  const { entries, manifest } = openProof(archive);
  const { keyId, keyVersion } = manifest.signature;
  const key = await findKey(app.app.database.db, keyId, keyVersion);
  if (key === null) throw new Error(`there is no key ${keyId}/${keyVersion}`);
  const payload = canonicalBytes({ ...JSON.parse(parseUtf8(entries['manifest.json'])), ...members });
  const jws = await signJws(toJwsHeader(key.key_id, key.key_version), payload, signWith(key));
  return toArchive({ ...entries, 'manifest.json': payload, 'issuer-signature.jws': jws });
}

async function judge(archive: Uint8Array, original: Uint8Array): Promise<string> {
  const report = await verifyOnline({ app, archive, original });
  return [report.outcome, report.reason].filter(word => word !== undefined).join(' ');
}

const statusOf = (archive: Uint8Array) =>
  app.anonymous.call(api.getPublicProofStatus, { params: { proofId: openProof(archive).manifest.proofId } });

test('the status contains the digest of the issued manifest, and the key its period of use', async () => {
  const bytes = randomBytes(900);
  const { archive } = await storeProven(bytes);
  const { entries, manifest } = openProof(archive);
  const digest = (data: Uint8Array): string => `sha256:${createHash('sha256').update(data).digest('hex')}`;
  expect(await statusOf(archive)).toMatchObject({
    manifestSha256: digest(entries['manifest.json']),
    contentHash: digest(bytes),
  });
  const { keyId, keyVersion } = manifest.signature;
  const key = await app.anonymous.call(api.getIssuerKey, { params: { keyId, keyVersion: String(keyVersion) } });
  expect(key.usedUntil).toBeNull();
  expect(Date.parse(key.usedFrom ?? '')).toBeLessThanOrEqual(Date.parse(manifest.issuedAt));
  expect(await judge(archive, bytes)).toBe('VALID');
});

test('attack A: a manifest re-signed with an earlier date is INVALID', async () => {
  const bytes = randomBytes(900);
  const { archive } = await storeProven(bytes);
  expect(await judge(await resign(archive, { issuedAt: '2019-03-01T12:00:00.000Z' }), bytes)).toMatch(/^INVALID/);
  const issuedAt = new Date(Date.parse(openProof(archive).manifest.issuedAt) - 1000).toISOString();
  const earlier = await resign(archive, { issuedAt });
  expect(await judge(earlier, bytes)).toBe('INVALID STATUS_IDENTITY_MISMATCH');
  const trusted = await verifyOnline({ app, archive: earlier, original: bytes, isKeyTrusted: true });
  expect([trusted.outcome, trusted.reason]).toEqual(['INVALID', 'STATUS_IDENTITY_MISMATCH']);
});

test('attack A: a manifest with the ids and date of another active proof is INVALID', async () => {
  const [old, forged] = [randomBytes(900), randomBytes(900)];
  const honest = await storeProven(old);
  const { archive } = await storeProven(forged);
  const { proofId, issuedAt, statusLocation } = openProof(honest.archive).manifest;
  expect(await judge(await resign(archive, { proofId, issuedAt, statusLocation }), forged)).toBe(
    'INVALID STATUS_IDENTITY_MISMATCH',
  );
});

test('attack A: a revoked proof with the id of another proof is INVALID', async () => {
  const [kept, withdrawn] = [randomBytes(900), randomBytes(900)];
  const honest = await storeProven(kept);
  const { fileId, archive } = await storeProven(withdrawn);
  await ada.call(api.revokeProof, { params: { id: fileId }, body: { reason: 'wrong file' } });
  const { proofId, statusLocation } = openProof(honest.archive).manifest;
  expect(await judge(await resign(archive, { proofId, statusLocation }), withdrawn)).toBe(
    'INVALID STATUS_IDENTITY_MISMATCH',
  );
});

test('attack A: a proof signed by a key retired before is INVALID, whatever its status', async () => {
  await using other = await startApp({ env: laptop });
  const eve = await other.person('eve');
  const bytes = randomBytes(900);
  const { fileId } = await storeProxied(eve, bytes);
  await other.drain();
  const archive = await exportProof(eve, fileId);
  const day = 86_400_000;
  const times = { created_at: Date.now() - 9 * day, retired_at: Date.now() - 8 * day };
  await other.app.database.db.updateTable('proof_key').set(times).execute();
  const report = await verifyOnline({ app: other, archive, original: bytes });
  expect([report.outcome, report.reason]).toEqual(['INVALID', 'KEY_NOT_IN_USE']);
});

test('attack S7: a proof issued with a date before its ledger entry is detected', async () => {
  const bytes = randomBytes(900);
  const { fileId, archive } = await storeProven(bytes);
  const { db } = app.app.database;
  const proof = await findProof(db, openProof(archive).manifest.proofId);
  const stored = await findStored(db, Number(proof?.tenant_id), Number(fileId));
  if (proof === null || stored === null) throw new Error('there is a proof');
  const key = await app.app.server.signing.current();
  const issuedAt = Date.parse('2019-03-01T12:00:00.000Z');
  const unsigned = buildStoredProof(stored, { at: issuedAt, as: proof.proof_id }, toProofKey(key));
  const jwsParts = await signParts(app.app.server, key, unsigned);
  await db
    .updateTable('proof_key')
    .set({ created_at: issuedAt - 1000 })
    .execute();
  await db
    .updateTable('proof')
    .set({ issued_at: issuedAt, ...jwsParts })
    .where('id', '=', proof.id)
    .execute();
  const backdated = await exportProof(ada, fileId);
  expect(await judge(backdated, bytes)).toBe('INVALID CHAIN_TIME_MISMATCH');
});
