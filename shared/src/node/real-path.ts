import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Without links on the way, also where the last parts are not there yet. */
export function toRealPath(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    const parent = dirname(path);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === path) throw error;
    return join(toRealPath(parent), basename(path));
  }
}
