// Ledger entries on proofs and their signing keys, committed with the change they record.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { ProofLedgerEntries, ProofState } from '@recordproof/shared/api/proofs.ts';
import { toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import {
  digestProofId,
  type NewLedgerEntry,
  parseLedgerEntry,
  subjectOf,
} from '@recordproof/shared/evidence/ledger-entry.ts';
import type { AliasedRawBuilder } from 'kysely';
import type { Clock } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/tables.ts';
import { ChainError, findLog, listEntriesAbout, lockEnd, positionOf, recordWithin } from '../chain/index.ts';
import { listKeys, type ProofKeyRow, type ProofRow } from './queries.ts';

/** Maps the error of a ledger that rejects entries because of a wrong clock: nothing was changed. */
export async function whereLedgerTakes<T>(work: Promise<T>): Promise<T> {
  return work.catch(error => {
    if (!(error instanceof ChainError)) throw error;
    throw new ApiError('SERVICE_UNAVAILABLE', `nothing was changed: ${error.message}`, { cause: error });
  });
}

type EntryRow = Awaited<ReturnType<typeof listEntriesAbout>>[number];

/** Digest of the issued manifest. Null if it was unreadable in an earlier release. */
export const findManifestDigest = ({ manifest_sha256 }: Pick<ProofRow, 'manifest_sha256'>): string | null =>
  manifest_sha256 === '' ? null : `sha256:${manifest_sha256}`;

type NewStatus = Extract<NewLedgerEntry, { kind: 'PROOF_STATUS' }>;

const toStatusEntry = ({ proof_id, status, status_version: statusVersion }: ProofRow): NewStatus => ({
  kind: 'PROOF_STATUS',
  proofIdSha256: digestProofId(proof_id),
  status,
  statusVersion,
});

/** For new proofs. One that is superseded from the start has two entries. */
export const toIssuedEntries = (proofs: readonly ProofRow[]): NewLedgerEntry[] =>
  proofs.flatMap(proof => {
    const manifestSha256 = findManifestDigest(proof);
    if (manifestSha256 === null) throw new Error(`internal: the new proof ${proof.proof_id} has no manifest`);
    const issued = { kind: 'PROOF_ISSUED', proofIdSha256: digestProofId(proof.proof_id), manifestSha256 } as const;
    return proof.status_version === 1 ? [issued] : [issued, toStatusEntry(proof)];
  });

/** For proofs with a changed status. */
export const toStatusEntries = (proofs: readonly ProofRow[]): NewLedgerEntry[] => proofs.map(toStatusEntry);

const toIssuedSubject = ({ manifest_sha256 }: ProofRow): string[] => (manifest_sha256 === '' ? [] : [manifest_sha256]);

/** The entry of issue. Null for proofs of earlier releases. */
export async function findIssuedEntry(db: Db, proof: ProofRow): Promise<EntryRow | null> {
  return (await listEntriesAbout(db, 'PROOF_ISSUED', toIssuedSubject(proof)))[0] ?? null;
}

const toStatusSubject = (proof: ProofRow, version: number): string =>
  subjectOf({ ...toStatusEntry(proof), statusVersion: version });

export type OnLedger = {
  /** The ledger entries that agree with the row. */
  readonly positions: ProofLedgerEntries;
  /** The ledger has a later status, as in `listForgotten`. */
  readonly isAhead: boolean;
};

/** The entries about a proof and its key: name, kind and subject of each. */
const entriesOfProof = [
  ['issued', 'PROOF_ISSUED', (proof: ProofRow) => toIssuedSubject(proof)[0] ?? ''],
  ['status', 'PROOF_STATUS', (proof: ProofRow) => toStatusSubject(proof, proof.status_version)],
  ['nextStatus', 'PROOF_STATUS', (proof: ProofRow) => toStatusSubject(proof, proof.status_version + 1)],
  ['keyInUse', 'SIGNING_KEY', (proof: ProofRow) => `${proof.key_id}/${proof.key_version}/IN_USE`],
  ['keyRetired', 'SIGNING_KEY', (proof: ProofRow) => `${proof.key_id}/${proof.key_version}/RETIRED`],
] as const;

type LedgerPositions = Readonly<Record<`ledger.${(typeof entriesOfProof)[number][0]}`, number | null>>;

/** In the order of `entriesOfProof`. */
export const toLedgerSubjects = (proof: ProofRow): string[] =>
  entriesOfProof.map(([, , toSubject]) => toSubject(proof));

/** For use in a larger statement. */
export const selectPositions = (
  subjects: readonly string[],
): AliasedRawBuilder<number | null, keyof LedgerPositions>[] =>
  entriesOfProof.map(([name, kind], at) => positionOf(kind, subjects[at] as string).as(`ledger.${name}`));

export const toOnLedger = (row: LedgerPositions): OnLedger => ({
  positions: {
    issued: row['ledger.issued'],
    status: row['ledger.status'],
    keyInUse: row['ledger.keyInUse'],
    keyRetired: row['ledger.keyRetired'],
  },
  isAhead: row['ledger.nextStatus'] !== null,
});

/** The ledger entries of a proof, in one statement. */
export const readLedger = async (db: Db, proof: ProofRow): Promise<OnLedger> =>
  toOnLedger(await db.selectNoFrom(selectPositions(toLedgerSubjects(proof))).executeTakeFirstOrThrow());

/**
 * Later statuses of the proofs on the ledger. They exist only when the database is from an older backup than the
 * ledger.
 */
export async function listForgotten(db: Db, proofs: readonly ProofRow[]): Promise<ReadonlyMap<string, ProofState>> {
  const bySubject = new Map(proofs.map(proof => [toStatusSubject(proof, proof.status_version + 1), proof.proof_id]));
  const rows = await listEntriesAbout(db, 'PROOF_STATUS', [...bySubject.keys()]);
  return new Map(
    rows.flatMap(({ subject, entry: bytes }): [string, ProofState][] => {
      const [proofId, entry] = [bySubject.get(subject), parseLedgerEntry(toUtf8(bytes))];
      return proofId !== undefined && entry.kind === 'PROOF_STATUS' ? [[proofId, entry.status]] : [];
    }),
  );
}

const toKeyEntries = ({ key_id, key_version, fingerprint, status }: ProofKeyRow): NewLedgerEntry[] => {
  const states = status === 'RETIRED' ? (['IN_USE', 'RETIRED'] as const) : (['IN_USE'] as const);
  return states.map(state => ({
    kind: 'SIGNING_KEY',
    keyId: key_id,
    keyVersion: key_version,
    publicKeyFingerprint: fingerprint,
    state,
  }));
};

/**
 * Adds signing keys missing on the ledger, in the caller's transaction. Before the first server start there is no
 * ledger: they are recorded then.
 */
export async function recordSigningKeys(tx: Tx, clock: Clock): Promise<void> {
  if ((await findLog(tx)) === null) return;
  // Of servers that start concurrently, one records them.
  await lockEnd(tx);
  const entries = (await listKeys(tx)).flatMap(toKeyEntries);
  const recorded = new Set((await listEntriesAbout(tx, 'SIGNING_KEY', entries.map(subjectOf))).map(row => row.subject));
  await recordWithin(
    tx,
    clock,
    entries.filter(entry => !recorded.has(subjectOf(entry))),
  );
}
