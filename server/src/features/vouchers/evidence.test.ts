// @module-tag long-on-postgres
// The files beside a proof, over HTTP: who gets them, that they belong together, and that a reader is convinced by them.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readFrames } from '@recordproof/shared/api/bulk-answers.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { parseUtf8, sha256, toHex, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { readEvidenceArchive } from '@recordproof/shared/evidence/evidence-archive.ts';
import { toTypedKeyText } from '@recordproof/shared/evidence/note-keys.ts';
import { listOtsClaims, parseOts } from '@recordproof/shared/evidence/ots.ts';
import { parseTlogProof } from '@recordproof/shared/evidence/tlog-proof.ts';
import { verifySignature } from '@recordproof/shared/node/verify-signature.ts';
import { judgeExistence } from '@recordproof/verifier/existence/judge-existence.ts';
import { nodePlatform } from '@recordproof/verifier/node/node-platform.ts';
import { afterAll, expect, test } from 'vitest';
import { type Person, startApp, type TestApp } from '../../../../test/support/app.ts';
import { noteVerifiers, testSigner } from '../../../../test/support/note-keys.ts';
import { testWith } from '../../../../test/support/programs.ts';
import { exportProof, laptop, openProof } from '../../../../test/support/real-proofs.ts';
import { makeAuthority } from '../../../../test/support/time-stamp-authority.ts';
import { storeProxied } from '../../../../test/support/uploads.ts';
import { findNewestCheckpoint } from '../chain/index.ts';
import type { VoucherKind } from './migrations.ts';
import { insertVoucher } from './queries.ts';

const folder = mkdtempSync(join(tmpdir(), 'evidence-'));
afterAll(() => rmSync(folder, { recursive: true }));

const witnessKey = toTypedKeyText(testSigner('COSIGNATURE', 'one.example'));
/** Nothing listens there. */
const deadWitness = { RECORDPROOF_LEDGER_WITNESSES: `http://127.0.0.1:9 ${witnessKey}` };
const content = Buffer.from('what is proven');

async function prove(app: TestApp, person: Person) {
  const { fileId } = await storeProxied(person, content);
  await app.drain();
  const archive = await exportProof(person, fileId);
  return { fileId, archive, proofId: openProof(archive).manifest.proofId };
}

async function get(person: Person, path: string, headers: Record<string, string> = {}) {
  const response = await person.fetch(path, { headers });
  const bytes = new Uint8Array(await response.arrayBuffer());
  const reason = response.ok || bytes.length === 0 ? undefined : JSON.parse(parseUtf8(bytes)).data?.detail?.reason;
  return { status: response.status, etag: response.headers.get('etag'), bytes, reason };
}

type Answered = { readonly kind: VoucherKind; readonly target: string; readonly content: Uint8Array };

/** As if somebody had answered for the newest checkpoint. */
async function vouchNewest(app: TestApp, answer: (text: string) => Answered): Promise<void> {
  const { db } = app.app.database;
  const newest = await findNewestCheckpoint(db);
  if (newest === null) throw new Error('there is no checkpoint');
  const text = newest.note.slice(0, newest.note.indexOf('\n\n') + 1);
  const voucher = { checkpoint_size: newest.size, stated_at: 1, created_at: 1, ...answer(text) };
  await db.transaction().execute(tx => insertVoucher(tx, voucher));
}

testWith('openssl')(
  'a time stamp is returned with the proof of the entry, alone and packed, and is verified',
  async () => {
    const noSources = { RECORDPROOF_LEDGER_WITNESS_QUORUM: '0' };
    await using app = await startApp({ env: { ...laptop, ...deadWitness, ...noSources } });
    const ada = await app.person('ada');
    const { fileId, archive, proofId } = await prove(app, ada);
    const authority = makeAuthority(folder, { key: 'ECDSA' });
    const path = `/api/v1/public/proofs/${proofId}`;
    expect(await get(app.anonymous, `${path}/tsr`)).toMatchObject({ status: 404, reason: 'NOT_STAMPED' });
    await vouchNewest(app, text => ({
      kind: 'RFC3161',
      target: 'authority',
      content: authority.stamp(sha256(toUtf8(text))),
    }));
    const stamp = await get(app.anonymous, `${path}/tsr`);
    const tlogProof = await get(app.anonymous, `${path}/tlog-proof`);
    expect([stamp.status, tlogProof.status]).toEqual([200, 200]);
    authority.verify(stamp.bytes, toUtf8(parseTlogProof(tlogProof.bytes).note.text));
    const packed = await get(ada, `/api/v1/files/${fileId}/evidence.zip?vouched=true`);
    const evidence = readEvidenceArchive(packed.bytes);
    expect(evidence).toEqual({
      archive: new Uint8Array(archive),
      tlogProof: tlogProof.bytes,
      stamp: stamp.bytes,
      ots: undefined,
    });
    const original = (async function* () {
      yield content;
    })();
    const input = { ...evidence, original, maxOriginalBytes: 1000, roots: authority.roots, required: [] };
    expect(await judgeExistence(input, { ...nodePlatform, noteVerifiers, verifySignature })).toMatchObject({
      outcome: 'EXISTED',
    });
    const known = { 'if-none-match': packed.etag ?? '' };
    expect(await get(ada, `/api/v1/files/${fileId}/evidence.zip`, known)).toMatchObject({
      status: 304,
      etag: packed.etag,
    });
  },
);

