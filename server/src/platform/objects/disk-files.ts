// File operations of the disk store: publishing files, temporary files of live and dead processes, and the mapping of
// system errors. Independent of keys.
import { createHash, randomBytes } from 'node:crypto';
import { link, lstat, readdir, rename, rm, stat, unlink, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { errnoOf, isDiskFailure } from '../durable-files.ts';
import { ObjectStoreError } from './object-store.ts';

const kindByErrno: Readonly<Record<string, [ObjectStoreError['kind'], string]>> = {
  ENOSPC: ['NO_SPACE', 'the disk of the object store is full'],
  EDQUOT: ['NO_SPACE', 'the disk quota of the object store is used up'],
  EROFS: ['DENIED', 'the object store lies on a read-only disk'],
  EACCES: ['DENIED', 'the server may not use the folder of the object store'],
  EPERM: ['DENIED', 'the server may not use the folder of the object store'],
  EISDIR: ['CORRUPT', 'a folder has the path of a stored object'],
  ENOTDIR: ['CORRUPT', 'a file has the path of a folder of the object store'],
  ELOOP: ['CORRUPT', 'a link has the path of a stored object'],
  EMFILE: ['UNAVAILABLE', 'too many files are open'],
  ENFILE: ['UNAVAILABLE', 'too many files are open'],
  ENOENT: ['NOT_FOUND', 'no such object'],
  EEXIST: ['EXISTS', 'this object already exists'],
};

export function toStoreError(error: unknown): ObjectStoreError {
  if (error instanceof ObjectStoreError) return error;
  const errno = errnoOf(error);
  const mapped = errno === undefined ? undefined : kindByErrno[errno];
  if (mapped !== undefined) return new ObjectStoreError(mapped[0], mapped[1], error);
  if (errno !== undefined && isDiskFailure(errno))
    return new ObjectStoreError('DISK_FAILED', `the disk of the object store failed with ${errno}`, error);
  return new ObjectStoreError('FAILED', `the object store failed${errno === undefined ? '' : ` with ${errno}`}`, error);
}

/** A folder at the path of an object is damage. True if there was one. */
async function removeFolder(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => null);
  if (!found?.isDirectory()) return false;
  await rm(path, { recursive: true });
  return true;
}

/** Renames the file over whatever is at the path. */
export async function replace(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (!(await removeFolder(to))) throw error;
    await rename(from, to);
  }
}

/** Throws ENOENT if there is nothing. */
export async function takeAway(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (!(await removeFolder(path))) throw error;
  }
}

const host = createHash('sha256').update(hostname()).digest('hex').slice(0, 8);
const instance = randomBytes(6).toString('hex');
let counter = 0;

/** Identifies the machine and process of a temporary file, so that only those of dead processes are deleted. */
export const toTemporaryName = (): string => `${host}.${process.pid}.${instance}.${++counter}`;

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errnoOf(error) === 'EPERM';
  }
};

export function isFromDeadProcess(name: string): boolean {
  const [owner, pid, life] = name.split('.');
  if (owner !== host || !/^\d+$/.test(pid ?? '')) return false;
  return Number(pid) === process.pid ? life !== instance : !isAlive(Number(pid));
}

const isOwn = (name: string): boolean => name.startsWith(`${host}.${process.pid}.${instance}.`);

/** Deletes temporary files: of dead processes at once, of unknown ones after this time without writes. */
export async function sweepTemporary(folder: string, olderThanSeconds: number, now: number): Promise<number> {
  let removed = 0;
  for (const name of await readdir(folder)) {
    if (isOwn(name)) continue;
    const path = join(folder, name);
    try {
      const isOld = (await stat(path)).mtimeMs < now - olderThanSeconds * 1000;
      if (!isOld && !isFromDeadProcess(name)) continue;
      await unlink(path);
      removed += 1;
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') throw error;
    }
  }
  return removed;
}

/** Only a hard link decides concurrent creates atomically. */
export async function requireHardLinks(folder: string): Promise<void> {
  const first = join(folder, toTemporaryName());
  const second = join(folder, toTemporaryName());
  await writeFile(first, '');
  try {
    await link(first, second);
  } catch (error) {
    throw new ObjectStoreError(
      'FAILED',
      'the data folder is on a file system without hard links; choose another disk',
      error,
    );
  } finally {
    await rm(first, { force: true });
    await rm(second, { force: true });
  }
}
