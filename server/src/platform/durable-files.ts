// File operations that are on the medium when they resolve: a file needs a sync of its bytes and one of every folder
// that learned a new name. Errors leave as the system gave them.
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder, writeDurably } from '@recordproof/shared/node/durable-file.ts';

export const errnoOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

/**
 * A disk that fails, is gone, or whose file system found itself damaged. Node has no names for the last three of Linux: a
 * stale handle of a network disk (ESTALE), a damaged file system (EUCLEAN) and no medium (ENOMEDIUM).
 */
const diskFailures: ReadonlySet<string> = new Set([
  ...['EIO', 'ENXIO', 'ENODEV', 'ENOTCONN', 'EREMOTEIO'],
  ...['Unknown system error -116', 'Unknown system error -117', 'Unknown system error -123'],
]);

export const isDiskFailure = (code: string): boolean => diskFailures.has(code);

/** Makes folders whose names survive a power cut. Each is looked at once per life of this object. */
export class DurableFolders {
  readonly #known = new Map<string, Promise<void>>();

  ensure(path: string): Promise<void> {
    const known = this.#known.get(path);
    if (known !== undefined) return known;
    const made = this.#make(path);
    this.#known.set(path, made);
    made.catch(() => this.#known.delete(path));
    return made;
  }

  async #make(path: string): Promise<void> {
    try {
      await mkdir(path, { mode: 0o700 });
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') {
        await this.ensure(dirname(path));
        await mkdir(path, { mode: 0o700 }).catch(ignoreExisting);
      } else {
        ignoreExisting(error);
      }
    }
    // Also when it was there: whoever made it may have died before this line.
    await syncFolder(dirname(path));
  }
}

function ignoreExisting(error: unknown): void {
  if (errnoOf(error) !== 'EEXIST') throw error;
}

export const replaceFile = (path: string, bytes: Uint8Array, mode: number): Promise<void> =>
  writeDurably(path, bytes, { mode, keepsOwner: true });

/** Fails with EEXIST when the file is there; of racing callers one wins, and the file is never seen half written. */
export const createFile = (path: string, bytes: Uint8Array, mode: number): Promise<void> =>
  writeDurably(path, bytes, { mode, isNew: true, keepsOwner: true });
