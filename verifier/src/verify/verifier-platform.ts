// The interface of the verification engine to its platform, Node or a browser: hashes, Ed25519 and clock.
import type { VerifyEd25519 } from '@recordproof/shared/evidence/ed25519.ts';

export type IncrementalHash = {
  /** When this resolves the bytes are consumed, and their buffer may be reused. */
  update(bytes: Uint8Array): void | Promise<void>;
  /** Called once, last. */
  digest(): Uint8Array | Promise<Uint8Array>;
};

export type VerifierPlatform = {
  newHash(): IncrementalHash;
  /**
   * A second implementation that runs in parallel to `newHash`, for example on another core; for the digest of the
   * whole original.
   */
  newWholeHash?(): IncrementalHash;
  verifyEd25519: VerifyEd25519;
  now(): Date;
};
