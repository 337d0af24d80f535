// The case file of a proof: everything that was read, before any judgement. It is immutable, so that checks depend only
// on what was read.
import type { ParsedJws } from '@recordproof/shared/evidence/jws.ts';
import type { ProofEntries } from '@recordproof/shared/evidence/proof-archive.ts';
import type { MerkleProof, ProofChunks, ProofManifest, Receipt } from '@recordproof/shared/evidence/proof-entries.ts';
import type { CheckId, CodeOf, CommonCode } from './check-codes.ts';
import type { ContentDigests } from './hash-content.ts';
import type { LedgerRecord, ProofLife } from './ledger-records.ts';
import type { ChainRoot, IssuerStatus, LiveEvidence, Lookup } from './live-evidence.ts';
import type { Finding } from './report.ts';
import type { TrustedKey } from './trusted-key.ts';
import type { VerifierPlatform } from './verifier-platform.ts';

/** An input that was named but could not be read; the report says so. */
export type Unreadable = 'UNREADABLE';

export type VerificationRequest = {
  /** The proof archive, or the evidence archive that contains it; untrusted. */
  archive: Uint8Array | Unreadable;
  /** Read at most once, in order, and only if the archive says what to compare with. */
  original: AsyncIterable<Uint8Array>;
  /** The caller's trusted key file; never taken from the archive. */
  trustedKey?: Uint8Array | Unreadable | undefined;
  /** Reject a key named by the issuer. */
  requireTrustedKey?: boolean;
  /** Absent: offline. */
  live?: LiveEvidence | undefined;
  maxOriginalBytes: number;
};

/** The input of the check `Id`, or why it is missing. */
export type Reading<T, Id extends CheckId> = { readonly value: T } | { readonly problem: Judged<Id> };

export type CaseFile = {
  readonly platform: VerifierPlatform;
  readonly archive: Reading<ProofEntries, 'archive.structure'>;
  readonly manifest: Reading<ProofManifest, 'json.manifest.json'>;
  readonly chunks: Reading<ProofChunks, 'json.chunk-manifest.json'>;
  readonly merkle: Reading<MerkleProof, 'json.merkle-proof.json'>;
  readonly receipt: Reading<Receipt, 'json.blockchain-receipt.json'>;
  readonly policy: Reading<unknown, 'json.verification-policy.json'>;
  readonly jws: Reading<ParsedJws, 'signature.jws'>;
  readonly content: Reading<ContentDigests, 'content.original'>;
  /** Absent if the caller gave none. */
  readonly trustedKey?: Reading<TrustedKey, 'signature.key'> | undefined;
};

export const valueIn = <T>(reading: Reading<T, CheckId> | undefined): T | undefined =>
  reading !== undefined && 'value' in reading ? reading.value : undefined;

/** `held-back`: not queried because of earlier findings. */
export type QueryResult<T> =
  | Lookup<T>
  | { kind: 'offline' }
  | { kind: 'held-back'; waitsFor: CheckId | 'local checks' };

/** External answers; each is queried only while nothing speaks against the proof. */
export type Answers = {
  readonly key: QueryResult<TrustedKey>;
  readonly status: QueryResult<IssuerStatus>;
  readonly root: QueryResult<ChainRoot>;
  /** The entry of the batch; offline also if the caller named no ledger, or the batch is on another chain. */
  readonly record: QueryResult<LedgerRecord>;
  /** The entries named by the status; offline if `record` is. */
  readonly life: QueryResult<ProofLife>;
};

export type Judged<Id extends CheckId> = Finding<CodeOf<Id> | CommonCode>;

/** A pure check of what was read. */
export type Check<Id extends CheckId> = {
  readonly id: Id;
  judge(file: CaseFile, answers: Answers): Judged<Id> | Promise<Judged<Id>>;
};
