// What an existence check is given, and what it needs from where it runs. Everything that lies beside the file is under a
// stranger's control; policy, roots and headers are the caller's.
import type { NoteVerifiers } from '@recordproof/shared/evidence/cosignature.ts';
import type { VerifySignature } from '@recordproof/shared/evidence/signature-schemes.ts';
import type { Unreadable } from '../verify/case-file.ts';
import type { VerifierPlatform } from '../verify/verifier-platform.ts';
import type { LocalCase } from '../verify/verify-proof.ts';
import type { Requirement } from './requirements.ts';

type File = Uint8Array | Unreadable;

export type ExistenceInput = {
  readonly original: AsyncIterable<Uint8Array>;
  readonly maxOriginalBytes: number;
  readonly archive?: File | undefined;
  readonly tlogProof?: File | undefined;
  readonly stamp?: File | undefined;
  readonly ots?: File | undefined;
  /** NAME.evidence.zip could not be read: what lay in it is not there. */
  readonly isEvidenceDamaged?: boolean;
  readonly policy?: File | undefined;
  readonly roots?: File | undefined;
  readonly headers?: File | undefined;
  /** None: one trusted voucher of any kind is enough. */
  readonly required: readonly Requirement[];
  /** Of the same file and archive, when they were read before: what was hashed is not read again. */
  readonly local?: LocalCase | undefined;
};

export type ExistencePlatform = VerifierPlatform & {
  readonly noteVerifiers: NoteVerifiers;
  readonly verifySignature: VerifySignature;
};
