// The date of a proof: the status names the manifest that was issued, the key the time in which it signed, and the ledger
// the time at which it recorded the batch.
import { localLedger } from '@recordproof/shared/evidence/chain-identity.ts';
import { signCheckpoint } from '@recordproof/shared/evidence/checkpoint.ts';
import { digestOf } from '@recordproof/shared/evidence/digest.ts';
import { entryTransactionHash } from '@recordproof/shared/evidence/ledger-entry.ts';
import { buildMerkleTree, hashLeaf } from '@recordproof/shared/evidence/merkle.ts';
import { readProofArchive } from '@recordproof/shared/evidence/proof-archive.ts';
import { toBundlePath, toEntryBundle } from '@recordproof/shared/evidence/tlog-tiles.ts';
import { testKey } from '../../support/ed25519.ts';
import { ledgerName } from '../../support/proofs.ts';
import { type CannedLedger, type Case, issuerKey, keyFile } from './case.ts';
import { bytesOf, entries, logOf, minuteBefore, receipt, recordAt, rootAt } from './ledger-log.ts';
import { answered, base, ending, enveloped, key, live } from './live-cases.ts';
import { changed } from './resign.ts';

const position = 2;
const own = rootAt(minuteBefore);
const plainLog = await logOf(own, position, 5);

type Changes = { entry?: Uint8Array; at?: number; expected: Case['expected']; receipt?: object };

/** A proof whose receipt names the entry, and the ledger that is shown. */
async function onLedger(name: string, why: string, ledger: CannedLedger, changes: Changes): Promise<Case> {
  const { entry = own, at = position, expected } = changes;
  const batchTransactionHash = entryTransactionHash(entry);
  const chainEntry = { blockNumber: at, batchTransactionHash };
  const archive = await changed(entries, 'blockchain-receipt.json', r => Object.assign(r, chainEntry, changes.receipt));
  const chain = { blockNumber: at, transactionHash: batchTransactionHash };
  const status = { manifestSha256: digestOf(readProofArchive(archive)['manifest.json']) };
  return {
    name: `date-ledger-${name}`,
    why,
    archive,
    trustedKey: 'issuer.json',
    live: { ...live(status, chain), ledger },
    expected,
  };
}

const unsound = (code: string) => ending('INVALID', 'chain.live-root', code);
const unclear = (code: string) => ending('INDETERMINATE', 'chain.live-root', code);
const instead = (path: string, answer: CannedLedger[string]): CannedLedger => ({ ...plainLog.files, [path]: answer });
const bundlePath = toBundlePath(0, 5);

const onLedgers: readonly Case[] = await Promise.all([
  dated(
    'later',
    'The proof is dated six seconds before its batch was recorded.',
    '06.000Z',
    unsound('CHAIN_TIME_MISMATCH'),
  ),
  onLedger(
    'disorder',
    'An entry before that of the batch states a later time.',
    (await logOf(own, 2, 5, '2026-01-31T12:30:00.000Z')).files,
    {
      expected: unclear('CHAIN_TIME_DISORDER'),
    },
  ),
  onLedger(
    'other-root',
    'The entry at this place is about another root.',
    await otherEntry({ merkleRoot: '0'.repeat(64) }),
    {
      entry: rootAt(minuteBefore, { merkleRoot: '0'.repeat(64) }),
      expected: unsound('CHAIN_ENTRY_MISMATCH'),
    },
  ),
  onLedger('other-batch', 'The entry at this place is about another batch.', await otherEntry({ batchNo: 'MB-18' }), {
    entry: rootAt(minuteBefore, { batchNo: 'MB-18' }),
    expected: unsound('CHAIN_ENTRY_MISMATCH'),
  }),
  onLedger('other-transaction', 'The receipt names the transaction of no entry.', plainLog.files, {
    entry: recordAt(77, minuteBefore),
    expected: unsound('CHAIN_ENTRY_MISMATCH'),
  }),
  onLedger('too-small', 'The signed ledger ends before the entry.', plainLog.files, {
    at: 5,
    expected: unsound('CHAIN_ENTRY_MISMATCH'),
  }),
  onLedger(
    'not-included',
    'The bundle holds the entry, and the signed root does not carry it.',
    instead(bundlePath, bytesOf(toEntryBundle(plainLog.entries.with(2, rootAt('2026-01-31T11:58:00.000Z'))))),
    {
      entry: rootAt('2026-01-31T11:58:00.000Z'),
      expected: unclear('LEDGER_ANSWER_MALFORMED'),
    },
  ),
  onLedger(
    'neighbour-changed',
    'An entry beside that of the batch is not the one under the root.',
    instead(bundlePath, bytesOf(toEntryBundle(plainLog.entries.with(4, recordAt(9, minuteBefore))))),
    {
      expected: unclear('LEDGER_ANSWER_MALFORMED'),
    },
  ),
  onLedger('other-signer', 'The checkpoint is signed by another key.', await signedByOther(), {
    expected: unclear('LEDGER_ANSWER_MALFORMED'),
  }),
  ...(
    [
      ['unknown', 404, 'UNKNOWN'],
      ['down', 503, 'ANSWER_NOT_OK'],
      ['moved', 302, 'REDIRECT_REFUSED'],
    ] as const
  ).map(([name, status, code]) =>
    onLedger(name, `Asked for the entries, the ledger answers ${status}.`, instead(bundlePath, { status }), {
      expected: unclear(`LEDGER_${code}`),
    }),
  ),
]);

