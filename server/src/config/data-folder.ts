// Validation of the data folder's path; creates nothing.
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** The error, or null: the path, or its nearest existing parent, must be a writable folder. */
export function rejectDataFolder(path: string): string | null {
  let at = path;
  try {
    while (!existsSync(at)) at = dirname(at);
    if (!statSync(at).isDirectory()) return `${at} is not a folder`;
    accessSync(at, constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'EROFS' ? `${at} lies on a disk that is read-only` : `${at} may not be written to (${code})`;
  }
}
