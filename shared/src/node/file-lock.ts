// Locks for what must not run twice at a time on this machine. It is SQLite's lock on an empty file, which is the
// operating system's and so ends with its process, also after kill -9.
import { chmodSync, closeSync, lstatSync, openSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** Another run holds the file, or this one already does. */
export class FileLocked extends Error {
  constructor(file: string, cause?: unknown) {
    super(`${file} is held by another run`, cause === undefined ? undefined : { cause });
    this.name = 'FileLocked';
  }
}

export type FileLock = { close(): void };

const sqliteBusy = 5;
const triesAgainAfterMs = 20;

export const isBusy = (error: unknown): boolean => ((error as { errcode?: number }).errcode ?? 0) % 256 === sqliteBusy;

/** The lock file cannot be opened, or is not an empty database. */
export const isLockFileBroken = (error: unknown): error is Error & { readonly errstr: string } =>
  error instanceof Error && 'errstr' in error;

/** Its folder must exist. Throws FileLocked, or SQLite's error if it is no such file (isLockFileBroken). */
export async function lockFile(file: string): Promise<FileLock> {
  const { DatabaseSync } = await import('node:sqlite');
  keepToOwner(file);
  const lock = new DatabaseSync(file, { timeout: 0 });
  try {
    lock.exec('begin exclusive');
    return lock;
  } catch (error) {
    lock.close();
    throw isBusy(error) ? new FileLocked(file, error) : error;
  }
}

/** Runs `work` alone among all that use the lock file, in this process and others. Not reentrant. Throws FileLocked. */
export async function withFileLock<T>(file: string, waitMs: number, work: () => Promise<T>): Promise<T> {
  const lock = await waitForLock(file, performance.now() + waitMs);
  try {
    return await work();
  } finally {
    lock.close();
  }
}

async function waitForLock(file: string, deadline: number): Promise<FileLock> {
  for (;;) {
    try {
      return await lockFile(file);
    } catch (error) {
      if (!(error instanceof FileLocked) || performance.now() >= deadline) throw error;
    }
    await delay(triesAgainAfterMs);
  }
}

/**
 * SQLite's journal inherits the file's mode. An existing file is not opened: closing it would release this process's
 * locks on it.
 */
function keepToOwner(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (codeOf(error) === 'EEXIST') removeOtherModes(path); // SQLite meets every other error too, and explains it
  }
}

function removeOtherModes(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isFile() !== true || (stats.mode & 0o077) === 0) return;
  try {
    chmodSync(path, 0o600);
  } catch (error) {
    if (codeOf(error) !== 'EPERM') throw error; // only the file's owner may change the mode
  }
}

const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code;
