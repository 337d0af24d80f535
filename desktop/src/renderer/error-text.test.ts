// Texts of errors in the app: server errors, transfer failures, trace ids.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { TransferError, type TransferFailure } from '@recordproof/shared/transfer/transfer-error.ts';
import { appWords } from '@recordproof/shared/words/app.ts';
import { expect, test } from 'vitest';
import { toFailure } from '../ipc/failures.ts';
import { toErrorText, toFailureText } from './error-text.ts';

const texts = appWords.en;
const traceId = '0123456789abcdef0123456789abcdef';

test.each<[TransferFailure, string]>([
  ['wrong-bytes', texts.errors.wrongBytes],
  ['wrong-answer', texts.errors.unexpected],
  ['list-full', texts.errors.listFull],
  ['too-large', texts.errors.tooLargeToShow],
  ['gave-up', texts.errors.unreachable],
])('a transfer that fails with %s says so', (failure, text) => {
  expect(toErrorText(new TransferError(failure, 'why'), texts)).toBe(text);
});

test('a protocol mismatch claims nothing about received bytes', () => {
  expect(texts.errors.unexpected).toContain('unexpected response');
  expect(texts.errors.listFull).toContain('Clear finished transfers');
});

test('an error without a text of its own is shown with its message, and its trace id if there is one', () => {
  const message = 'run 7 is PAUSED';
  expect(toErrorText(new ApiError('RUN_STATE_CONFLICT', message), texts)).toBe(`The request failed: ${message}`);
  expect(toErrorText(new ApiError('RUN_STATE_CONFLICT', message, { traceId }), texts)).toBe(
    `The request failed: ${message} (trace id ${traceId})`,
  );
  expect(toErrorText(new Error('why'), texts)).toBe('The request failed: why');
});

test('only requests that were answered before read as already done', () => {
  const read = (kind: ConstructorParameters<typeof ApiError>[0]) => toErrorText(new ApiError(kind), texts);
  expect([read('FRIEND_REQUEST_PROCESSED'), read('ALREADY_FRIENDS')]).toEqual(Array(2).fill(texts.errors.answered));
  expect(read('FRIEND_REQUEST_EXISTS')).toBe(texts.errors.requestPending);
  expect(read('INVALID_TICKET_STATUS')).toBe(texts.errors.ticketStatus);
  expect(read('TICKET_ALREADY_CLOSED')).toBe(texts.errors.ticketClosed);
});

test.each(['en', 'zh'] as const)('an error of the server is shown with its trace id (%s)', language => {
  const error = new ApiError('INTERNAL', undefined, { traceId });
  expect(toErrorText(error, appWords[language])).toContain(traceId);
  expect(toErrorText(new ApiError('INTERNAL'), appWords[language])).not.toContain('undefined');
});

test('a stored failure keeps the trace id', () => {
  const stored = toFailure(new ApiError('INTERNAL', undefined, { traceId }));
  expect(toFailureText(stored, texts)).toContain(traceId);
});
