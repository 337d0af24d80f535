// State of the transfer tray: counts, browser downloads, result of a finished upload.
import { expect, test } from 'vitest';
import type { Download, TransferState, Upload } from '../../../bridge/bridge.ts';
import { toResult, toTray } from './tray-state.ts';

const upload = (id: string, state: TransferState, more: Partial<Upload> = {}): Upload => ({
  ...{ id, state, fileName: id, folder: null, files: 1, size: 10, targetFileId: null, progress: null },
  ...more,
});
const download = (id: string, state: TransferState): Download => ({
  ...{ id, state, progress: null, verified: false },
  wanted: { kind: 'file', fileHash: 'a'.repeat(64), fileName: id, size: 30 },
});
const done = (fileHash: string | null = null): TransferState => ({ kind: 'done', fileHash });
const failed: TransferState = { kind: 'failed', reason: { code: 'unreachable', message: '' } };
const running: TransferState = { kind: 'running' };
const none = new Set<string>();

test.each<[string, (Upload | Download)[], string]>([
  [
    'a transfer that needs a file first of all',
    [upload('a', running), upload('b', { kind: 'needs-file', mayAsk: false })],
    'needs-file',
  ],
  ['a running transfer before a failed one', [upload('a', failed), download('b', running)], 'running'],
  ['a failed transfer before a paused one', [upload('a', { kind: 'paused' }), upload('b', failed)], 'failed'],
  ['done when all are done', [upload('a', done()), download('b', done())], 'done'],
])('the tray shows %s', (_, transfers, phase) => {
  expect(toTray(transfers, none)?.phase).toBe(phase);
});

test('the tray tells a download of the browser itself from one that is done', () => {
  const handedOver: TransferState = { kind: 'done', fileHash: null, isHandedOver: true };
  expect(toTray([download('a', done())], none)).toMatchObject({ phase: 'done', isHandedOver: false });
  expect(toTray([download('a', done()), download('b', handedOver)], none)).toMatchObject({ isHandedOver: true });
});

test('the tray counts files and bytes not cleared; a running transfer stays when cleared', () => {
  const list = [upload('a', done(), { files: 30 }), upload('b', running), download('c', done())];
  expect(toTray(list, none)).toMatchObject({ done: 31, files: 32, share: 0.8, failed: 0 });
  expect(toTray(list, new Set(['a', 'b', 'c']))).toMatchObject({ done: 0, files: 1, phase: 'running' });
  expect(toTray([list[0] as Upload], new Set(['a']))).toBeNull();
});

test('the result of one upload is its file, of several their common folder, or none', () => {
  const resultOf = (...list: (Upload | Download)[]) => {
    const tray = toTray(list, none);
    return tray && toResult(tray);
  };
  const [one, two] = [upload('a', done('f'.repeat(64)), { folder: 'x' }), upload('b', done(), { folder: 'x' })];
  expect(resultOf(one)).toEqual({ folder: 'x', file: 'f'.repeat(64) });
  expect(resultOf(one, two)).toEqual({ folder: 'x', file: '' });
  expect(resultOf(one, upload('c', done()))).toBeNull();
  expect(resultOf(one, upload('c', running, { folder: 'x' }))).toBeNull();
  expect(resultOf(one, download('d', done()))).toBeNull();
});
