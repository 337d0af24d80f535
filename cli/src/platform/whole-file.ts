// Atomic writes of output files: a file is on the disk whole or not at all.
import { randomBytes } from 'node:crypto';
import { link, open, rename, rm } from 'node:fs/promises';
import { Fixable } from './fixable.ts';

/** What comes in pieces is never held in memory. */
type Content = Uint8Array | AsyncIterable<Uint8Array>;

/** The file appears whole; one that is there already is replaced only on request. */
export async function writeWholeFile(path: string, content: Content, mayReplace: boolean): Promise<void> {
  const temporary = `${path}.${randomBytes(4).toString('hex')}.part`;
  try {
    {
      await using file = await open(temporary, 'wx');
      await file.writeFile(content);
      await file.sync();
    }
    await (mayReplace ? rename(temporary, path) : link(temporary, path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new Fixable('refused', `${path} exists`, { try: 'add --force to replace it', cause: error });
  } finally {
    await rm(temporary, { force: true });
  }
}
