// A file lock for read-modify-write. It is SQLite's lock on an empty file, which is the operating system's and so ends with
// its process, also after kill -9.
import { dirname } from 'node:path';
import { Fixable } from './fixable.ts';
import { ensureFolder } from './private-file.ts';

const waitSeconds = 20;
const isBusy = (error: unknown): boolean => (error as { errcode?: number }).errcode === 5;

/**
 * The last holder or waiter in this process: SQLite's wait blocks the thread, so it must never wait for its own
 * process.
 */
const lastInLine = new Map<string, Promise<unknown>>();

/** Runs `work` alone among all processes that use the same lock file. Waits for others; not reentrant. */
export function alone<T>(lockFile: string, work: () => Promise<T>): Promise<T> {
  const before = lastInLine.get(lockFile) ?? Promise.resolve();
  const mine = before.then(() => holding(lockFile, work));
  lastInLine.set(
    lockFile,
    mine.catch(() => undefined),
  );
  return mine;
}

async function holding<T>(lockFile: string, work: () => Promise<T>): Promise<T> {
  const { DatabaseSync } = await import('node:sqlite');
  await ensureFolder(dirname(lockFile));
  const lock = new DatabaseSync(lockFile, { timeout: waitSeconds * 1000 });
  try {
    lock.exec('begin exclusive');
    return await work();
  } catch (error) {
    if (!isBusy(error)) throw error;
    throw new Fixable('later', `another run of recordproof has kept ${lockFile} for ${waitSeconds} s`, {
      try: 'wait for it, or end it',
      cause: error,
    });
  } finally {
    lock.close();
  }
}
