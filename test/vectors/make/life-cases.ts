// The life of a proof on the ledger: that it was issued, its newest status, and the use of its key, as the status names them.
import { digestOf } from '@recordproof/shared/evidence/digest.ts';
import { digestProofId, entryTransactionHash, type NewLedgerEntry } from '@recordproof/shared/evidence/ledger-entry.ts';
import { readProofArchive } from '@recordproof/shared/evidence/proof-archive.ts';
import { toBundlePath, toEntryBundle } from '@recordproof/shared/evidence/tlog-tiles.ts';
import { issuerIdentity } from '../../support/proofs.ts';
import { type CannedLedger, type Case, issuerKey } from './case.ts';
import { bytesOf, entries, entryAt, type Log, logOf, minuteBefore, rootAt } from './ledger-log.ts';
import { base, ending, live } from './live-cases.ts';
import { changed } from './resign.ts';

type Positions = Record<'issued' | 'status' | 'keyInUse' | 'keyRetired', number | null>;

type Plan = {
  readonly own?: Uint8Array;
  /** Of the batch; the issue stands right behind it, the key at the beginning. */
  readonly at?: number;
  readonly size?: number;
  readonly issued?: object;
  readonly issuedAt?: string;
  readonly key?: object;
  readonly others?: (positions: Positions) => Record<number, Uint8Array>;
  readonly positions?: Partial<Positions> | null;
  readonly status?: object;
  readonly ledger?: (log: Log) => CannedLedger;
  readonly expected?: Case['expected'];
};

const halfSecondAfter = '2026-01-31T12:00:00.500Z';
const { proofId } = base.status as { proofId: string };
const otherId = `rp-proof-${'0'.repeat(64)}`;
const signingKey = {
  kind: 'SIGNING_KEY',
  keyId: issuerIdentity.keyId,
  keyVersion: issuerIdentity.keyVersion,
  publicKeyFingerprint: issuerKey.fingerprint,
  state: 'IN_USE',
} as const;
const entryOf = (recordedAt: string, entry: object) => entryAt(recordedAt, entry as NewLedgerEntry);
const statusEntry = (status: string, statusVersion = 2, id: string = proofId) =>
  entryOf(halfSecondAfter, { kind: 'PROOF_STATUS', proofIdSha256: digestProofId(id), status, statusVersion });

async function alive(name: string, why: string, plan: Plan = {}): Promise<Case> {
  const { own = rootAt(minuteBefore), at = 2, size = at + 3, expected = { outcome: 'VALID' } } = plan;
  const chainEntry = { blockNumber: at, batchTransactionHash: entryTransactionHash(own) };
  const archive = await changed(entries, 'blockchain-receipt.json', r => Object.assign(r, chainEntry));
  const manifestSha256 = digestOf(readProofArchive(archive)['manifest.json']);
  const positions: Positions = { issued: at + 1, status: null, keyInUse: 0, keyRetired: null };
  const honest = {
    0: entryOf(minuteBefore, { ...signingKey, ...plan.key }),
    [at + 1]: entryOf(plan.issuedAt ?? halfSecondAfter, {
      kind: 'PROOF_ISSUED',
      proofIdSha256: digestProofId(proofId),
      manifestSha256,
      ...plan.issued,
    }),
  };
  const log = await logOf(own, at, size, minuteBefore, { ...honest, ...plan.others?.(positions) });
  const ledgerEntries = plan.positions === null ? undefined : { ...positions, ...plan.positions };
  const chain = { blockNumber: at, transactionHash: chainEntry.batchTransactionHash };
  const answers = live({ manifestSha256, ledgerEntries, ...plan.status }, chain);
  const ledger = plan.ledger?.(log) ?? log.files;
  return { name, why, archive, trustedKey: 'issuer.json', live: { ...answers, ledger }, expected };
}

const wrong = (code: string) => ending('INVALID', 'status.current', code);
const open = (code = 'STATUS_NOT_ON_LEDGER') => ending('INDETERMINATE', 'status.current', code);
const twice = { statusVersion: 2 };
const retiredAt = (recordedAt: string, at: number, changes: object = {}) => ({
  others: () => ({ [at]: entryOf(recordedAt, { ...signingKey, state: 'RETIRED', ...changes }) }),
  positions: { keyRetired: at },
});
const otherManifest = { manifestSha256: `sha256:${'0'.repeat(64)}` };

