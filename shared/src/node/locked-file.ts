// An exclusively locked SQLite file in a folder of the user. The lock is the operating system's, so it ends with its
// process, also after a crash.
import { chmodSync, closeSync, mkdirSync, openSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { FileLocked, isBusy } from './file-lock.ts';

/** Long enough for a process that only checks the lock to release it. */
const waitMs = 500;
const maxTries = 5;

const inodeOf = (file: string): bigint | undefined => statSync(file, { bigint: true, throwIfNoEntry: false })?.ino;

function ensureFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
}

function lock(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: waitMs });
  try {
    database.exec('pragma locking_mode = exclusive; pragma journal_mode = wal; pragma synchronous = normal');
    database.exec('begin exclusive; commit');
    return database;
  } catch (error) {
    database.close();
    throw isBusy(error) ? new FileLocked(file, error) : error;
  }
}

/** Throws FileLocked, or SQLite's error if it is no such file. */
export function lockFileExclusively(file: string): DatabaseSync {
  ensureFolder(dirname(file));
  for (let tries = 1; tries <= maxTries; tries++) {
    // Created before SQLite does, so that other users can never read it.
    closeSync(openSync(file, 'a', 0o600));
    const inode = inodeOf(file);
    const database = lock(file);
    // The previous holder may have deleted it: then the lock is on an unlinked file.
    if (inode !== undefined && inodeOf(file) === inode) return database;
    database.close();
  }
  throw new FileLocked(file);
}

export function removeLockedFile(file: string): void {
  for (const end of ['', '-wal', '-shm', '-journal']) rmSync(file + end, { force: true });
}
