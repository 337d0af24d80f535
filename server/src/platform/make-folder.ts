// Folders that only their owner may enter, made one level at a time. Node's own way of making a whole path goes round
// for ever where a folder is there and yet nothing can be made in it, as below /proc.
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** A folder cannot be made; the message is one sentence. */
export class FolderRefused extends Error {}

/** What was made or renamed in the folder survives a power cut. */
export function syncFolder(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** `path` is absolute. May be called by several processes at once. */
export function makeFolder(path: string): void {
  if (existsSync(path)) {
    if (!statSync(path).isDirectory()) throw new FolderRefused(`${path} is not a folder.`);
    return;
  }
  if (dirname(path) !== path) makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
    syncFolder(dirname(path));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && existsSync(path)) return;
    throw new FolderRefused(`the folder ${path} cannot be made (${code}); choose another with --data.`);
  }
}