/** What a calendar answers that has promised something. */
function pendingAnswer(uri: string): Uint8Array {
  const payload = Buffer.concat([Buffer.from([uri.length]), Buffer.from(uri)]);
  return Buffer.concat([Buffer.from('0083dfe30d2ef90c8e', 'hex'), Buffer.from([payload.length]), payload]);
}

test('an OpenTimestamps file leads from the SHA-256 of the file to the answer of every calendar', async () => {
  const noSources = { RECORDPROOF_LEDGER_WITNESS_QUORUM: '0' };
  await using app = await startApp({ env: { ...laptop, ...deadWitness, ...noSources } });
  const ada = await app.person('ada');
  const { fileId, proofId } = await prove(app, ada);
  await get(app.anonymous, `/api/v1/public/proofs/${proofId}/tlog-proof`); // publishes its entry
  const uris = ['https://one.example', 'https://two.example'];
  for (const uri of uris) await vouchNewest(app, () => ({ kind: 'OTS', target: uri, content: pendingAnswer(uri) }));
  const ots = await get(ada, `/api/v1/files/${fileId}/proof.ots`);
  const beyond = await get(ada, `/api/v1/files/${fileId}/proof.ots?fromSize=1000000`);
  expect(beyond).toMatchObject({ status: 404, reason: 'NOT_IN_CALENDAR' });
  expect(ots.status).toBe(200);
  const stamp = parseOts(ots.bytes);
  expect([stamp.hash, stamp.root.message]).toEqual(['sha256', sha256(content)]);
  const claims = listOtsClaims(stamp.root);
  expect(claims.map(({ attestation }) => attestation)).toEqual(uris.map(uri => ({ kind: 'PENDING', uri })));
  const newest = await findNewestCheckpoint(app.app.database.db);
  expect(claims.map(({ message }) => toHex(message))).toEqual(uris.map(() => newest?.root));
  const packed = await get(ada, `/api/v1/files/${fileId}/evidence.zip`);
  expect(readEvidenceArchive(packed.bytes).ots).toEqual(ots.bytes);
});

test('evidence is returned only to clients with access to the proof, also for many files at once', async () => {
  await using app = await startApp({ env: laptop });
  const [ada, eve] = [await app.person('ada'), await app.person('eve')];
  const { fileId, archive } = await prove(app, ada);
  for (const end of ['evidence.zip', 'proof.ots']) {
    expect((await get(eve, `/api/v1/files/${fileId}/${end}`)).status).toBe(404);
    expect((await get(app.anonymous, `/api/v1/files/${fileId}/${end}`)).status).toBe(401);
  }
  expect(await get(ada, `/api/v1/files/${fileId}/proof.ots`)).toMatchObject({ status: 404, reason: 'NOT_IN_CALENDAR' });
  expect((await get(app.anonymous, `/api/v1/public/proofs/rp-proof-${'0'.repeat(64)}/tsr`)).status).toBe(404);
  const single = await get(ada, `/api/v1/files/${fileId}/evidence.zip`);
  const init = { method: 'POST', body: JSON.stringify({ ids: [fileId, '999999'] }) };
  const response = await ada.fetch('/api/v1/files/evidence-bundles', {
    ...init,
    headers: { 'content-type': 'application/json' },
  });
  const answers = await Array.fromAsync(readFrames(response.body ?? new ReadableStream(), 2 ** 25));
  expect(answers[0]).toEqual(single.bytes);
  expect(readEvidenceArchive(single.bytes)).toEqual({ archive: new Uint8Array(archive) });
  expect(answers[1]).toBeInstanceOf(ApiError);
});

test('a request for vouched evidence gets 409 until it is available, and the proof alone otherwise', async () => {
  await using app = await startApp({ env: { ...laptop, ...deadWitness } });
  const ada = await app.person('ada');
  const { fileId, archive } = await prove(app, ada);
  const path = `/api/v1/files/${fileId}/evidence.zip`;
  expect(await get(ada, `${path}?vouched=true`)).toMatchObject({ status: 409, reason: 'NOT_VOUCHED' });
  expect(readEvidenceArchive((await get(ada, path)).bytes)).toEqual({ archive: new Uint8Array(archive) });
  app.clock.advance(120_000);
  expect((await get(ada, `${path}?vouched=true`)).status).toBe(409);
  expect(readEvidenceArchive((await get(ada, path)).bytes).tlogProof).toBeDefined();
});
