// @module-tag long-on-postgres
// Attack F: an operator who says ACTIVE to one person and REVOKED to another, and what the entries of the ledger show of it.
import { randomBytes } from 'node:crypto';
import * as api from '@recordproof/shared/api/proofs.ts';
import { parseLedgerEntry } from '@recordproof/shared/evidence/ledger-entry.ts';
import { Findings } from '@recordproof/verifier/audit/audit-report.ts';
import { ProofJudge } from '@recordproof/verifier/audit/judge-proofs.ts';
import { nodePlatform } from '@recordproof/verifier/node/node-platform.ts';
import type { LedgerEntryPositions, LiveEvidence } from '@recordproof/verifier/verify/live-evidence.ts';
import { verifyProof } from '@recordproof/verifier/verify/verify-proof.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Person, startApp, type TestApp } from '../../../../test/support/app.ts';
import { readEntries } from '../../../../test/support/ledger-entries.ts';
import { exportProof, laptop, liveEvidenceOf, openProof } from '../../../../test/support/real-proofs.ts';
import { storeProxied } from '../../../../test/support/uploads.ts';
import { openLocalSigningKeys } from './signing-keys.ts';

let app: TestApp;
let ada: Person;

beforeAll(async () => {
  app = await startApp({ env: laptop });
  ada = await app.person('ada');
});
afterAll(() => app[Symbol.asyncDispose]());

async function prove() {
  const bytes = randomBytes(500);
  const { fileId } = await storeProxied(ada, bytes);
  await app.drain();
  const archive = await exportProof(ada, fileId);
  const { proofId } = openProof(archive).manifest;
  const { ledgerEntries } = await statusOf(proofId);
  if (ledgerEntries === undefined) throw new Error('this server names entries');
  return { bytes, fileId, archive, proofId, entries: ledgerEntries };
}

const statusOf = (proofId: string) => app.anonymous.call(api.getPublicProofStatus, { params: { proofId } });

type Proven = Awaited<ReturnType<typeof prove>>;
type Lie = { readonly version?: number; readonly entries?: Partial<LedgerEntryPositions> | null };

/** What the verifier says when the issuer answers ACTIVE, and with these entries. */
async function judge({ bytes, archive }: Proven, { version = 1, entries = {} }: Lie = {}) {
  const honest = liveEvidenceOf(app.app.url);
  const live: LiveEvidence = {
    ...honest,
    findStatus: async proofId => {
      const answer = await honest.findStatus(proofId);
      const about = answer.kind === 'found' ? answer.value.about : undefined;
      if (about === undefined) return answer;
      const named = entries === null || !about.ledgerEntries ? undefined : { ...about.ledgerEntries, ...entries };
      return {
        kind: 'found',
        value: { status: 'ACTIVE', about: { ...about, statusVersion: version, ledgerEntries: named } },
      };
    },
  };
  const original = (async function* () {
    yield bytes;
  })();
  const report = await verifyProof({ archive, original, maxOriginalBytes: 2 ** 30, live }, nodePlatform);
  return { verdict: [report.outcome, report.reason].filter(word => word !== undefined).join(' '), report };
}

const verdictOf = async (proven: Proven, lie?: Lie) => (await judge(proven, lie)).verdict;

test('a status is verified by its ledger entries as of the end of the ledger', {
  tags: 'long-on-postgres',
}, async () => {
  const proven = await prove();
  const { verdict, report } = await judge(proven);
  expect(verdict).toBe('VALID');
  const { message } = report.checks.find(({ id }) => id === 'status.current') ?? {};
  expect(message).toContain(`as of ${report.summary.statusAsOf}`);
  expect(message).toContain('only who reads all of them');
});

test('an ACTIVE status that refers to the revocation entry is INVALID', { tags: 'long-on-postgres' }, async () => {
  const proven = await prove();
  await ada.call(api.revokeProof, { params: { id: proven.fileId }, body: { reason: 'wrong file' } });
  expect(await verdictOf(proven, { version: 2 })).toBe('INVALID STATUS_ENTRY_MISMATCH');
  expect(await verdictOf(proven, { version: 2, entries: { status: null } })).toBe('INDETERMINATE STATUS_NOT_ON_LEDGER');
});

