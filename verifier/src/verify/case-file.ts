// The file on one proof: what was read of it, before anything is judged. Nothing changes it afterwards, so that a check
// can rely on nothing but what was read.
import type { ParsedJws } from '@recordproof/shared/evidence/jws.ts';
import type { ProofEntries } from '@recordproof/shared/evidence/proof-archive.ts';
import type { MerkleProof, ProofChunks, ProofManifest, Receipt } from '@recordproof/shared/evidence/proof-entries.ts';
import type { CheckId, CodeOf, CommonCode } from './check-codes.ts';
import type { ContentDigests } from './hash-content.ts';
import type { LedgerRecord } from './ledger-entry.ts';
import type { ChainRoot, IssuerStatus, LiveEvidence, Lookup } from './live-evidence.ts';
import type { ProofLife } from './proof-life.ts';
import type { Finding } from './report.ts';
import type { TrustedKey } from './trusted-key.ts';
import type { VerifierPlatform } from './verifier-platform.ts';

/** Stands for an input that was named but could not be read; the report then says so. */
export type Unreadable = 'UNREADABLE';

export type VerificationRequest = {
  /** The proof archive; everything in it is under a stranger's control. */
  archive: Uint8Array | Unreadable;
  /** Read at most once, in order, and not at all when the archive does not say what to compare with. */
  original: AsyncIterable<Uint8Array>;
  /** The caller's trusted key file as it was read; never taken from the archive. */
  trustedKey?: Uint8Array | Unreadable;
  /** A key that the issuer names when asked is then not good enough. */
  requireTrustedKey?: boolean;
  /** Absent means offline. */
  live?: LiveEvidence;
  maxOriginalBytes: number;
};

/** What the check `Id` is about, or why it is not there. */
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
  /** Absent when the caller gave none. */
  readonly trustedKey?: Reading<TrustedKey, 'signature.key'>;
};

export const valueIn = <T>(reading: Reading<T, CheckId> | undefined): T | undefined =>
  reading !== undefined && 'value' in reading ? reading.value : undefined;

/** `held-back`: nobody was asked, because of what was found before. */
export type Asked<T> = Lookup<T> | { kind: 'offline' } | { kind: 'held-back'; waitsFor: CheckId | 'local checks' };

/** What came from outside; each is asked only when nothing before speaks against the proof. */
export type Answers = {
  readonly key: Asked<TrustedKey>;
  readonly status: Asked<IssuerStatus>;
  readonly root: Asked<ChainRoot>;
  /** The entry of the batch; offline also where the caller named no ledger, or the batch is on another chain. */
  readonly record: Asked<LedgerRecord>;
  /** The entries that the status names; offline where `record` is. */
  readonly life: Asked<ProofLife>;
};

type Judged<Id extends CheckId> = Finding<CodeOf<Id> | CommonCode>;

/** Judges what was read, and nothing else. */
export type Check<Id extends CheckId> = {
  readonly id: Id;
  judge(file: CaseFile, answers: Answers): Judged<Id> | Promise<Judged<Id>>;
};
