// The file on one proof while it is being verified: the inputs, and what the checks so far have established. A check
// reads what others established, adds its own, and never assumes that an earlier one succeeded.
import type { ParsedJws } from '@recordproof/shared/evidence/jws.ts';
import type { ProofEntries } from '@recordproof/shared/evidence/proof-archive.ts';
import type { MerkleProof, ProofChunks, ProofManifest, Receipt } from '@recordproof/shared/evidence/proof-entries.ts';
import type { ContentDigests } from './hash-content.ts';
import type { ChainRoot, IssuerStatus, LiveEvidence } from './live-evidence.ts';
import type { VerifierPlatform } from './platform.ts';
import type { CheckCategory, CheckResult, Finding, KeySource } from './report.ts';
import type { TrustedKey } from './trusted-key.ts';

/** Stands for an input that was named but could not be read; the report then says so. */
export type Unreadable = 'UNREADABLE';

export type VerificationRequest = {
  /** The proof archive; everything in it is under a stranger's control. */
  archive: Uint8Array | Unreadable;
  /** Read at most once, in order, and not at all when the archive does not say what to compare with. */
  original: AsyncIterable<Uint8Array>;
  /** The caller's trusted key file as it was read; never taken from the archive. */
  trustedKey?: Uint8Array | Unreadable;
  /** Absent means offline. */
  live?: LiveEvidence;
  maxOriginalBytes: number;
};

export type CaseFile = {
  readonly request: VerificationRequest;
  readonly platform: VerifierPlatform;
  readonly results: CheckResult[];
  entries?: ProofEntries;
  manifest?: ProofManifest;
  chunks?: ProofChunks;
  merkle?: MerkleProof;
  receipt?: Receipt;
  content?: ContentDigests;
  computedMerkleRoot?: string;
  jws?: ParsedJws;
  key?: TrustedKey;
  keySource: KeySource;
  currentStatus?: IssuerStatus;
  liveRoot?: ChainRoot;
};

export type Check = {
  id: string;
  category: CheckCategory;
  /** Malformed input is a finding; a throw is a bug and becomes an ERROR. */
  run(file: CaseFile): Finding | Promise<Finding>;
};

/** Nothing found so far speaks against the proof; only then may anybody outside be asked. */
export const isSoundSoFar = (file: CaseFile): boolean =>
  file.results.every(result => result.status === 'PASS' || result.status === 'INDETERMINATE');
