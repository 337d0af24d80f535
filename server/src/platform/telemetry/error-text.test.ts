// Text of an error for logs: one line, without secrets, limited in length.
import { expect, test } from 'vitest';
import { toErrorText } from './error-text.ts';

test('an error is formatted as one line with its name and code', () => {
  const error = Object.assign(new TypeError('no\nsuch   file'), { code: 'ENOENT' });
  expect(toErrorText(error)).toBe('TypeError ENOENT: no such file');
  expect(toErrorText(new Error('plain'))).toBe('plain');
  expect(toErrorText('thrown text')).toBe('thrown text');
  expect(toErrorText('\u001b[31mred\u009b2J\u0007')).toBe(' [31mred 2J ');
});

test('secrets are removed from the text', () => {
  const token = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJlc2lnbmF0dXJl';
  for (const text of [
    'connect postgres://me:hunter2@db/x failed',
    'GET https://s3/x?X-Amz-Signature=hunter2&b=hunter2 failed',
    'Authorization: Bearer hunter2',
    'password=hunter2',
    '{"token":"hunter2"}',
    `bad token ${token}`,
    `key ${'hunter2'.repeat(8)}`,
  ]) {
    const line = toErrorText(new Error(text));
    expect(line).not.toContain('hunter2');
    expect(line).not.toContain(token);
    expect(line).toContain('(cut)');
  }
});

test('a path is kept, and the text is limited in length', () => {
  const path = `/var/lib/recordproof/objects/aa/bb/${'c'.repeat(64)}`;
  expect(toErrorText(new Error(`cannot open '${path}'`))).toContain(path);
  expect(toErrorText(new Error('x '.repeat(5000))).length).toBe(500);
});