test('an omitted newer entry is detected by reading the whole ledger', { tags: 'long-on-postgres' }, async () => {
  const proven = await prove();
  await ada.call(api.revokeProof, { params: { id: proven.fileId }, body: { reason: 'wrong file' } });
  expect(await verdictOf(proven, { entries: { status: null } })).toBe('VALID');
  const findings = new Findings();
  const statuses = new ProofJudge(findings, [proven.proofId]);
  const rows = await readEntries(app.app.database.db);
  for (const [at, row] of rows.entries()) statuses.add(parseLedgerEntry(Buffer.from(row.entry)), at);
  expect(findings.list).toEqual([]);
  expect(statuses.statusOf(proven.proofId)).toMatchObject({ status: 'REVOKED', statusVersion: 2 });
});

test('entries of another proof, another key or another kind do not verify a status', {
  tags: 'long-on-postgres',
}, async () => {
  const [proven, other] = [await prove(), await prove()];
  const { issued, keyInUse } = proven.entries;
  expect(await verdictOf(proven, { entries: { issued: other.entries.issued } })).toBe('INVALID ISSUE_ENTRY_MISMATCH');
  expect(await verdictOf(proven, { entries: { issued: keyInUse } })).toBe('INVALID ISSUE_ENTRY_MISMATCH');
  expect(await verdictOf(proven, { entries: { status: issued } })).toBe('INVALID STATUS_ENTRY_MISMATCH');
  expect(await verdictOf(proven, { entries: { keyInUse: issued } })).toBe('INVALID KEY_ENTRY_MISMATCH');
  expect(await verdictOf(proven, { entries: { keyRetired: keyInUse } })).toBe('INVALID KEY_ENTRY_MISMATCH');
});

test('a status without its entries is INDETERMINATE, with the reason', { tags: 'long-on-postgres' }, async () => {
  const proven = await prove();
  const notShown = 'INDETERMINATE STATUS_NOT_ON_LEDGER';
  expect(await verdictOf(proven, { entries: null })).toBe(notShown);
  expect(await verdictOf(proven, { entries: { issued: null } })).toBe(notShown);
  expect(await verdictOf(proven, { entries: { keyInUse: null } })).toBe(notShown);
  expect(await verdictOf(proven, { entries: { issued: 1_000_000 } })).toBe(notShown);
});

test('a proof issued under a retired key stays VALID, and an entry of the wrong key is INVALID', {
  tags: 'long-on-postgres',
}, async () => {
  const proven = await prove();
  const { db } = app.app.database;
  const key = await db.selectFrom('ledger_entry').select('subject').where('kind', '=', 'SIGNING_KEY').execute();
  expect(key).toHaveLength(1);
  const keys = openLocalSigningKeys({ db, folder: app.config.keysFolder, clock: app.clock });
  await keys.addVersion();
  const later = await prove();
  expect(await verdictOf(proven)).toBe('VALID');
  expect(await verdictOf(later)).toBe('VALID');
  expect((await statusOf(proven.proofId)).ledgerEntries).toMatchObject({ keyRetired: expect.any(Number) });
  expect(await verdictOf(later, { entries: { keyInUse: proven.entries.keyInUse } })).toBe('INVALID KEY_ENTRY_MISMATCH');
});

test('proofs issued during key rotations are each within the period of use of their key', async () => {
  const keys = openLocalSigningKeys({
    db: app.app.database.db,
    folder: app.config.keysFolder,
    clock: app.clock,
  });
  const ids: string[] = [];
  for (let round = 0; round < 4; round += 1) {
    const stored = await Promise.all([1, 2, 3].map(() => storeProxied(ada, randomBytes(100))));
    ids.push(...stored.map(({ fileId }) => fileId));
    await Promise.all([app.drain(), keys.addVersion()]);
  }
  await app.drain();
  for (const fileId of ids) {
    const { proofId } = openProof(await exportProof(ada, fileId)).manifest;
    const { issued, keyInUse, keyRetired } = (await statusOf(proofId)).ledgerEntries ?? {};
    expect(issued).toBeGreaterThan(keyInUse ?? Number.POSITIVE_INFINITY);
    expect(issued).toBeLessThan(keyRetired ?? Number.POSITIVE_INFINITY);
  }
});
