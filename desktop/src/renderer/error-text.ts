// Texts of errors: what is wrong, and what to do.
import { TransportError } from '@recordproof/shared/api/client.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { TransferError } from '@recordproof/shared/transfer/transfer-error.ts';
import type { AppTexts } from '@recordproof/shared/words/app.ts';
import type { Failure } from '../bridge/bridge.ts';
import { CannotVerify } from '../bridge/cannot-verify.ts';

type Errors = AppTexts['errors'];

const sentences: Readonly<Record<string, (texts: Errors, traceId?: string) => string>> = {
  unreachable: texts => texts.unreachable,
  'timed-out': texts => texts.timedOut,
  redirected: texts => texts.strange,
  'not-recordproof': texts => texts.strange,
  'gave-up': texts => texts.unreachable,
  'list-full': texts => texts.listFull,
  'source-changed': texts => texts.changed,
  'source-empty': texts => texts.empty,
  FILE_EMPTY: texts => texts.empty,
  'wrong-bytes': texts => texts.wrongBytes,
  'wrong-answer': texts => texts.unexpected,
  'too-large': texts => texts.tooLargeToShow,
  'part-refused': texts => texts.clock,
  'no-room': texts => texts.noRoom,
  'target-exists': texts => texts.inTheWay,
  paused: texts => texts.elsewhere,
  USER_LOGIN_ERROR: texts => texts.wrongLogin,
  USER_ACCOUNT_LOCKED: texts => texts.locked,
  USER_ACCOUNT_FORBIDDEN: texts => texts.suspended,
  SECOND_FACTOR_ERROR: texts => texts.wrongFactor,
  PASSKEY_ERROR: texts => texts.passkey,
  CHALLENGE_EXPIRED: texts => texts.signInExpired,
  STEP_UP_REQUIRED: texts => texts.stale,
  AUTH_CODE_ERROR: texts => texts.wrongCode,
  USER_HAS_EXISTED: texts => texts.taken,
  QUOTA_EXCEEDED: texts => texts.full,
  FILE_MAX_SIZE_OVERFLOW: texts => texts.tooLarge,
  FILE_NOT_EXIST: texts => texts.gone,
  SHARE_NOT_FOUND: texts => texts.gone,
  SHARE_CANCELLED: texts => texts.shareEnded,
  SHARE_EXPIRED: texts => texts.shareEnded,
  FRIEND_SHARE_NOT_FOUND: texts => texts.gone,
  FRIEND_REQUEST_NOT_FOUND: texts => texts.gone,
  FRIEND_REQUEST_PROCESSED: texts => texts.answered,
  FRIEND_REQUEST_EXISTS: texts => texts.requestPending,
  ALREADY_FRIENDS: texts => texts.answered,
  NOT_FRIENDS: texts => texts.notFriends,
  ANNOUNCEMENT_NOT_FOUND: texts => texts.gone,
  TICKET_NOT_FOUND: texts => texts.gone,
  INVALID_TICKET_STATUS: texts => texts.ticketStatus,
  TICKET_ALREADY_CLOSED: texts => texts.ticketClosed,
  NOT_FOUND: texts => texts.gone,
  PERMISSION_TOKEN_INVALID: texts => texts.ended,
  PERMISSION_TOKEN_EXPIRED: texts => texts.ended,
  PERMISSION_UNAUTHORIZED: texts => texts.mayNot,
  FORBIDDEN: texts => texts.mayNot,
  MAINTENANCE: texts => texts.maintenance,
  INTERNAL: (texts, traceId) => texts.broken(traceId),
  SYSTEM_BUSY: texts => texts.busy,
  UNAVAILABLE: texts => texts.busy,
  SERVICE_UNAVAILABLE: texts => texts.busy,
  SERVICE_TIMEOUT: texts => texts.busy,
};

/** Without a text of our own it is the message of the server. */
export const toFailureText = ({ code, message, traceId }: Failure, texts: AppTexts): string =>
  sentences[code]?.(texts.errors, traceId) ?? texts.errors.requestFailed(message, traceId);

export function toErrorText(error: unknown, texts: AppTexts): string {
  if (error instanceof CannotVerify) return toUnableText(error, texts.check);
  if (error instanceof ApiError && error.status === 429) return texts.errors.slow(error.retryAfterSeconds ?? 60);
  if (error instanceof ApiError && error.detail?.reason === 'USED_UP') return texts.errors.shareUsedUp;
  if (error instanceof ApiError) {
    const { kind: code, message, traceId } = error;
    return toFailureText({ code, message, ...(traceId !== undefined && { traceId }) }, texts);
  }
  if (error instanceof TransferError || error instanceof TransportError)
    return toFailureText({ code: error.failure, message: error.message }, texts);
  // Only reading a chosen file fails in this way.
  if (error instanceof DOMException) return texts.errors.unreadable;
  return texts.errors.requestFailed(error instanceof Error ? error.message : String(error));
}

const toUnableText = ({ why }: CannotVerify, texts: AppTexts['check']): string =>
  ({ insecure: texts.insecure, 'no-ed25519': texts.tooOld, broken: texts.broken })[why];
