// Files of unfinished uploads in IndexedDB: their metadata, and their handles if the browser provides one. In a
// browser that stores nothing, the user has to choose the files again after a reload.
import { once } from '@recordproof/shared/once.ts';
import { z } from 'zod';
import type { ChosenFile } from '../bridge.ts';
import { mayRead } from '../file-handles.ts';
import { type HeldFile, listAllUploads } from './upload-list.ts';

const isHandle = (value: unknown): boolean => typeof value === 'object' && value !== null && 'isSameEntry' in value;

const keptFile = z.object({
  name: z.string(),
  folder: z.string().nullable(),
  size: z.int(),
  lastModified: z.number(),
  handle: z
    .object({ file: z.custom<FileSystemFileHandle>(isHandle), chosen: z.custom<FileSystemHandle>(isHandle) })
    .nullable(),
});
type KeptFile = z.infer<typeof keptFile>;

const storeName = 'files';

const openDatabase = once(
  () =>
    new Promise<IDBDatabase>((resolve, reject) => {
      const opening = indexedDB.open('recordproof-uploads', 1);
      opening.onupgradeneeded = () => opening.result.createObjectStore(storeName);
      opening.onsuccess = () => resolve(opening.result);
      opening.onerror = () => reject(opening.error);
    }),
);

async function inStore(work: (store: IDBObjectStore) => IDBRequest): Promise<unknown> {
  const database = await openDatabase();
  const request = work(database.transaction(storeName, 'readwrite').objectStore(storeName));
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

const toKept = ({ file, folder, handle }: ChosenFile): KeptFile => {
  const { name, size, lastModified } = file;
  return { name, folder, size, lastModified, handle };
};

export async function keepFiles(id: string, chosen: readonly ChosenFile[]): Promise<void> {
  await inStore(store => store.put(chosen.map(toKept), id)).catch(() => undefined);
}

export async function findKeptFiles(id: string): Promise<KeptFile[]> {
  const found = await inStore(store => store.get(id)).catch(() => undefined);
  return z.array(keptFile).safeParse(found).data ?? [];
}

export async function forgetFiles(id: string): Promise<void> {
  await inStore(store => store.delete(id)).catch(() => undefined);
}

/** Removes files that no list names any more. */
export async function sweepFiles(): Promise<void> {
  const ids = await inStore(store => store.getAllKeys()).catch(() => []);
  const listed = new Set(listAllUploads());
  for (const id of z.array(z.string()).safeParse(ids).data ?? []) if (!listed.has(id)) await forgetFiles(id);
}

/** All files, by their handles; undefined where one cannot be read, is missing or has changed. */
export async function reopen(kept: readonly KeptFile[], how: 'query' | 'ask'): Promise<HeldFile[] | undefined> {
  const handles = kept.flatMap(({ handle }) => handle ?? []);
  if (kept.length === 0 || handles.length < kept.length) return undefined;
  for (const chosen of new Set(handles.map(handle => handle.chosen)))
    if (!(await mayRead(chosen, how))) return undefined;
  const held: HeldFile[] = [];
  for (const one of kept) {
    const file = await one.handle?.file.getFile().catch(() => undefined);
    if (!file || file.size !== one.size || file.lastModified !== one.lastModified) return undefined;
    held.push({ file, folder: one.folder });
  }
  return held;
}

/** Matches chosen files by metadata; undefined where one is missing. */
export function findAgain(kept: readonly KeptFile[], chosen: readonly ChosenFile[]): HeldFile[] | undefined {
  const held: HeldFile[] = [];
  for (const { name, folder, size, lastModified } of kept) {
    const isIt = ({ file, folder: shown }: ChosenFile) =>
      file.name === name &&
      file.size === size &&
      file.lastModified === lastModified &&
      (folder ?? '').endsWith(shown ?? '');
    const found = chosen.find(isIt);
    if (!found) return undefined;
    held.push({ file: found.file, folder });
  }
  return held;
}
