// The closed table of wire errors: kind → HTTP status and business code. The number of a kind never changes and is
// never reused.

const table = {
  BAD_REQUEST: { status: 400, code: 400, message: 'the request is not valid' },
  UNAUTHORIZED: { status: 401, code: 401, message: 'sign in first' },
  FORBIDDEN: { status: 403, code: 403, message: 'you do not have permission for this' },
  NOT_FOUND: { status: 404, code: 404, message: 'not found' },
  REQUEST_TIMEOUT: { status: 408, code: 408, message: 'the request did not arrive in time' },
  CONFLICT: { status: 409, code: 409, message: 'the current state does not allow this; read it again' },
  GONE: { status: 410, code: 410, message: 'this was deleted, cancelled or has expired' },
  TOO_LARGE: { status: 413, code: 413, message: 'the request is too large' },
  UNPROCESSABLE: { status: 422, code: 422, message: 'the request cannot be carried out' },
  RATE_LIMITED: { status: 429, code: 429, message: 'too many requests, wait and try again' },
  HEADERS_TOO_LARGE: {
    status: 431,
    code: 431,
    message: 'the headers of the request are too large; send fewer or shorter ones',
  },
  INTERNAL: { status: 500, code: 500, message: 'the server failed; the cause is in its log under the trace id' },
  UNAVAILABLE: { status: 503, code: 503, message: 'the service cannot answer right now, try again' },

  PARAM_ERROR: { status: 400, code: 10000, message: 'a parameter is wrong' },
  PARAM_IS_INVALID: { status: 400, code: 10001, message: 'a parameter has an invalid value' },
  PARAM_IS_BLANK: { status: 400, code: 10002, message: 'a parameter must not be empty' },
  PARAM_TYPE_BIND_ERROR: { status: 400, code: 10003, message: 'a parameter has the wrong type' },
  PARAM_NOT_COMPLETE: { status: 400, code: 10004, message: 'a parameter is missing' },
  JSON_PARSE_ERROR: { status: 400, code: 10005, message: 'the body is not valid JSON' },

  USER_NOT_LOGGED_IN: { status: 401, code: 20001, message: 'sign in first' },
  USER_LOGIN_ERROR: { status: 401, code: 20002, message: 'user name or password is wrong' },
  USER_ACCOUNT_FORBIDDEN: { status: 403, code: 20003, message: 'this account is suspended; ask an administrator' },
  USER_NOT_EXIST: { status: 404, code: 20004, message: 'no such user' },
  USER_HAS_EXISTED: { status: 409, code: 20005, message: 'this user name or e-mail address is taken' },
  USER_ACCOUNT_LOCKED: {
    status: 403,
    code: 20006,
    message: 'too many failed sign-ins: this account is locked for up to 15 minutes',
  },
  REGISTRATION_CLOSED: {
    status: 403,
    code: 20007,
    message: 'registration is closed on this server; ask an administrator for an invitation',
  },
  LOCAL_SIGN_IN_DISABLED: {
    status: 403,
    code: 20014,
    message: 'this server does not accept passwords; sign in through its single sign-on provider',
  },
  SECOND_FACTOR_REQUIRED: {
    status: 403,
    code: 20008,
    message: 'this account has a second factor; sign in with a client that supports it',
  },
  SECOND_FACTOR_ENROLMENT: {
    status: 403,
    code: 20009,
    message: 'this account needs a second factor; sign in to the app or the command line to set one up',
  },
  AUTH_CODE_ERROR: {
    status: 400,
    code: 20010,
    message: 'the e-mail code is wrong, used or expired; ask for a new one',
  },
  SECOND_FACTOR_ERROR: {
    status: 400,
    code: 20011,
    message: 'the code is wrong or was used before; wait for the next one',
  },
  PASSKEY_ERROR: {
    status: 400,
    code: 20013,
    message: 'this passkey was not accepted; try again, or sign in with your password',
  },
  CHALLENGE_EXPIRED: {
    status: 400,
    code: 20012,
    message: 'this sign-in took too long or failed too often; start again',
  },

  BLOCKCHAIN_ERROR: {
    status: 500,
    code: 30006,
    message: 'the ledger or chain rejected the operation; its reason is in the server log under the trace id',
  },
  TRANSACTION_NOT_FOUND: { status: 404, code: 30007, message: 'no such transaction on the chain' },
  FILE_SERVICE_ERROR: {
    status: 500,
    code: 30009,
    message: 'the file service failed; the cause is in the server log under the trace id',
  },
  SERVICE_CIRCUIT_OPEN: {
    status: 503,
    code: 30010,
    message: 'a service that the server depends on is failing; try again later',
  },
  SERVICE_TIMEOUT: {
    status: 503,
    code: 30011,
    message: 'a service that the server depends on took too long; try again',
  },
  BLOCKCHAIN_TIMEOUT: { status: 503, code: 30012, message: 'the ledger or chain took too long; try again' },
  BLOCKCHAIN_UNREACHABLE: { status: 503, code: 30013, message: 'the ledger or chain cannot be reached; try again' },

  FILE_MAX_SIZE_OVERFLOW: { status: 413, code: 40001, message: 'the file is larger than allowed' },
  FILE_ACCEPT_NOT_SUPPORT: { status: 400, code: 40002, message: 'this kind of file is not accepted' },
  SYSTEM_BUSY: { status: 503, code: 40003, message: 'the server is busy, try again' },
  RATE_LIMIT_EXCEEDED: { status: 429, code: 40004, message: 'too many requests, wait and try again' },
  SERVICE_UNAVAILABLE: { status: 503, code: 40005, message: 'the service is not available; try again' },
  UPLOAD_SESSION_NOT_FOUND: {
    status: 404,
    code: 40006,
    message: 'no such upload: it may have expired; start it again',
  },
  ENCRYPTION_ERROR: {
    status: 500,
    code: 40007,
    message: 'encryption failed; the cause is in the server log under the trace id',
  },
  MAINTENANCE: {
    status: 503,
    code: 40008,
    message: 'the server is in maintenance mode and accepts no changes; try again later',
  },

  RESULT_DATA_NONE: { status: 404, code: 50001, message: 'nothing found' },
  DATA_IS_WRONG: { status: 400, code: 50002, message: 'the data is not valid' },
  DATA_ALREADY_EXISTED: {
    status: 409,
    code: 50003,
    message: 'an entry with this name or id already exists; choose another',
  },
  FILE_UPLOAD_ERROR: { status: 500, code: 50005, message: 'the upload failed; try again' },
  FILE_DOWNLOAD_ERROR: { status: 500, code: 50006, message: 'the download failed; try again' },
  FILE_DELETE_ERROR: { status: 500, code: 50007, message: 'the file could not be deleted; try again' },
  FILE_NOT_EXIST: { status: 404, code: 50008, message: 'no such file' },
  SHARE_NOT_FOUND: { status: 404, code: 50009, message: 'no such share' },
  SHARE_CANCELLED: { status: 410, code: 50010, message: 'this share was cancelled' },
  SHARE_EXPIRED: { status: 410, code: 50011, message: 'this share has expired' },
  QUOTA_EXCEEDED: {
    status: 413,
    code: 50013,
    message: 'the storage quota is used up; delete files or ask an administrator for more',
  },
  VERSION_CHAIN_NOT_FOUND: { status: 404, code: 50014, message: 'no such version chain' },
  VERSION_CONFLICT: {
    status: 409,
    code: 50015,
    message: 'a newer version was stored in the meantime; continue from that one',
  },
  VERSION_SOURCE_INVALID: { status: 400, code: 50016, message: 'this file cannot be continued by a new version' },
  FILE_EMPTY: { status: 400, code: 50018, message: 'the file is empty' },
  FILE_RECORD_ERROR: {
    status: 409,
    code: 50019,
    message: 'the record of this file is incomplete or damaged; tell the administrator',
  },
  POLICY_VERSION_CONFLICT: {
    status: 409,
    code: 50020,
    message: 'the policy was changed in the meantime; read it again',
  },
  REQUEST_ID_REUSED: {
    status: 409,
    code: 50021,
    message: 'this requestId was used for another request; choose a new one',
  },
  DROP_LINK_NOT_FOUND: { status: 404, code: 50023, message: 'no such drop link' },
  DROP_LINK_CLOSED: { status: 410, code: 50024, message: 'this drop link no longer accepts files' },
  DROP_LINK_FULL: { status: 409, code: 50025, message: 'a limit of this drop link is reached' },
  RUN_STATE_CONFLICT: { status: 409, code: 50022, message: 'the run is not in a state that allows this' },

  MESSAGE_NOT_FOUND: { status: 404, code: 60001, message: 'no such message' },
  CONVERSATION_NOT_FOUND: { status: 404, code: 60002, message: 'no such conversation' },
  CANNOT_MESSAGE_SELF: { status: 400, code: 60003, message: 'you cannot send a message to yourself' },
  ANNOUNCEMENT_NOT_FOUND: { status: 404, code: 60004, message: 'no such announcement' },
  TICKET_NOT_FOUND: { status: 404, code: 60005, message: 'no such ticket' },
  TICKET_ALREADY_CLOSED: { status: 409, code: 60006, message: 'this ticket is closed' },
  TICKET_NOT_OWNER: { status: 403, code: 60007, message: 'this is not your ticket' },
  INVALID_TICKET_STATUS: { status: 409, code: 60008, message: 'the ticket cannot change to this status' },
  ATTACHMENT_LIMIT_EXCEEDED: { status: 400, code: 60009, message: 'too many attachments' },
  NOT_FRIENDS: { status: 403, code: 60010, message: 'you are not friends' },
  FRIEND_REQUEST_EXISTS: { status: 409, code: 60011, message: 'a friend request is already pending' },
  ALREADY_FRIENDS: { status: 409, code: 60012, message: 'you are already friends' },
  CANNOT_ADD_SELF: { status: 400, code: 60013, message: 'you cannot send a friend request to yourself' },
  FRIEND_REQUEST_NOT_FOUND: { status: 404, code: 60014, message: 'no such friend request' },
  FRIEND_REQUEST_PROCESSED: { status: 409, code: 60015, message: 'this friend request was already answered' },
  FRIEND_SHARE_NOT_FOUND: { status: 404, code: 60016, message: 'no such friend share' },
  FRIEND_SHARE_UNAUTHORIZED: { status: 403, code: 60017, message: 'this friend share is not yours' },

  PERMISSION_UNAUTHENTICATED: { status: 401, code: 70001, message: 'sign in first' },
  PERMISSION_UNAUTHORIZED: { status: 403, code: 70002, message: 'you do not have permission for this' },
  PERMISSION_EXPIRE: { status: 403, code: 70003, message: 'this permission has expired' },
  PERMISSION_TOKEN_EXPIRED: { status: 401, code: 70004, message: 'the session has expired, sign in again' },
  STEP_UP_REQUIRED: {
    status: 403,
    code: 70007,
    message: 'confirm your identity again by one of the ways in detail.factors, then repeat the request',
  },
  PERMISSION_TOKEN_INVALID: { status: 401, code: 70006, message: 'the token is not valid, sign in again' },
} as const satisfies Record<string, { status: number; code: number; message: string }>;

