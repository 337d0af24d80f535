// Downloads are the same if they fetch the same content.
import { expect, test } from 'vitest';
import type { DownloadRequest } from './bridge.ts';
import { isUnfinished } from './download-request.ts';

const file: DownloadRequest = { kind: 'file', fileHash: 'a'.repeat(64), fileName: 'a.bin', size: 1 };
const proof: DownloadRequest = { kind: 'proof', fileId: '1', fileName: 'a.zip', form: 'proof' };
const shared: DownloadRequest = { ...file, kind: 'shared-file', code: 'one', grant: null };

test.each<[string, DownloadRequest, string, DownloadRequest, boolean]>([
  ['a running one of the same file', file, 'running', { ...file, fileName: 'renamed.bin' }, true],
  ['a paused one of the same file', file, 'paused', file, true],
  ['one that is done', file, 'done', file, false],
  ['one of another file', file, 'running', { ...file, fileHash: 'b'.repeat(64) }, false],
  ['the same file of a share', file, 'running', shared, false],
  ['the same file of the same share', shared, 'running', { ...shared, grant: 'x' }, true],
  ['the same file of another share', shared, 'running', { ...shared, code: 'two' }, false],
  ['the proof in the same form', proof, 'running', proof, true],
  ['the proof in another form', proof, 'running', { ...proof, form: 'evidence' }, false],
  ['the proof of the file', file, 'running', proof, false],
])('%s', (_, task, kind, wanted, isSame) => {
  expect(isUnfinished({ task, state: { kind } }, wanted)).toBe(isSame);
});
