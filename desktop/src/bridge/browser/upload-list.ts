// Unfinished uploads of the users of this browser, in localStorage, so that a reload shows them again. The metadata of
// their files is in kept-files.ts.
import { z } from 'zod';
import type { RestState, Transfer } from '../../engine/transfer-queue.ts';
import type { ChosenFile } from '../bridge.ts';

const entry = z.object({
  id: z.string(),
  fileName: z.string(),
  folder: z.string().nullable(),
  files: z.int().min(1).default(1),
  size: z.int(),
  targetFileId: z.string().nullable(),
  isPaused: z.boolean().default(false),
});
type ListedUpload = z.infer<typeof entry>;

/** A file that can be read, and the folder that it goes into. */
export type HeldFile = Pick<ChosenFile, 'file' | 'folder'>;

/** `held`: its files, where they can be read without asking the person. */
export type UploadTask = Omit<ListedUpload, 'id' | 'isPaused'> & { readonly held: readonly HeldFile[] | null };
type StoredUpload = Transfer<UploadTask>;

const prefix = 'recordproof:uploads:';
const mostListed = 2000;

const toListed = ({ id, task: { held: _, ...task }, state }: StoredUpload): ListedUpload => ({
  id,
  ...task,
  isPaused: state.kind === 'paused',
});

export function toTransfer(account: string, listed: ListedUpload, held: UploadTask['held']): StoredUpload {
  const { id, isPaused, ...task } = listed;
  const unpaused: RestState = held ? { kind: 'waiting' } : { kind: 'needs-file', mayAsk: false };
  const state: RestState = isPaused ? { kind: 'paused' } : unpaused;
  return { id, account, task: { ...task, held }, state, verified: false, progress: null };
}

export function readUploads(account: string): ListedUpload[] {
  try {
    return z.array(entry).parse(JSON.parse(localStorage.getItem(prefix + account) ?? '[]'));
  } catch {
    return [];
  }
}

export const listAllUploads = (): string[] =>
  Object.keys(localStorage)
    .filter(key => key.startsWith(prefix))
    .flatMap(key => readUploads(key.slice(prefix.length)))
    .map(({ id }) => id);

/** Reads the list again first: another tab may have written it. */
function change(account: string, edit: (list: readonly ListedUpload[]) => readonly ListedUpload[]): void {
  try {
    localStorage.setItem(prefix + account, JSON.stringify(edit(readUploads(account)).slice(-mostListed)));
  } catch {
    // The browser is full: these uploads end with the tab.
  }
}

export function addUploads(added: readonly StoredUpload[]): void {
  for (const account of new Set(added.map(one => one.account)))
    change(account, list => [...list, ...added.filter(one => one.account === account).map(toListed)]);
}

/** Only while it is listed. */
export const replaceUpload = (upload: StoredUpload): void =>
  change(upload.account, list => list.map(one => (one.id === upload.id ? toListed(upload) : one)));

export const removeUpload = ({ id, account }: Pick<StoredUpload, 'id' | 'account'>): void =>
  change(account, list => list.filter(one => one.id !== id));
