// Explanations of upload errors on the page of a drop link.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { HttpBroken } from '@recordproof/shared/transfer/ports.ts';
import { TransferError } from '@recordproof/shared/transfer/transfer-error.ts';
import { dropWords } from '@recordproof/shared/words/drop.ts';
import { expect, test } from 'vitest';
import { explain } from './drop-words.ts';

test.each([
  [new TransferError('source-changed', 'it was changed'), 'changed'],
  [new ApiError('DATA_IS_WRONG', 'other bytes'), 'changed'],
  [new TransferError('gave-up', '6 tries have failed'), 'broken'],
  [new HttpBroken('the connection broke'), 'broken'],
] as const)('%s is explained as: %s', (error, text) => {
  expect(explain(error, dropWords.en)).toBe(dropWords.en[text]);
});
