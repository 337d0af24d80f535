// Real path of a file or folder that may not exist yet.
import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Resolves links, even if the last components do not exist yet. */
export function toRealPath(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    const parent = dirname(path);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === path) throw error;
    return join(toRealPath(parent), basename(path));
  }
}
