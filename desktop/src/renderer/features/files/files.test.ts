// State of the list of files: pages loaded as they become visible, folders, previews.
import type { File } from '@recordproof/shared/api/files.ts';
import { viewOf } from '@recordproof/shared/preview-kinds.ts';
import { expect, test } from 'vitest';
import { splitName } from '../../ui/file-name.tsx';
import { openFilePages } from './file-pages.ts';
import { hasFilters, readFilters, toQuery } from './filters.ts';
import { mayMoveTo, toMovedFiles } from './use-move.ts';
import { changeSelection, noSelection, turn } from './use-selecting.ts';

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

test('of a hundred thousand files only visible pages are loaded, each once', async () => {
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

test('a refresh reloads the visible pages and keeps showing them; scrolling keeps at most sixty pages', async () => {
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

test('a failed refresh keeps the loaded pages and reports the error', async () => {
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

test('a range contains all its files: missing pages are loaded, and loaded ones are not loaded twice', async () => {
  const { pages, asked } = openPages();
  pages.want(0, 30);
  await settled();
  const counts: number[] = [];
  const { signal } = new AbortController();
  const files = await pages.fetchRange(50, 10_017, { signal, onProgress: count => counts.push(count) });
  expect(files.map(({ fileName }) => Number(fileName))).toEqual(Array.from({ length: 9968 }, (_, at) => at + 50));
  expect(asked).toEqual(Array.from({ length: 101 }, (_, at) => at + 1));
  expect(counts.at(-1)).toBe(9968);
  await expect(pages.fetchRange(0, 500, { signal: AbortSignal.abort(new Error('over')) })).rejects.toThrow('over');
});

test('a range replaces the previous range and keeps individually selected files', () => {
  const files = [0, 1, 2, 3].map(fileAt);
  const [zero, one, two, three] = files as [File, File, File, File];
  const base = turn(noSelection, zero);
  const longer = changeSelection(base, { kind: 'extend', base, files: [one, two, three] });
  expect([...longer.values()]).toEqual(files);
  const shorter = changeSelection(longer, { kind: 'extend', base, files: [one] });
  expect([...shorter.values()]).toEqual([zero, one]);
  expect([...changeSelection(shorter, { kind: 'remove', files: [zero] }).values()]).toEqual([one]);
  expect(changeSelection(shorter, { kind: 'turn', file: one })).toEqual(base);
  expect(changeSelection(shorter, { kind: 'clear' }).size).toBe(0);
});

test.each([
  ['report.pdf', 'report.pdf', ''],
  ['quarterly report of the year 2026 final.pdf', 'quarterly report of the year 2026 ', 'final.pdf'],
  ['a very long name without an extension', 'a very long name without an exte', 'nsion'],
  ['名'.repeat(30), '名'.repeat(25), '名'.repeat(5)],
  [`${'a'.repeat(20)}👩‍👩‍👧.txt`, 'a'.repeat(16), 'aaaa👩‍👩‍👧.txt'],
  ['.a-hidden-file-with-a-long-name', '.a-hidden-file-with-a-long', '-name'],
])('%s keeps its beginning and its end', (name, head, tail) => {
  expect(splitName(name)).toEqual({ head, tail });
});

test('dragged files move only to another folder, and no folder moves into itself', () => {
  const files = toMovedFiles([{ ...fileAt(1), path: 'a/b' }]);
  expect(['a/b', 'a', ''].map(folder => mayMoveTo(files, folder))).toEqual([false, true, true]);
  const several = toMovedFiles([fileAt(1), { ...fileAt(2), path: 'a/b' }]);
  expect(['', 'a/b'].map(into => mayMoveTo(several, into))).toEqual([true, true]);
  const folder = { kind: 'folder', path: 'a/b' } as const;
  expect(['a', 'a/b', 'a/b/c', 'a/bc', ''].map(into => mayMoveTo(folder, into))).toEqual([
    false,
    false,
    false,
    true,
    true,
  ]);
});

test('filters are read from the address, and invalid ones are ignored', () => {
  const read = (text: string) => readFilters(new URLSearchParams(text));
  const given = read('type=image&proof=ISSUED&shared=true&from=2026-01-31&to=2026-02-01&min=10&search=x');
  expect(toQuery(given)).toEqual({
    type: 'image',
    proofStatus: 'ISSUED',
    shared: true,
    startTime: new Date('2026-01-31T00:00:00').toISOString(),
    endTime: new Date(new Date('2026-02-02T00:00:00').getTime() - 1).toISOString(),
    minSize: 10 * 1024 * 1024,
  });
  const broken = read('type=everything&proof=x&shared=1&from=yesterday&min=-1');
  expect([hasFilters(broken), toQuery(broken)]).toEqual([false, {}]);
});

test.each([
  ['image/png', 'image'],
  ['text/plain; charset=utf-8', 'text'],
  ['TEXT/CSV', 'text'],
  ['text/html', null],
  ['image/svg+xml', null],
  ['application/xhtml+xml', null],
  ['text/xml', null],
  ['application/pdf', 'pdf'],
  ['video/mp4', 'video'],
])('%s is shown as %s', (type, kind) => {
  const viewed = (fileSize: number) => viewOf({ contentType: type, fileSize }).kind;
  expect([viewed(10), viewed(0)]).toEqual([kind, null]);
  expect(viewed(1024 ** 3), 'media come in ranges').toBe(kind === 'video' ? kind : null);
});
