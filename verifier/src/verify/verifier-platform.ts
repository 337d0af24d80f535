// What the engine needs from where it runs (Node, a browser): hashing, one signature check, the time.
import type { Sha256 } from '@recordproof/shared/evidence/digest.ts';
import type { VerifyEd25519 } from '@recordproof/shared/evidence/ed25519.ts';

export type IncrementalHash = {
  /** When this resolves the bytes have been taken in, and their buffer may be used again. */
  update(bytes: Uint8Array): void | Promise<void>;
  /** Called once, last. */
  digest(): Uint8Array | Promise<Uint8Array>;
};

export type VerifierPlatform = {
  sha256: Sha256;
  newHash(): IncrementalHash;
  /** A second kind that works beside `newHash`, for example on another core; for the digest of the whole original. */
  newWholeHash?(): IncrementalHash;
  verifyEd25519: VerifyEd25519;
  now(): Date;
};
