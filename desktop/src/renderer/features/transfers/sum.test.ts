// Sum of the list of transfers.
import { expect, test } from 'vitest';
import type { Download, Upload } from '../../../bridge/bridge.ts';
import { sumOf } from './sum.ts';

const progress = (bytesMoved: number, totalBytes: number) =>
  ({ phase: 'sending', totalBytes, bytesHashed: 0, bytesMoved, bytesPerSecond: 1, etaSeconds: 1, retries: 0 }) as const;

const zip = (state: Download['state'], sizes: Download['progress']): Download => ({
  ...{ id: 'z', state, progress: sizes, verified: false },
  wanted: { kind: 'zip', content: { kind: 'folder', path: 'a' }, fileName: 'a.zip', size: 0 },
});

const upload = (files: number, size: number, more: Partial<Upload>): Upload => ({
  id: String(size),
  fileName: 'a',
  folder: null,
  files,
  size,
  targetFileId: null,
  state: { kind: 'waiting' },
  progress: null,
  ...more,
});

test('files and bytes are counted, also of paused transfers, and never exceed the total', () => {
  const proof: Download = {
    id: 'p',
    wanted: { kind: 'proof', fileId: '1', fileName: 'a.zip', form: 'proof' },
    state: { kind: 'done', fileHash: null },
    progress: null,
    verified: false,
  };
  const sum = sumOf([
    upload(40, 1000, { state: { kind: 'done', fileHash: null } }),
    upload(1, 500, { state: { kind: 'paused' }, progress: progress(200, 500) }),
    upload(2, 15, { state: { kind: 'running' }, progress: progress(73, 15) }),
    upload(3, 30, {}),
    proof,
  ]);
  expect(sum).toEqual({ done: { files: 41, bytes: 1215 }, all: { files: 47, bytes: 1545 } });
  expect(sumOf([])).toEqual({ done: { files: 0, bytes: 0 }, all: { files: 0, bytes: 0 } });
});

test('a folder has the size that its server announced', () => {
  const running: Download['state'] = { kind: 'running' };
  expect(sumOf([zip(running, null)])).toMatchObject({ done: { bytes: 0 }, all: { bytes: 0 } });
  expect(sumOf([zip(running, progress(30, 90))])).toMatchObject({ done: { bytes: 30 }, all: { bytes: 90 } });
  expect(sumOf([zip({ kind: 'done', fileHash: null }, progress(99, 90))]).done).toEqual({ files: 1, bytes: 90 });
});
