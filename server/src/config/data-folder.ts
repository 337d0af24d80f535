// Whether the data folder can be what it should be, without making anything.
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** What is wrong with the path, or null: it, or the nearest folder above it, must be one that we may write to. */
export function refuseDataFolder(path: string): string | null {
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
