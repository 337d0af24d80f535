import { link, rename } from 'node:fs/promises';
import { Fixable } from '../platform/fixable.ts';

/** A file that was written whole appears under its name; one that is there already is replaced only on request. */
export async function putInPlace(temporary: string, path: string, mayReplace: boolean): Promise<void> {
  try {
    await (mayReplace ? rename(temporary, path) : link(temporary, path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new Fixable('refused', `${path} exists`, { try: 'add --force to replace it', cause: error });
  }
}