const sound: readonly Promise<Case>[] = [
  alive('date-ledger-plain', 'The ledger recorded the batch before the proof was issued.'),
  alive('date-ledger-large', 'The same in a ledger of 700 entries: the path needs tiles of two levels.', { size: 700 }),
  alive('date-ledger-last', 'The entry is the last of a bundle that is full.', { at: 255, size: 300 }),
  alive('date-ledger-skew', 'Recorded four seconds later, by the clock of another server of the same ledger.', {
    own: rootAt('2026-01-31T12:00:04.000Z'),
    size: 4,
  }),
  alive('life-last', 'The entry of the issue is the last one that the checkpoint covers.', { size: 4 }),
  alive('life-old', 'Issued before its key was on the ledger: there is no entry of its issue.', {
    others: () => ({ 4: entryOf(halfSecondAfter, signingKey) }),
    positions: { issued: null, keyInUse: 4 },
  }),
  alive('life-in-force-again', 'The newest entry says that the proof is in force, as the issuer does.', {
    others: () => ({ 4: statusEntry('ACTIVE', 3) }),
    positions: { status: 4 },
    status: { statusVersion: 3 },
  }),
  alive('life-retired-since', 'The key was retired after the proof was issued.', retiredAt(halfSecondAfter, 4)),
  alive('life-skew', 'Issued five seconds earlier by the clock of the server that recorded it.', {
    issuedAt: '2026-01-31T11:59:55.000Z',
  }),
  alive('life-newer-member', 'The positions have a member that a later release may know.', {
    status: { ledgerEntries: { issued: 3, status: null, keyInUse: 0, keyRetired: null, later: 1 } },
  }),
];

const unclear: readonly Promise<Case>[] = [
  alive('life-no-entries', 'A server of an earlier release names no entries.', { positions: null, expected: open() }),
  alive('life-null', 'The issuer says that there are no entries.', {
    status: { ledgerEntries: null },
    expected: open(),
  }),
  alive('life-no-key', 'No entry of the key is named.', { positions: { keyInUse: null }, expected: open() }),
  alive('life-no-issue', 'The batch is behind the key on the ledger, and no entry of the issue is named.', {
    positions: { issued: null },
    expected: open(),
  }),
  alive('life-unrecorded', 'The batch is older than the key on the ledger, the proof is not, and no issue is named.', {
    others: () => ({ 3: entryOf(minuteBefore, signingKey) }),
    positions: { issued: null, keyInUse: 3 },
    expected: open(),
  }),
  alive('life-no-status', 'The status is the second one, and no entry of it is named.', {
    status: twice,
    expected: open(),
  }),
  alive('life-behind', 'The checkpoint ends before the entry of the issue.', {
    positions: { issued: 5 },
    expected: open(),
  }),
  alive('life-odd-position', 'A position is no number from 0.', {
    positions: { issued: -1 },
    expected: open('STATUS_ANSWER_MALFORMED'),
  }),
  alive('life-member-missing', 'The positions do not say whether the key was retired.', {
    status: { ledgerEntries: { issued: 3, status: null, keyInUse: 0 } },
    expected: open('STATUS_ANSWER_MALFORMED'),
  }),
  ...(
    [
      ['unknown', 404, 'UNKNOWN'],
      ['down', 503, 'ANSWER_NOT_OK'],
      ['moved', 302, 'REDIRECT_REFUSED'],
    ] as const
  ).map(([name, status, code]) =>
    alive(`life-${name}`, `Asked for the bundle with the entry of the issue, the ledger answers ${status}.`, {
      at: 255,
      size: 300,
      ledger: ({ files }) => ({ ...files, [toBundlePath(1, 44)]: { status } }),
      expected: open(`LEDGER_${code}`),
    }),
  ),
  alive('life-not-included', 'The bundle shows an entry of the issue that is not under the root.', {
    at: 255,
    size: 300,
    issued: otherManifest,
    ledger: ({ files, entries: all }) => ({
      ...files,
      [toBundlePath(1, 44)]: bytesOf(toEntryBundle(all.slice(256).with(0, all[257] ?? new Uint8Array(0)))),
    }),
    expected: open('LEDGER_ANSWER_MALFORMED'),
  }),
];