async function dated(name: string, why: string, seconds: string, expected: Case['expected']): Promise<Case> {
  const recordedAt = `2026-01-31T12:00:${seconds}`;
  const entry = rootAt(recordedAt);
  return onLedger(name, why, (await logOf(entry, position, 3)).files, { entry, expected });
}

async function otherEntry(changes: object): Promise<CannedLedger> {
  return (await logOf(rootAt(minuteBefore, changes), position, 5)).files;
}

async function signedByOther(): Promise<CannedLedger> {
  const other = testKey('another ledger');
  const root = buildMerkleTree(plainLog.entries.map(entry => hashLeaf(entry))).root;
  const signer = { name: ledgerName, publicKey: other.publicKey, sign: other.sign };
  return instead('checkpoint', bytesOf(await signCheckpoint({ origin: ledgerName, size: 5, root }, [signer])));
}

const forged = ending('INVALID', 'status.current', 'STATUS_IDENTITY_MISMATCH');
const digest = `sha256:${'0'.repeat(64)}`;
const olderServer = (member: string): Case['live'] => {
  const { [member]: _, ...status } = base.status;
  return { ...live(), proofStatus: enveloped(status) };
};

const statuses: readonly Case[] = [
  answered(
    'date-status-other-manifest',
    'The issuer issued another manifest under this id.',
    live({ manifestSha256: digest }),
    forged,
  ),
  answered(
    'date-status-other-content',
    'The issuer issued this proof for another file.',
    live({ contentHash: digest }),
    forged,
  ),
  answered(
    'date-status-earlier',
    'The proof is dated a second before it was issued.',
    live({ issuedAt: '2026-01-31T12:00:01.000Z' }),
    forged,
  ),
  answered(
    'date-status-earlier-number',
    'The same, with the true time as a number.',
    live({ issuedAt: 1769860801000 }),
    forged,
  ),
  answered(
    'date-status-other-zone',
    'The same instant in another time zone.',
    live({ issuedAt: '2026-01-31T20:00:00+08:00' }),
    {
      outcome: 'VALID',
    },
  ),
  ...['manifestSha256', 'contentHash'].map(member =>
    answered(
      `date-status-without-${member}`,
      `A server of an earlier release does not send ${member}.`,
      olderServer(member) ?? live(),
      ending('INDETERMINATE', 'status.current', 'STATUS_INCOMPLETE'),
    ),
  ),
  answered(
    'date-status-null',
    'The issuer cannot tell the manifest any more.',
    live({ manifestSha256: null }),
    ending('INDETERMINATE', 'status.current', 'STATUS_INCOMPLETE'),
  ),
  answered(
    'date-status-odd-digest',
    'The digest of the manifest is none.',
    live({ manifestSha256: 'abc' }),
    ending('INDETERMINATE', 'status.current', 'STATUS_ANSWER_MALFORMED'),
  ),
];

const usedBetween = (usedFrom: unknown, usedUntil: unknown) =>
  key(enveloped({ ...JSON.parse(keyFile(issuerKey)), usedFrom, usedUntil }));
const unused = ending('INVALID', 'signature.key', 'KEY_NOT_IN_USE');

const keys: readonly Case[] = [
  answered(
    'date-key-later',
    'The proof is dated before its key began to sign.',
    usedBetween('2026-01-31T12:00:06.000Z', null),
    unused,
    '',
  ),
  answered(
    'date-key-retired',
    'The proof is dated after its key was retired.',
    usedBetween('2025-01-01T00:00:00.000Z', '2026-01-31T11:59:54.000Z'),
    unused,
    '',
  ),
  answered(
    'date-key-skew',
    'The clocks of two servers differ by five seconds.',
    usedBetween('2026-01-31T12:00:05.000Z', null),
    { outcome: 'VALID' },
    '',
  ),
  answered(
    'date-key-retired-since',
    'The key was retired after the proof was issued.',
    usedBetween(1700000000000, '2026-02-01T00:00:00.000Z'),
    { outcome: 'VALID' },
    '',
  ),
  answered(
    'date-key-without-period',
    'A server of an earlier release does not say when the key signed.',
    key(enveloped(JSON.parse(keyFile(issuerKey)))),
    ending('INDETERMINATE', 'signature.key', 'KEY_PERIOD_UNKNOWN'),
    '',
  ),
  answered(
    'date-key-odd-period',
    'The time at which the key began to sign is none.',
    usedBetween('yesterday', null),
    ending('INDETERMINATE', 'signature.key', 'KEY_ANSWER_MALFORMED'),
    '',
  ),
];

if (receipt.contract.chainType !== localLedger) throw new Error('the vectors are of a ledger');

export const dateCases: readonly Case[] = [...onLedgers, ...statuses, ...keys].map(item => ({
  ...item,
  name: item.name.replace(/^live-/, ''),
}));
