// Name conflicts of chosen files, and the resolution of each: the next version of the existing file, a file under a
// numbered name, or none.
import { type File as FileRecord, listFiles, searchFiles } from '@recordproof/shared/api/files.ts';
import { numberedName } from '@recordproof/shared/file-path.ts';
import type { Bridge, ChosenFile } from '../../../bridge/bridge.ts';

export type ConflictChoice = 'newVersion' | 'keepBoth' | 'skip';

/** By folder, then by name. */
export type Taken = ReadonlyMap<string, ReadonlyMap<string, FileRecord>>;

const folderOf = ({ folder }: Pick<ChosenFile, 'folder'>): string => folder ?? '';

export const findTakenBy = (taken: Taken, chosen: ChosenFile): FileRecord | undefined =>
  taken.get(folderOf(chosen))?.get(chosen.file.name.normalize('NFC'));

const pageSize = 100;
/** Larger folders are queried for each name; with more names than this no question is asked. */
const mostPages = 20;
const mostNames = 50;
const mostFolders = 50;

export async function findTaken(call: Bridge['call'], chosen: readonly ChosenFile[]): Promise<Taken> {
  const taken = new Map<string, ReadonlyMap<string, FileRecord>>();
  for (const folder of [...new Set(chosen.map(folderOf))].slice(0, mostFolders)) {
    const names = chosen.filter(one => folderOf(one) === folder).map(({ file }) => file.name.normalize('NFC'));
    const records = await listTaken(call, folder, names);
    taken.set(folder, new Map(records.map(record => [record.fileName, record])));
  }
  return taken;
}

async function listTaken(call: Bridge['call'], folder: string, names: readonly string[]): Promise<FileRecord[]> {
  const list = (page: number) => call(listFiles, { query: { folder, page, size: pageSize } });
  const first = await list(1);
  if (first.pages > mostPages) return findEach(call, folder, names.slice(0, mostNames));
  const records = [...first.records];
  for (let page = 2; page <= first.pages; page += 1) records.push(...(await list(page)).records);
  return records;
}

async function findEach(call: Bridge['call'], folder: string, names: readonly string[]): Promise<FileRecord[]> {
  const found: FileRecord[] = [];
  for (const keyword of names) {
    const query = { folder, keyword, keywordMode: 'REFERENCE', size: pageSize } as const;
    const { records } = await call(searchFiles, { query });
    found.push(...records.filter(({ fileName }) => fileName === keyword));
  }
  return found;
}

type Upload = { readonly chosen: readonly ChosenFile[]; readonly targetFileId?: string };

/** The uploads after every question has its answer: the new files together, and each new version by itself. */
export function toUploads(
  chosen: readonly ChosenFile[],
  taken: Taken,
  choiceOf: (chosen: ChosenFile) => ConflictChoice | undefined,
): Upload[] {
  const fresh: ChosenFile[] = [];
  const versions: Upload[] = [];
  const used = new Map([...taken].map(([folder, names]) => [folder, new Set(names.keys())]));
  for (const one of chosen) {
    const there = findTakenBy(taken, one);
    const choice = there && choiceOf(one);
    if (there && choice === 'newVersion') versions.push({ chosen: [one], targetFileId: there.id });
    else if (choice === 'keepBoth') fresh.push(renamed(one, used.get(folderOf(one)) ?? new Set()));
    else if (choice === undefined) fresh.push(one);
  }
  return [...(fresh.length > 0 ? [{ chosen: fresh }] : []), ...versions];
}

/** Without its handle, which would bring the old name back after a reload. */
function renamed(chosen: ChosenFile, used: Set<string>): ChosenFile {
  const { file } = chosen;
  let number = 2;
  while (used.has(numberedName(file.name, number))) number += 1;
  const name = numberedName(file.name, number);
  used.add(name);
  const { type, lastModified } = file;
  return { ...chosen, file: new File([file], name, { type, lastModified }), handle: null };
}
