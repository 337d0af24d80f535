// Texts of errors: what is wrong, and what to do.
import { TransportError } from '@recordproof/shared/api/client.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { TransferError } from '@recordproof/shared/transfer/transfer-error.ts';
import type { AppTexts } from '@recordproof/shared/words/app.ts';
import type { Failure } from '../bridge/bridge.ts';
import { CannotVerify } from '../bridge/cannot-verify.ts';

type Errors = AppTexts['errors'];

const sentences: Readonly<Record<string, (say: Errors) => string>> = {
  unreachable: say => say.unreachable,
  'timed-out': say => say.timedOut,
  redirected: say => say.strange,
  'not-recordproof': say => say.strange,
  'gave-up': say => say.unreachable,
  'source-changed': say => say.changed,
  'source-empty': say => say.empty,
  FILE_EMPTY: say => say.empty,
  'wrong-bytes': say => say.wrongBytes,
  'wrong-answer': say => say.wrongBytes,
  'part-refused': say => say.clock,
  'no-room': say => say.noRoom,
  'target-exists': say => say.inTheWay,
  paused: say => say.elsewhere,
  USER_LOGIN_ERROR: say => say.wrongLogin,
  USER_ACCOUNT_LOCKED: say => say.locked,
  USER_ACCOUNT_FORBIDDEN: say => say.suspended,
  SECOND_FACTOR_ERROR: say => say.wrongFactor,
  PASSKEY_ERROR: say => say.passkey,
  CHALLENGE_EXPIRED: say => say.signInExpired,
  STEP_UP_REQUIRED: say => say.stale,
  AUTH_CODE_ERROR: say => say.wrongCode,
  USER_HAS_EXISTED: say => say.taken,
  QUOTA_EXCEEDED: say => say.full,
  FILE_MAX_SIZE_OVERFLOW: say => say.tooLarge,
  FILE_NOT_EXIST: say => say.gone,
  SHARE_NOT_FOUND: say => say.gone,
  SHARE_CANCELLED: say => say.shareEnded,
  SHARE_EXPIRED: say => say.shareEnded,
  FRIEND_SHARE_NOT_FOUND: say => say.gone,
  FRIEND_REQUEST_NOT_FOUND: say => say.gone,
  FRIEND_REQUEST_PROCESSED: say => say.answered,
  FRIEND_REQUEST_EXISTS: say => say.answered,
  ALREADY_FRIENDS: say => say.answered,
  NOT_FRIENDS: say => say.notFriends,
  ANNOUNCEMENT_NOT_FOUND: say => say.gone,
  TICKET_NOT_FOUND: say => say.gone,
  INVALID_TICKET_STATUS: say => say.answered,
  TICKET_ALREADY_CLOSED: say => say.answered,
  NOT_FOUND: say => say.gone,
  PERMISSION_TOKEN_INVALID: say => say.ended,
  PERMISSION_TOKEN_EXPIRED: say => say.ended,
  PERMISSION_UNAUTHORIZED: say => say.mayNot,
  FORBIDDEN: say => say.mayNot,
  MAINTENANCE: say => say.maintenance,
  INTERNAL: say => say.broken,
  SYSTEM_BUSY: say => say.busy,
  UNAVAILABLE: say => say.busy,
  SERVICE_UNAVAILABLE: say => say.busy,
  SERVICE_TIMEOUT: say => say.busy,
};

/** Without a text of our own it is the message of the server. */
export const toFailureText = ({ code, message }: Failure, say: AppTexts): string =>
  sentences[code]?.(say.errors) ?? say.errors.unfit(message);

export function toErrorText(error: unknown, say: AppTexts): string {
  if (error instanceof CannotVerify) return toUnableText(error, say.check);
  if (error instanceof ApiError && error.status === 429) return say.errors.slow(error.retryAfterSeconds ?? 60);
  if (error instanceof ApiError && error.detail?.reason === 'USED_UP') return say.errors.shareUsedUp;
  if (error instanceof ApiError) return toFailureText({ code: error.kind, message: error.message }, say);
  if (error instanceof TransferError || error instanceof TransportError)
    return toFailureText({ code: error.failure, message: error.message }, say);
  // Only reading a chosen file fails in this way.
  if (error instanceof DOMException) return say.errors.unreadable;
  return say.errors.unfit(error instanceof Error ? error.message : String(error));
}

const toUnableText = ({ why }: CannotVerify, say: AppTexts['check']): string =>
  ({ insecure: say.insecure, 'no-ed25519': say.tooOld, broken: say.broken })[why];
