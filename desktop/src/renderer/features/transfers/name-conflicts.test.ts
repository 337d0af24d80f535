// Name conflicts of chosen files, and their resolution.
import type { File as FileRecord } from '@recordproof/shared/api/files.ts';
import { expect, test } from 'vitest';
import type { Bridge, ChosenFile } from '../../../bridge/bridge.ts';
import { type ConflictChoice, findTaken, findTakenBy, toUploads } from './name-conflicts.ts';

const record = (id: string, fileName: string) => ({ id, fileName }) as FileRecord;
const choose = (name: string, folder: string | null = null): ChosenFile => ({
  file: new File([name], name, { type: 'text/plain' }),
  folder,
  handle: null,
});

/** A server whose folders hold these names, in pages of a hundred. */
function serverOf(folders: Readonly<Record<string, readonly string[]>>) {
  const asked: string[] = [];
  const call = (async (
    { name }: { readonly name: string },
    { query }: { query: { folder: string; page?: number; keyword?: string } },
  ) => {
    const names = (folders[query.folder] ?? []).filter(one => query.keyword === undefined || one === query.keyword);
    asked.push(`${name} ${query.folder} ${query.keyword ?? query.page}`);
    const start = ((query.page ?? 1) - 1) * 100;
    const records = names.slice(start, start + 100).map(one => record(`${query.folder}/${one}`, one));
    return { records, pages: Math.ceil(names.length / 100) };
  }) as unknown as Bridge['call'];
  return { call, asked };
}

test('each selected file is compared with the names in its own folder', async () => {
  const { call, asked } = serverOf({ '': ['a.txt'], 'x/y': ['b.txt', 'é.txt'] });
  const chosen = [choose('a.txt'), choose('a.txt', 'x/y'), choose('b.txt', 'x/y'), choose('e\u0301.txt', 'x/y')];
  const taken = await findTaken(call, chosen);
  expect(chosen.map(one => findTakenBy(taken, one)?.id)).toEqual(['/a.txt', undefined, 'x/y/b.txt', 'x/y/é.txt']);
  expect(asked).toEqual(['listFiles  1', 'listFiles x/y 1']);
});

test('a large folder is searched for the selected names only', async () => {
  const names = Array.from({ length: 2001 }, (_, at) => `${at}.txt`);
  const { call, asked } = serverOf({ '': names });
  const taken = await findTaken(call, [choose('1999.txt'), choose('other.txt')]);
  expect([...(taken.get('')?.keys() ?? [])]).toEqual(['1999.txt']);
  expect(asked).toEqual(['listFiles  1', 'searchFiles  1999.txt', 'searchFiles  other.txt']);
});

test('the choices become uploads: new versions, numbered names, and none for skipped files', async () => {
  const { call } = serverOf({ '': ['a.txt', 'a (2).txt', 'b.txt', 'c.txt'] });
  const chosen = [choose('a.txt'), choose('b.txt'), choose('c.txt'), choose('new.txt')];
  const taken = await findTaken(call, chosen);
  const answers: Readonly<Record<string, ConflictChoice>> = {
    'a.txt': 'keepBoth',
    'b.txt': 'newVersion',
    'c.txt': 'skip',
  };
  const uploads = toUploads(chosen, taken, ({ file }) => answers[file.name]);
  expect(uploads.map(one => [one.targetFileId, ...one.chosen.map(({ file }) => file.name)])).toEqual([
    [undefined, 'a (3).txt', 'new.txt'],
    ['/b.txt', 'b.txt'],
  ]);
  expect(await uploads[0]?.chosen[0]?.file.text()).toBe('a.txt');
});
