// Error messages of sending, in the language of the page.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { dropWords } from '@recordproof/shared/words/drop.ts';

export type DropWords = (typeof dropWords)['en'];

export function explain(error: unknown, say: DropWords): string {
  if (!(error instanceof ApiError)) return error instanceof DOMException ? say.changed : say.broken;
  const reason = String(error.detail?.reason ?? '');
  switch (error.kind) {
    case 'FORBIDDEN':
      return say.wrong(Number(error.detail?.triesLeft ?? 0));
    case 'RATE_LIMITED':
      return say.tooMany(error.retryAfterSeconds ?? 60);
    case 'DROP_LINK_NOT_FOUND':
      return say.gone;
    case 'DROP_LINK_CLOSED':
      return reason === 'EXPIRED' ? say.expired : say.closed;
    case 'DROP_LINK_FULL':
      return reason === 'ADDRESS' ? say.fullAddress : reason === 'UNDER_WAY' ? say.fullNow : say.full;
    case 'QUOTA_EXCEEDED':
      return say.noRoom;
    case 'FILE_MAX_SIZE_OVERFLOW':
      return say.tooLarge;
    case 'FILE_EMPTY':
      return say.empty;
    case 'PARAM_IS_INVALID':
      return say.badName;
    case 'CONFLICT':
    case 'DATA_IS_WRONG':
      return say.changed;
    default:
      return say.failed;
  }
}
