// What the list of files knows: pages that come as they are looked at, folders, what may be shown.
import type { File } from '@recordproof/shared/api/files.ts';
import { expect, test } from 'vitest';
import { openFilePages } from './file-pages.ts';
import { listBelow } from './folders.ts';
import { previewKindOf } from './preview-kinds.ts';

const total = 100_000;
const settled = () => new Promise(resolve => setImmediate(resolve));

const fileAt = (index: number): File => ({
  id: String(index + 1),
  fileName: `${index}`,
  path: null,
  fileHash: index.toString(16).padStart(64, '0'),
  contentHash: `sha256:${'0'.repeat(64)}`,
  fileSize: 1,
  contentType: 'text/plain',
  status: 1,
  version: 1,
  isLatest: true,
  versionGroupId: String(index + 1),
  parentVersionId: null,
  transactionHash: null,
  manifestHash: null,
  proofStatus: 'NONE',
  ownerName: 'ada',
  createdAt: '2026-01-31T12:00:00.000Z',
  originOwnerName: null,
  sharedFromUserName: null,
});

function openPages() {
  const asked: number[] = [];
  const pages = openFilePages(async (page, size) => {
    asked.push(page);
    const records = Array.from({ length: size }, (_, at) => fileAt((page - 1) * size + at));
    return { records, total, current: page, size, pages: total / size };
  });
  return { pages, asked };
}

test('of a hundred thousand files those are fetched that are looked at, each page once', async () => {
  const { pages, asked } = openPages();
  pages.want(0, 30);
  await settled();
  expect(pages.known.get().total).toBe(total);
  pages.want(50_090, 50_110);
  pages.want(50_090, 50_110);
  await settled();
  expect(asked).toEqual([1, 501, 502]);
  expect(pages.find(50_105)?.fileName).toBe('50105');
  expect(pages.find(40_000)).toBeUndefined();
});

test('a refresh fetches what is looked at anew and leaves it shown meanwhile; a walk through all keeps sixty pages', async () => {
  const { pages, asked } = openPages();
  pages.want(0, 30);
  await settled();
  pages.refresh();
  expect(pages.find(3)?.fileName).toBe('3');
  await settled();
  expect(asked).toEqual([1, 1]);
  for (let first = 0; first < 10_000; first += 100) {
    pages.want(first, first + 30);
    await settled();
  }
  expect(pages.find(3)).toBeUndefined();
  expect(pages.find(9_903)?.fileName).toBe('9903');
});

test('what cannot be fetched is said, and what was there stays', async () => {
  let isDown = false;
  const pages = openFilePages(async () => {
    if (isDown) throw new Error('down');
    return { records: [fileAt(0)], total: 1, current: 1, size: 100, pages: 1 };
  });
  pages.want(0, 0);
  await settled();
  isDown = true;
  pages.refresh();
  await settled();
  expect(pages.known.get()).toMatchObject({ total: 1, error: new Error('down') });
  expect(pages.find(0)?.fileName).toBe('0');
});

test('folders directly below count what is in them and below them', () => {
  const folders = [
    { path: 'a', files: 1 },
    { path: 'a/b/c', files: 2 },
    { path: 'ab', files: 4 },
  ];
  expect(listBelow(folders, '')).toEqual([
    { name: 'a', path: 'a', files: 3 },
    { name: 'ab', path: 'ab', files: 4 },
  ]);
  expect(listBelow(folders, 'a')).toEqual([{ name: 'b', path: 'a/b', files: 2 }]);
  expect(listBelow(folders, 'ab')).toEqual([]);
});

test.each([
  ['image/png', 'picture'],
  ['text/plain; charset=utf-8', 'text'],
  ['TEXT/CSV', 'text'],
  ['text/html', null],
  ['image/svg+xml', null],
  ['application/xhtml+xml', null],
  ['text/xml', null],
  ['application/pdf', 'pdf'],
])('%s is shown as %s', (type, kind) => {
  expect(previewKindOf(type, 10)).toBe(kind);
  expect(previewKindOf(type, 1024 ** 3)).toBe(null);
});
