// Input and platform of an existence check. Everything next to the file is untrusted; policy, roots and headers are the
// caller's.
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
  /** NAME.evidence.zip could not be read, so its content is missing. */
  readonly isEvidenceDamaged?: boolean | undefined;
  readonly policy?: File | undefined;
  readonly roots?: File | undefined;
  readonly headers?: File | undefined;
  /** Empty: one trusted voucher of any kind suffices. */
  readonly required: readonly Requirement[];
  /** The same file and archive, if already read, so that they are not hashed again. */
  readonly local?: LocalCase | undefined;
};

export type ExistencePlatform = VerifierPlatform & {
  readonly noteVerifiers: NoteVerifiers;
  readonly verifySignature: VerifySignature;
};
