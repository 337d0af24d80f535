// Error messages of sending, in the language of the page.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { TransferError } from '@recordproof/shared/transfer/transfer-error.ts';
import type { dropWords } from '@recordproof/shared/words/drop.ts';

export type DropWords = (typeof dropWords)['en'];

export function explain(error: unknown, texts: DropWords): string {
  if (!(error instanceof ApiError)) return isChanged(error) ? texts.changed : texts.broken;
  const reason = String(error.detail?.reason ?? '');
  switch (error.kind) {
    case 'FORBIDDEN':
      return texts.wrong(Number(error.detail?.triesLeft ?? 0));
    case 'RATE_LIMITED':
      return texts.tooMany(error.retryAfterSeconds ?? 60);
    case 'DROP_LINK_NOT_FOUND':
      return texts.gone;
    case 'DROP_LINK_CLOSED':
      return reason === 'EXPIRED' ? texts.expired : texts.closed;
    case 'DROP_LINK_FULL':
      return reason === 'ADDRESS' ? texts.fullAddress : reason === 'UNDER_WAY' ? texts.fullNow : texts.full;
    case 'QUOTA_EXCEEDED':
      return texts.noRoom;
    case 'FILE_MAX_SIZE_OVERFLOW':
      return texts.tooLarge;
    case 'FILE_EMPTY':
      return texts.empty;
    case 'PARAM_IS_INVALID':
      return texts.badName;
    case 'CONFLICT':
    case 'DATA_IS_WRONG':
      return texts.changed;
    default:
      return texts.failed;
  }
}

const isChanged = (error: unknown): boolean =>
  error instanceof DOMException || (error instanceof TransferError && error.failure === 'source-changed');
