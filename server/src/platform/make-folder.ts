// Creation of owner-only folders, one level at a time: Node's recursive mkdir loops forever where a folder exists but
// nothing can be created in it, as below /proc.
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** A folder cannot be created; the message is one sentence. */
export class FolderError extends Error {}

/** Makes new and renamed entries of the folder survive a power failure. */
export function syncFolder(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** `path` is absolute. Safe to call from several processes at once. */
export function makeFolder(path: string): void {
  if (existsSync(path)) {
    if (!statSync(path).isDirectory()) throw new FolderError(`${path} is not a folder.`);
    return;
  }
  if (dirname(path) !== path) makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
    syncFolder(dirname(path));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && existsSync(path)) return;
    throw new FolderError(`the folder ${path} cannot be created (${code}); choose another with --data.`);
  }
}
