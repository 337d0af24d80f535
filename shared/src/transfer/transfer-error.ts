// Why a transfer ended, as far as a person can do something about it. What the server refused stays an ApiError.

export type TransferFailure =
  /** The file was written to or replaced while it was read. */
  | 'source-changed'
  | 'source-empty'
  /** A pipe, a device, a folder. */
  | 'source-not-a-file'
  /** The upload was paused, or given up, from somewhere else. */
  | 'paused'
  | 'cancelled'
  /** --resume was asked for and there is nothing to resume. */
  | 'nothing-to-resume'
  /** The bytes that arrived are not the bytes that were sent, or not those that were promised. */
  | 'wrong-bytes'
  /** The manifest or the answer of a store does not hold together. */
  | 'wrong-answer'
  /** The object store will not have a part. */
  | 'part-refused'
  | 'target-exists'
  /** Of the device that it is fetched to. */
  | 'no-room'
  /** Many tries in a row have failed. */
  | 'gave-up';

export class TransferError extends Error {
  readonly failure: TransferFailure;

  constructor(failure: TransferFailure, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'TransferError';
    this.failure = failure;
  }
}
