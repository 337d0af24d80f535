// The closed table of wire errors: kind → HTTP status and business code. The number of a kind never changes and is
// never reused.

/** Status, business code, default message. */
const table = {
  BAD_REQUEST: [400, 400, 'the request is not valid'],
  UNAUTHORIZED: [401, 401, 'sign in first'],
  FORBIDDEN: [403, 403, 'you do not have permission for this'],
  NOT_FOUND: [404, 404, 'not found'],
  REQUEST_TIMEOUT: [408, 408, 'the request did not arrive in time'],
  CONFLICT: [409, 409, 'the current state does not allow this; read it again'],
  GONE: [410, 410, 'this was deleted, cancelled or has expired'],
  TOO_LARGE: [413, 413, 'the request is too large'],
  UNPROCESSABLE: [422, 422, 'the request cannot be carried out'],
  RATE_LIMITED: [429, 429, 'too many requests, wait and try again'],
  HEADERS_TOO_LARGE: [431, 431, 'the headers of the request are too large; send fewer or shorter ones'],
  INTERNAL: [500, 500, 'the server failed; the cause is in its log under the trace id'],
  UNAVAILABLE: [503, 503, 'the service cannot answer right now, try again'],

  PARAM_ERROR: [400, 10000, 'a parameter is wrong'],
  PARAM_IS_INVALID: [400, 10001, 'a parameter has an invalid value'],
  PARAM_IS_BLANK: [400, 10002, 'a parameter must not be empty'],
  PARAM_TYPE_BIND_ERROR: [400, 10003, 'a parameter has the wrong type'],
  PARAM_NOT_COMPLETE: [400, 10004, 'a parameter is missing'],
  JSON_PARSE_ERROR: [400, 10005, 'the body is not valid JSON'],

  USER_NOT_LOGGED_IN: [401, 20001, 'sign in first'],
  USER_LOGIN_ERROR: [401, 20002, 'user name or password is wrong'],
  USER_ACCOUNT_FORBIDDEN: [403, 20003, 'this account is suspended; ask an administrator'],
  USER_NOT_EXIST: [404, 20004, 'no such user'],
  USER_HAS_EXISTED: [409, 20005, 'this user name or e-mail address is taken'],
  USER_ACCOUNT_LOCKED: [403, 20006, 'too many failed sign-ins: this account is locked for up to 15 minutes'],
  REGISTRATION_CLOSED: [403, 20007, 'registration is closed on this server; ask an administrator for an invitation'],
  LOCAL_SIGN_IN_DISABLED: [
    403,
    20014,
    'this server does not accept passwords; sign in through its single sign-on provider',
  ],
  SECOND_FACTOR_REQUIRED: [403, 20008, 'this account has a second factor; sign in with a client that supports it'],
  SECOND_FACTOR_ENROLMENT: [
    403,
    20009,
    'this account needs a second factor; sign in to the app or the command line to set one up',
  ],
  AUTH_CODE_ERROR: [400, 20010, 'the e-mail code is wrong, used or expired; ask for a new one'],
  SECOND_FACTOR_ERROR: [400, 20011, 'the code is wrong or was used before; wait for the next one'],
  PASSKEY_ERROR: [400, 20013, 'this passkey was not accepted; try again, or sign in with your password'],
  CHALLENGE_EXPIRED: [400, 20012, 'this sign-in took too long or failed too often; start again'],

  BLOCKCHAIN_ERROR: [
    500,
    30006,
    'the ledger or chain rejected the operation; its reason is in the server log under the trace id',
  ],
  TRANSACTION_NOT_FOUND: [404, 30007, 'no such transaction on the chain'],
  FILE_SERVICE_ERROR: [500, 30009, 'the file service failed; the cause is in the server log under the trace id'],
  SERVICE_CIRCUIT_OPEN: [503, 30010, 'a service that the server depends on is failing; try again later'],
  SERVICE_TIMEOUT: [503, 30011, 'a service that the server depends on took too long; try again'],
  BLOCKCHAIN_TIMEOUT: [503, 30012, 'the ledger or chain took too long; try again'],
  BLOCKCHAIN_UNREACHABLE: [503, 30013, 'the ledger or chain cannot be reached; try again'],

  FILE_MAX_SIZE_OVERFLOW: [413, 40001, 'the file is larger than allowed'],
  FILE_ACCEPT_NOT_SUPPORT: [400, 40002, 'this kind of file is not accepted'],
  SYSTEM_BUSY: [503, 40003, 'the server is busy, try again'],
  RATE_LIMIT_EXCEEDED: [429, 40004, 'too many requests, wait and try again'],
  SERVICE_UNAVAILABLE: [503, 40005, 'the service is not available; try again'],
  UPLOAD_SESSION_NOT_FOUND: [404, 40006, 'no such upload: it may have expired; start it again'],
  ENCRYPTION_ERROR: [500, 40007, 'encryption failed; the cause is in the server log under the trace id'],
  MAINTENANCE: [503, 40008, 'the server is in maintenance mode and accepts no changes; try again later'],

  RESULT_DATA_NONE: [404, 50001, 'nothing found'],
  DATA_IS_WRONG: [400, 50002, 'the data is not valid'],
  DATA_ALREADY_EXISTED: [409, 50003, 'an entry with this name or id already exists; choose another'],
  FILE_UPLOAD_ERROR: [500, 50005, 'the upload failed; try again'],
  FILE_DOWNLOAD_ERROR: [500, 50006, 'the download failed; try again'],
  FILE_DELETE_ERROR: [500, 50007, 'the file could not be deleted; try again'],
  FILE_NOT_EXIST: [404, 50008, 'no such file'],
  SHARE_NOT_FOUND: [404, 50009, 'no such share'],
  SHARE_CANCELLED: [410, 50010, 'this share was cancelled'],
  SHARE_EXPIRED: [410, 50011, 'this share has expired'],
  QUOTA_EXCEEDED: [413, 50013, 'the storage quota is used up; delete files or ask an administrator for more'],
  VERSION_CHAIN_NOT_FOUND: [404, 50014, 'no such version chain'],
  VERSION_CONFLICT: [409, 50015, 'a newer version was stored in the meantime; continue from that one'],
  VERSION_SOURCE_INVALID: [400, 50016, 'this file cannot be continued by a new version'],
  FILE_EMPTY: [400, 50018, 'the file is empty'],
  FILE_RECORD_ERROR: [409, 50019, 'the record of this file is incomplete or damaged; tell the administrator'],
  POLICY_VERSION_CONFLICT: [409, 50020, 'the policy was changed in the meantime; read it again'],
  REQUEST_ID_REUSED: [409, 50021, 'this requestId was used for another request; choose a new one'],
  DROP_LINK_NOT_FOUND: [404, 50023, 'no such drop link'],
  DROP_LINK_CLOSED: [410, 50024, 'this drop link no longer accepts files'],
  DROP_LINK_FULL: [409, 50025, 'a limit of this drop link is reached'],
  RUN_STATE_CONFLICT: [409, 50022, 'the run is not in a state that allows this'],

  MESSAGE_NOT_FOUND: [404, 60001, 'no such message'],
  CONVERSATION_NOT_FOUND: [404, 60002, 'no such conversation'],
  CANNOT_MESSAGE_SELF: [400, 60003, 'you cannot send a message to yourself'],
  ANNOUNCEMENT_NOT_FOUND: [404, 60004, 'no such announcement'],
  TICKET_NOT_FOUND: [404, 60005, 'no such ticket'],
  TICKET_ALREADY_CLOSED: [409, 60006, 'this ticket is closed'],
  TICKET_NOT_OWNER: [403, 60007, 'this is not your ticket'],
  INVALID_TICKET_STATUS: [409, 60008, 'the ticket cannot change to this status'],
  ATTACHMENT_LIMIT_EXCEEDED: [400, 60009, 'too many attachments'],
  NOT_FRIENDS: [403, 60010, 'you are not friends'],
  FRIEND_REQUEST_EXISTS: [409, 60011, 'a friend request is already pending'],
  ALREADY_FRIENDS: [409, 60012, 'you are already friends'],
  CANNOT_ADD_SELF: [400, 60013, 'you cannot send a friend request to yourself'],
  FRIEND_REQUEST_NOT_FOUND: [404, 60014, 'no such friend request'],
  FRIEND_REQUEST_PROCESSED: [409, 60015, 'this friend request was already answered'],
  FRIEND_SHARE_NOT_FOUND: [404, 60016, 'no such friend share'],
  FRIEND_SHARE_UNAUTHORIZED: [403, 60017, 'this friend share is not yours'],

  PERMISSION_UNAUTHENTICATED: [401, 70001, 'sign in first'],
  PERMISSION_UNAUTHORIZED: [403, 70002, 'you do not have permission for this'],
  PERMISSION_EXPIRE: [403, 70003, 'this permission has expired'],
  PERMISSION_TOKEN_EXPIRED: [401, 70004, 'the session has expired, sign in again'],
  STEP_UP_REQUIRED: [
    403,
    70007,
    'confirm your identity again by one of the ways in detail.factors, then repeat the request',
  ],
  PERMISSION_TOKEN_INVALID: [401, 70006, 'the token is not valid, sign in again'],
} as const satisfies Record<string, readonly [status: number, code: number, message: string]>;

export type ErrorKind = keyof typeof table;
type ErrorEntry = { readonly status: number; readonly code: number; readonly message: string };

export const errorTable = Object.fromEntries(
  Object.entries(table).map(([kind, [status, code, message]]) => [kind, { status, code, message }]),
) as Readonly<Record<ErrorKind, ErrorEntry>>;

const kindByCode: ReadonlyMap<number, ErrorKind> = new Map(
  (Object.keys(table) as ErrorKind[]).map(kind => [table[kind][1], kind]),
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
