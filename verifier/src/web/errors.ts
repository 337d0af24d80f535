// The closed table of errors of the web service. The sentences are fixed: they never contain anything sent, read or
// received.

export const errorSchema = 'service-verifier-error.v1';

const table = {
  PART_REQUIRED: { status: 400, message: 'Send the files original and proof; trustedKey may be added.' },
  MULTIPART_INVALID: {
    status: 400,
    message: 'The body must be multipart/form-data with the files original, proof and trustedKey, each at most once.',
  },
  TRUSTED_KEY_INVALID: { status: 400, message: 'The trusted key file is malformed, or its key cannot be used.' },
  NOT_FOUND: { status: 404, message: 'There is nothing here.' },
  METHOD_NOT_ALLOWED: { status: 405, message: 'This address does not take this method.' },
  UPLOAD_TOO_SLOW: { status: 408, message: 'The upload was too slow and was ended.' },
  REQUEST_TOO_LARGE: { status: 413, message: 'The request is larger than this verifier accepts.' },
  ORIGINAL_TOO_LARGE: { status: 413, message: 'The original file is larger than this verifier accepts.' },
  PROOF_TOO_LARGE: { status: 413, message: 'The proof archive is larger than any proof archive.' },
  TRUSTED_KEY_TOO_LARGE: { status: 413, message: 'The trusted key file is larger than any trusted key.' },
  RATE_LIMITED: { status: 429, message: 'Too many requests from this address. Wait a little and try again.' },
  INTERNAL: { status: 500, message: 'The verification could not be finished.' },
  VERIFIER_BUSY: { status: 503, message: 'All slots are taken. Try again in a moment.' },
} as const;

export type ErrorCode = keyof typeof table;

export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, retryAfterSeconds?: number) {
    super(table[code].message);
    this.name = 'ServiceError';
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  get status(): number {
    return table[this.code].status;
  }
}

/** Any other exception is a bug or a system fault; its text is not sent. */
export const toServiceError = (problem: unknown): ServiceError =>
  problem instanceof ServiceError ? problem : new ServiceError('INTERNAL');
