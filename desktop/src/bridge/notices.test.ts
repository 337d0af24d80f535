// Desktop notifications of server events: language, length, muted kinds.
import type { ServerEvent } from '@recordproof/shared/api/sse.ts';
import { shellWords } from '@recordproof/shared/words/shell.ts';
import { expect, test } from 'vitest';
import { type NoticeSettings, toNotice } from './notices.ts';

const timestamp = '2026-01-31T12:00:00.000Z';
const all: NoticeSettings = { isOn: true, silent: [] };
const share: ServerEvent = {
  type: 'friend-share',
  timestamp,
  payload: { shareId: '1', sharerName: '<b>Ada</b>', fileCount: 1, message: '' },
};

test('a notification is in the language of the app, and shows text of others unchanged', () => {
  expect(toNotice(share, shellWords.en, all)).toEqual({ title: 'Files shared with you', body: '<b>Ada</b>: 1 file' });
  expect(toNotice(share, shellWords.zh, all)).toEqual({ title: '有人向您分享了文件', body: '<b>Ada</b>：1 个文件' });
});

test('a long text is cut, and an irrelevant event shows nothing', () => {
  const payload = { clientId: 'c', fileName: 'x'.repeat(300), reason: '' };
  expect(toNotice({ type: 'file-failed', timestamp, payload }, shellWords.en, all)?.body).toHaveLength(200);
  expect(
    toNotice({ type: 'connected', timestamp, payload: { connectionId: 'c', missed: false } }, shellWords.en, all),
  ).toBeUndefined();
});

test('muted kinds and muted notifications show nothing', () => {
  expect(toNotice(share, shellWords.en, { isOn: true, silent: ['messages'] })).toBeDefined();
  expect(toNotice(share, shellWords.en, { isOn: true, silent: ['messages', 'gifts'] })).toBeUndefined();
  expect(toNotice(share, shellWords.en, { isOn: false, silent: [] })).toBeUndefined();
});
