// Reasons for the end of a transfer that people can act on. Errors of the server remain ApiError.

export const transferFailures = [
  /** The file was written to or replaced while it was read. */
  'source-changed',
  'source-empty',
  /** A pipe, a device, a folder. */
  'source-not-a-file',
  /** The upload was paused or cancelled elsewhere. */
  'paused',
  'cancelled',
  /** --resume was given and there is nothing to resume. */
  'nothing-to-resume',
  /** The received bytes differ from the sent or expected ones. */
  'wrong-bytes',
  /** An answer or a manifest does not follow the protocol. */
  'wrong-answer',
  /** The object store rejects a part. */
  'part-refused',
  'target-exists',
  /** No space on the target device. */
  'no-room',
  /** More bytes than can be held in memory. */
  'too-large',
  /** The list of transfers takes no more. */
  'list-full',
  /** Too many consecutive failures. */
  'gave-up',
] as const;
export type TransferFailure = (typeof transferFailures)[number];

export class TransferError extends Error {
  readonly failure: TransferFailure;

  constructor(failure: TransferFailure, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'TransferError';
    this.failure = failure;
  }
}
