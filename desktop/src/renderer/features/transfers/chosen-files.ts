// From what a person dropped or chose to files and the folders that they come from.
import { folderPath } from '@recordproof/shared/api/files.ts';
import type { ChosenFile } from '../../../bridge/bridge.ts';

/** A folder name that the server would not take (its rules stand in the contract) is left out, and the file is not. */
function toFolder(...parts: readonly string[]): string | null {
  const path = parts
    .filter(part => part !== '')
    .join('/')
    .normalize('NFC');
  return folderPath.safeParse(path).success ? path : null;
}

const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

export const fromInput = (files: Iterable<File>, into: string): ChosenFile[] =>
  [...files].map(file => ({ file, folder: toFolder(into, folderOf(file.webkitRelativePath)), handle: null }));

const fileOf = (entry: FileSystemFileEntry): Promise<File> => new Promise((done, failed) => entry.file(done, failed));

/** A reader gives a hundred at a time, and none at the end. */
async function* listEntries(folder: FileSystemDirectoryEntry): AsyncGenerator<FileSystemEntry> {
  const reader = folder.createReader();
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((done, failed) => reader.readEntries(done, failed));
    if (some.length === 0) return;
    yield* some;
  }
}

async function* walk(entry: FileSystemEntry, into: string): AsyncGenerator<ChosenFile> {
  if (entry.isFile) {
    const file = await fileOf(entry as FileSystemFileEntry);
    yield { file, folder: toFolder(into, folderOf(entry.fullPath.replace(/^\//, ''))), handle: null };
    return;
  }
  for await (const one of listEntries(entry as FileSystemDirectoryEntry)) yield* walk(one, into);
}

/** What was dropped has to be asked for at once: it is gone after the event. */
export async function fromDrop(transfer: DataTransfer, into: string): Promise<ChosenFile[]> {
  const entries = [...transfer.items].flatMap(item => item.webkitGetAsEntry() ?? []);
  const chosen: ChosenFile[] = [];
  for (const entry of entries) for await (const file of walk(entry, into)) chosen.push(file);
  return chosen;
}