export type ErrorKind = keyof typeof table;
type ErrorEntry = { readonly status: number; readonly code: number; readonly message: string };

export const errorTable: Readonly<Record<ErrorKind, ErrorEntry>> = table;

const kindByCode: ReadonlyMap<number, ErrorKind> = new Map(
  (Object.keys(table) as ErrorKind[]).map(kind => [table[kind].code, kind]),
);

export const findErrorKind = (code: number): ErrorKind | undefined => kindByCode.get(code);

/** `detail.reason` of 503 where the server has no room for new bytes: it lasts until space is freed. */
export const storageFull = 'STORAGE_FULL';

type ErrorExtras = {
  /** Machine-readable reason; the only content of `data` in an error response. */
  readonly detail?: Readonly<Record<string, unknown>>;
  readonly retryAfterSeconds?: number;
  /** The server's rate limit per minute for this kind of call; set by the client. */
  readonly rateLimit?: number;
  /** The id under which the server logged this response; set by the client. */
  readonly traceId?: string;
  /** Whether a requested change may have been made despite the error. */
  readonly isOutcomeUnknown?: boolean;
  readonly cause?: unknown;
};

/** The error class of the wire: thrown by the server's verbs, rethrown by the typed client. */
export class ApiError extends Error {
  readonly kind: ErrorKind;
  readonly detail: Readonly<Record<string, unknown>> | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly rateLimit: number | undefined;
  readonly traceId: string | undefined;
  readonly isOutcomeUnknown: boolean;

  constructor(kind: ErrorKind, message: string = errorTable[kind].message, extras: ErrorExtras = {}) {
    super(message, extras.cause === undefined ? undefined : { cause: extras.cause });
    this.name = 'ApiError';
    this.kind = kind;
    this.detail = extras.detail;
    this.retryAfterSeconds = extras.retryAfterSeconds;
    this.rateLimit = extras.rateLimit;
    this.traceId = extras.traceId;
    this.isOutcomeUnknown = extras.isOutcomeUnknown ?? false;
  }

  get status(): number {
    return errorTable[this.kind].status;
  }

  get code(): number {
    return errorTable[this.kind].code;
  }
}
