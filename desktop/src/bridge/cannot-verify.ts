// Error of a device on which the verifier cannot run.
import type { Unable } from '@recordproof/verifier/web/client/messages.ts';

export class CannotVerify extends Error {
  readonly why: Unable;

  constructor(why: Unable) {
    super(`proofs cannot be verified here: ${why}`);
    this.name = 'CannotVerify';
    this.why = why;
  }
}
