// Chosen files: from a drop, an input or handles to files with their folders.
import { folderPath } from '@recordproof/shared/api/files.ts';
import type { ChosenFile } from '../../../bridge/bridge.ts';
import { handleOf } from '../../../bridge/file-handles.ts';

/** A folder that the server would reject (rules in the contract) is dropped; the file is kept. */
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

/** A reader returns a hundred at a time, and none at the end. */
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

const isFolder = (handle: FileSystemHandle): handle is FileSystemDirectoryHandle => handle.kind === 'directory';
const isFile = (handle: FileSystemHandle): handle is FileSystemFileHandle => handle.kind === 'file';

async function* walkHandle(handle: FileSystemHandle, into: string, chosen = handle): AsyncGenerator<ChosenFile> {
  if (isFile(handle)) yield { file: await handle.getFile(), folder: toFolder(into), handle: { file: handle, chosen } };
  if (!isFolder(handle)) return;
  const below = into === '' ? handle.name : `${into}/${handle.name}`;
  for await (const one of handle.values()) yield* walkHandle(one, below, chosen);
}

export async function fromHandles(handles: readonly FileSystemHandle[], into: string): Promise<ChosenFile[]> {
  const chosen: ChosenFile[] = [];
  for (const handle of handles) for await (const file of walkHandle(handle, into)) chosen.push(file);
  return chosen;
}

/** Entries and handles must be requested during the event: they are gone after it. */
export async function fromDrop(transfer: DataTransfer, into: string, wantsHandles: boolean): Promise<ChosenFile[]> {
  const items = [...transfer.items].filter(({ kind }) => kind === 'file');
  const dropped = items.map(item => ({
    entry: item.webkitGetAsEntry(),
    handle: wantsHandles ? handleOf(item) : null,
  }));
  const chosen: ChosenFile[] = [];
  for (const { entry, handle } of dropped) {
    const kept = await handle;
    if (kept) chosen.push(...(await fromHandles([kept], into)));
    else if (entry) for await (const file of walk(entry, into)) chosen.push(file);
  }
  return chosen;
}