const unsound: readonly Promise<Case>[] = [
  alive('life-other-manifest', 'The ledger holds another manifest under the id of the proof.', {
    issued: otherManifest,
    expected: wrong('ISSUE_ENTRY_MISMATCH'),
  }),
  alive('life-other-proof', 'The entry that is named is about another proof.', {
    issued: { proofIdSha256: digestProofId(otherId) },
    expected: wrong('ISSUE_ENTRY_MISMATCH'),
  }),
  alive('life-issue-other-kind', 'The entry that is named for the issue is that of the batch.', {
    positions: { issued: 2 },
    expected: wrong('ISSUE_ENTRY_MISMATCH'),
  }),
  alive('life-postdated', 'The proof is dated more than five seconds after the ledger recorded its issue.', {
    issuedAt: '2026-01-31T11:59:54.000Z',
    expected: wrong('ISSUE_ENTRY_MISMATCH'),
  }),
  alive('life-revoked', 'The issuer says ACTIVE, and the entry that it names says REVOKED.', {
    others: () => ({ 4: statusEntry('REVOKED') }),
    positions: { status: 4 },
    status: twice,
    expected: wrong('STATUS_ENTRY_MISMATCH'),
  }),
  alive('life-revoked-version-one', 'The same; the issuer says that it is the first status.', {
    others: () => ({ 4: statusEntry('REVOKED') }),
    positions: { status: 4 },
    expected: wrong('STATUS_ENTRY_MISMATCH'),
  }),
  alive('life-status-of-other', 'The entry that is named for the status is that of another proof.', {
    others: () => ({ 4: statusEntry('ACTIVE', 2, otherId) }),
    positions: { status: 4 },
    status: twice,
    expected: wrong('STATUS_ENTRY_MISMATCH'),
  }),
  alive('life-older-status', 'The entry that is named for the status is an older one.', {
    others: () => ({ 4: statusEntry('ACTIVE') }),
    positions: { status: 4 },
    status: { statusVersion: 3 },
    expected: wrong('STATUS_ENTRY_MISMATCH'),
  }),
  alive('life-status-other-kind', 'The entry that is named for the status is that of the issue.', {
    positions: { status: 3 },
    expected: wrong('STATUS_ENTRY_MISMATCH'),
  }),
  alive('life-key-version', 'The entry that is named for the key is about another version.', {
    key: { keyVersion: issuerIdentity.keyVersion + 1 },
    expected: wrong('KEY_ENTRY_MISMATCH'),
  }),
  alive('life-key-fingerprint', 'The ledger holds another key under this name.', {
    key: { publicKeyFingerprint: `sha256:${'0'.repeat(64)}` },
    expected: wrong('KEY_ENTRY_MISMATCH'),
  }),
  alive('life-key-state', 'The entry that is named for the use of the key retired it.', {
    key: { state: 'RETIRED' },
    expected: wrong('KEY_ENTRY_MISMATCH'),
  }),
  alive('life-key-other-kind', 'The entry that is named for the key is that of the batch.', {
    positions: { keyInUse: 2 },
    expected: wrong('KEY_ENTRY_MISMATCH'),
  }),
  alive('life-retired-other', 'The entry that is named for the retirement is about another key.', {
    ...retiredAt(halfSecondAfter, 4, { keyId: 'another' }),
    expected: wrong('KEY_ENTRY_MISMATCH'),
  }),
  alive('life-retired-before', 'The proof is dated after the ledger recorded that its key was retired.', {
    ...retiredAt('2026-01-31T11:59:54.000Z', 4),
    expected: wrong('KEY_NOT_IN_USE'),
  }),
  alive('life-issued-by-retired', 'The ledger recorded the issue behind the retirement of the key.', {
    ...retiredAt(halfSecondAfter, 1),
    expected: wrong('KEY_NOT_IN_USE'),
  }),
  alive('life-issued-before-key', 'The ledger recorded the issue before the key was in use.', {
    others: () => ({ 4: entryOf(halfSecondAfter, signingKey) }),
    positions: { keyInUse: 4 },
    expected: wrong('KEY_NOT_IN_USE'),
  }),
  alive('life-withdrawn', 'The status says REVOKED, whatever entries it names.', {
    status: { ...twice, status: 'REVOKED' },
    expected: wrong('STATUS_REVOKED'),
  }),
];

export const lifeCases: readonly Case[] = await Promise.all([...sound, ...unclear, ...unsound]);
