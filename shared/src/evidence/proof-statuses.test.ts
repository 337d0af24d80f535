import { expect, test } from 'vitest';
import type { LedgerEntry, NewLedgerEntry } from './ledger-entry.ts';
import { ProofStatuses } from './proof-statuses.ts';

const dated = (entry: NewLedgerEntry): LedgerEntry => ({
  ...entry,
  schema: 'recordproof.ledger-entry.v1',
  recordedAt: '2026-01-31T12:00:00.000Z',
});
const proofId = `rp-proof-${'a'.repeat(64)}`;
const digest = (letter: string) => `sha256:${letter.repeat(64)}`;
const issued = { kind: 'PROOF_ISSUED', proofId, manifestSha256: digest('b') } as const;
const status = (statusVersion: number, to: 'ACTIVE' | 'SUPERSEDED' | 'REVOKED' | 'INVALID') =>
  ({ kind: 'PROOF_STATUS', proofId, status: to, statusVersion }) as const;
const key = (state: 'IN_USE' | 'RETIRED', letter = 'c') =>
  ({ kind: 'SIGNING_KEY', keyId: 'k', keyVersion: 1, publicKeyFingerprint: digest(letter), state }) as const;
const head = (sequence: number) =>
  ({ kind: 'AUDIT_HEAD', tenantDigest: 'd'.repeat(64), sequence, headHash: 'e'.repeat(64) }) as const;

function read(entries: readonly NewLedgerEntry[]) {
  const statuses = new ProofStatuses();
  const problems = entries.flatMap((entry, position) => statuses.add(dated(entry), position) ?? []);
  return { problems, proof: statuses.statusOf(proofId), counts: statuses.count() };
}

test('the newest status of a proof counts, however many entries are behind it', () => {
  const { problems, proof, counts } = read([
    key('IN_USE'),
    issued,
    head(1),
    status(2, 'SUPERSEDED'),
    status(3, 'REVOKED'),
    head(9),
  ]);
  expect(problems).toEqual([]);
  expect(proof).toEqual({ status: 'REVOKED', statusVersion: 3, position: 4, manifestSha256: digest('b') });
  expect(counts).toEqual({ ACTIVE: 0, SUPERSEDED: 0, REVOKED: 1, INVALID: 0 });
});

test('a proof of an earlier release has a status and no issue, an unknown one nothing', () => {
  expect(read([status(2, 'REVOKED')])).toMatchObject({ problems: [], proof: { status: 'REVOKED' } });
  expect(read([key('IN_USE')]).proof).toBeUndefined();
});

test.each([
  ['issued twice', [issued, { ...issued, manifestSha256: digest('f') }]],
  ['in force again after it was revoked', [issued, status(2, 'REVOKED'), status(3, 'ACTIVE')]],
  ['of a version that is left out', [issued, status(3, 'SUPERSEDED')]],
  ['of a version twice', [issued, status(2, 'SUPERSEDED'), status(2, 'REVOKED')]],
  ['a key that is used again', [key('IN_USE'), key('RETIRED'), key('IN_USE')]],
  ['a key that is recorded twice', [key('IN_USE'), key('IN_USE')]],
  ['another key under the same name', [key('IN_USE'), key('RETIRED', 'f')]],
  ['a key that was never used', [key('RETIRED')]],
  ['an audit log that goes back', [head(7), head(6)]],
] as [string, NewLedgerEntry[]][])('%s is a contradiction', (_, entries) => {
  const { problems } = read(entries);
  expect(problems).toEqual([expect.stringContaining(`entry ${entries.length - 1} `)]);
});
