// Audits of proofs, signing keys and audit logs: contradictions within the ledger, and with the answers of its server.

import { writeFileSync } from 'node:fs';
import { toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { digestProofId } from '@recordproof/shared/evidence/ledger-entry.ts';
import { type ProofEntries, proofEntryNames, writeProofArchive } from '@recordproof/shared/evidence/proof-archive.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Audits, at, openAudits, runVerifier } from '../../../test/support/audit-runs.ts';
import { writeEntry } from '../../../test/support/operator-log.ts';

let audits: Audits;
beforeEach(async () => {
  audits = await openAudits();
});
afterEach(() => audits[Symbol.asyncDispose]());

const proofId = (number: number) => `rp-proof-${number.toString(16).padStart(64, '0')}`;
const digestOfNumber = (number: number) => `sha256:${number.toString(16).padStart(64, '0')}`;
const issued = (number: number, manifest = number) =>
  writeEntry(at(600), {
    kind: 'PROOF_ISSUED',
    proofIdSha256: digestProofId(proofId(number)),
    manifestSha256: digestOfNumber(manifest),
  });
const status = (number: number, word: string, statusVersion: number) =>
  writeEntry(at(600), {
    kind: 'PROOF_STATUS',
    proofIdSha256: digestProofId(proofId(number)),
    status: word,
    statusVersion,
  });
const signingKey = (state: string, fingerprint = 1) =>
  writeEntry(at(600), {
    ...{ kind: 'SIGNING_KEY', keyId: 'issuer', keyVersion: 1, state },
    publicKeyFingerprint: digestOfNumber(fingerprint),
  });
const head = (sequence: number) =>
  writeEntry(at(600), { kind: 'AUDIT_HEAD', tenantDigest: 'ab'.repeat(32), sequence, headHash: 'cd'.repeat(32) });

test.each([
  ['valid steps', [], [signingKey('IN_USE'), issued(1), status(1, 'SUPERSEDED', 2), status(1, 'REVOKED', 3)]],
  [
    'active again after what superseded it was revoked',
    [],
    [signingKey('IN_USE'), issued(1), status(1, 'SUPERSEDED', 2), status(1, 'ACTIVE', 3)],
  ],
  ['active a second time', ['STATUS_TAKEN_BACK'], [issued(1), status(1, 'ACTIVE', 2)]],
  ['a status of an older proof', [], [status(7, 'REVOKED', 3)]],
  ['audit logs that grow', [], [head(3), head(9)]],
  ['a proof that is issued twice', ['PROOF_TWICE'], [issued(1), issued(1, 2)]],
  [
    'active again after it was revoked',
    ['STATUS_TAKEN_BACK'],
    [issued(1), status(1, 'REVOKED', 2), status(1, 'ACTIVE', 3)],
  ],
  [
    'superseded after it was revoked',
    ['STATUS_TAKEN_BACK'],
    [issued(1), status(1, 'REVOKED', 2), status(1, 'SUPERSEDED', 3)],
  ],
  [
    'a duplicate status version',
    ['STATUS_TAKEN_BACK'],
    [issued(1), status(1, 'SUPERSEDED', 2), status(1, 'REVOKED', 2)],
  ],
  ['a skipped status version', ['STATUS_TAKEN_BACK'], [issued(1), status(1, 'SUPERSEDED', 3)]],
  ['a key that is in use twice', ['KEY_CHANGED'], [signingKey('IN_USE'), signingKey('IN_USE')]],
  ['a key that is retired and was never in use', ['KEY_CHANGED'], [signingKey('RETIRED')]],
  ['a key in use again', ['KEY_CHANGED'], [signingKey('IN_USE'), signingKey('RETIRED'), signingKey('IN_USE')]],
  ['another key under the same name', ['KEY_CHANGED'], [signingKey('IN_USE'), signingKey('RETIRED', 2)]],
  ['a proof after all keys were retired', ['KEY_RETIRED'], [signingKey('IN_USE'), signingKey('RETIRED'), issued(1)]],
  ['an audit log that went back', ['AUDIT_LOG_WENT_BACK'], [head(9), head(3)]],
])('ledger entries of proofs, keys and audit logs: %s', async (_, expected, added) => {
  await audits.show([...audits.log.entries, ...added]);
  const { code, found } = await audits.audit();
  expect([code, found]).toEqual([expected.length === 0 ? 0 : 2, expected]);
});

test('a proof archive whose manifest names no proof is wrong usage', async () => {
  const named = (text: string) => {
    const entries = Object.fromEntries(proofEntryNames.map(name => [name, toUtf8(`{"proofId":"${text}"}`)]));
    writeFileSync(audits.path('proof.zip'), writeProofArchive(entries as ProofEntries));
    return runVerifier('audit', audits.site.url, '--key', audits.log.key, '--proof', audits.path('proof.zip'));
  };
  expect((await named(proofId(1))).code).toBe(3);
  expect((await named('../../admin')).code).toBe(64);
});

test('attack F: a status from the server that differs from the ledger is a contradiction', async () => {
  await audits.show([
    ...audits.log.entries,
    issued(1),
    status(1, 'REVOKED', 2),
    issued(2),
    issued(3),
    signingKey('IN_USE'),
  ]);
  const answer = (number: number, changes = {}) =>
    audits.site.files.set(
      `api/v1/public/proofs/${proofId(number)}/status`,
      toUtf8(JSON.stringify({ code: 200, data: { ...statusOf(number), ...changes } })),
    );
  const statusOf = (number: number) => ({
    ...{ proofId: proofId(number), status: 'ACTIVE', statusVersion: 1, issuedStatus: 'ACTIVE', reason: null },
    ...{
      keyId: 'issuer',
      keyVersion: 1,
      issuedAt: at(600),
      updatedAt: at(600),
      manifestSha256: digestOfNumber(number),
    },
  });
  const about = async () =>
    (await audits.audit(...[1, 2, 3].flatMap(number => ['--proof', proofId(number)]))).report.findings.filter(
      ({ code }) => code !== 'ANSWER_WITHHELD',
    );
  const found = async () => (await about()).map(({ code, positions }) => [code, ...positions]);
  answer(1, { status: 'REVOKED', statusVersion: 2 });
  answer(2);
  answer(3);
  expect(await found()).toEqual([]);
  answer(1);
  answer(2, { status: 'REVOKED', statusVersion: 2 });
  answer(3, { manifestSha256: digestOfNumber(4) });
  expect(await found()).toEqual([
    ['ANSWER_MISMATCH', 601],
    ['ANSWER_NEWER', 602],
    ['ANSWER_MISMATCH', 603],
  ]);
});
