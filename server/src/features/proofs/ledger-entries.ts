// What the ledger says of proofs and of the keys that sign them: entries that come with the commit of the change they tell of.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { ProofLedgerEntries, ProofState } from '@recordproof/shared/api/proofs.ts';
import { digestOf, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { parseJws } from '@recordproof/shared/evidence/jws.ts';
import { digestProofId, parseLedgerEntry, subjectOf } from '@recordproof/shared/evidence/ledger-entry.ts';
import { sha256 } from '@recordproof/shared/node/sha256.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/tables.ts';
import { ChainError, findLog, listEntriesAbout, lockEnd, type NewEntry, recordWithin } from '../chain/index.ts';
import { listKeys, type ProofKeyRow, type ProofRow } from './queries.ts';

/** What a ledger that takes no entry, because of a clock, means to the caller: nothing was changed. */
export async function whereLedgerTakes<T>(work: Promise<T>): Promise<T> {
  return work.catch(error => {
    if (!(error instanceof ChainError)) throw error;
    throw new ApiError('SERVICE_UNAVAILABLE', `nothing was changed: ${error.message}`, { cause: error });
  });
}

type EntryRow = Awaited<ReturnType<typeof listEntriesAbout>>[number];

/** Of the manifest that was issued: the payload of the signature. Null where the signature is damaged. */
export function findManifestDigest({ jws }: Pick<ProofRow, 'jws'>): string | null {
  try {
    return digestOf(parseJws(toUtf8(jws)).payload, sha256);
  } catch {
    return null;
  }
}

type NewIssued = Extract<NewEntry, { kind: 'PROOF_ISSUED' }>;
type NewStatus = Extract<NewEntry, { kind: 'PROOF_STATUS' }>;

const toStatusEntry = ({ proof_id, status, status_version: statusVersion }: ProofRow): NewStatus => ({
  kind: 'PROOF_STATUS',
  proofIdSha256: digestProofId(proof_id, sha256),
  status,
  statusVersion,
});

/** For proofs that are new. One that is superseded from the start has two entries. */
export const toIssuedEntries = (proofs: readonly ProofRow[]): NewEntry[] =>
  proofs.flatMap(proof => {
    const manifestSha256 = findManifestDigest(proof);
    if (manifestSha256 === null) throw new Error('the signature of a new proof cannot be read');
    const proofIdSha256 = digestProofId(proof.proof_id, sha256);
    const issued: NewIssued = { kind: 'PROOF_ISSUED', proofIdSha256, manifestSha256 };
    return proof.status_version === 1 ? [issued] : [issued, toStatusEntry(proof)];
  });

/** For proofs whose status has changed. */
export const toStatusEntries = (proofs: readonly ProofRow[]): NewEntry[] => proofs.map(toStatusEntry);

const toIssuedSubject = (proof: ProofRow): string[] => {
  const digest = findManifestDigest(proof);
  return digest === null ? [] : [digest.slice('sha256:'.length)];
};

/** That the proof was issued. Null for proofs of earlier releases. */
export async function findIssuedEntry(db: Db, proof: ProofRow): Promise<EntryRow | null> {
  return (await listEntriesAbout(db, 'PROOF_ISSUED', toIssuedSubject(proof)))[0] ?? null;
}

const toStatusSubject = (proof: ProofRow, version: number): string =>
  subjectOf({ ...toStatusEntry(proof), statusVersion: version });

/** Where the ledger says what the row says. */
export async function findProofPositions(db: Db, proof: ProofRow): Promise<ProofLedgerEntries> {
  const key = `${proof.key_id}/${proof.key_version}`;
  const keyRows = await listEntriesAbout(db, 'SIGNING_KEY', [`${key}/IN_USE`, `${key}/RETIRED`]);
  const [status] = await listEntriesAbout(db, 'PROOF_STATUS', [toStatusSubject(proof, proof.status_version)]);
  const positionOf = (row: EntryRow | null | undefined): number | null => row?.position ?? null;
  return {
    issued: positionOf(await findIssuedEntry(db, proof)),
    status: positionOf(status),
    keyInUse: positionOf(keyRows.find(row => row.subject === `${key}/IN_USE`)),
    keyRetired: positionOf(keyRows.find(row => row.subject === `${key}/RETIRED`)),
  };
}

/**
 * The later status that the ledger has of each of the proofs. There is one only when the database is that of an older backup:
 * the ledger remembers then what the database forgot.
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

const toKeyEntries = ({ key_id, key_version, fingerprint, status }: ProofKeyRow): NewEntry[] => {
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
 * What the ledger does not say of the signing keys yet, in the caller's transaction. Before the first start of a server there
 * is no ledger: it is recorded then.
 */
export async function recordSigningKeys(tx: Tx, clock: Clock): Promise<void> {
  if ((await findLog(tx)) === null) return;
  // Of servers that start at once one records them.
  await lockEnd(tx);
  const entries = (await listKeys(tx)).flatMap(toKeyEntries);
  const recorded = new Set((await listEntriesAbout(tx, 'SIGNING_KEY', entries.map(subjectOf))).map(row => row.subject));
  await recordWithin(
    tx,
    clock,
    entries.filter(entry => !recorded.has(subjectOf(entry))),
  );
}
