// The file lock for read-modify-write of the program's own files.
import { dirname } from 'node:path';
import { FileLocked, withFileLock } from '@recordproof/shared/node/file-lock.ts';
import { CommandError } from './command-error.ts';
import { ensureFolder } from './private-file.ts';

const waitSeconds = 20;

/** Runs `work` alone among all processes that use the same lock file. Waits for others; not reentrant. */
export async function alone<T>(lockFile: string, work: () => Promise<T>): Promise<T> {
  await ensureFolder(dirname(lockFile));
  try {
    return await withFileLock(lockFile, waitSeconds * 1000, work);
  } catch (error) {
    if (!(error instanceof FileLocked)) throw error;
    throw new CommandError('later', `another run of recordproof has kept ${lockFile} for ${waitSeconds} s`, {
      try: 'wait for it, or end it',
      cause: error,
    });
  }
}
