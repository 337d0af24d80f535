// Durable file operations: a file is synced, and so is every folder with a new entry. Errors are the system's own;
// those of a failed disk and of a full one are recognized here.
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder, writeDurably } from '@recordproof/shared/node/durable-file.ts';

export const errnoOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

/**
 * A failed or removed disk, or a damaged file system. Node has no names for three codes of Linux: a stale handle of a
 * network disk (ESTALE), a damaged file system (EUCLEAN) and no medium (ENOMEDIUM).
 */
const diskFailures: ReadonlySet<string> = new Set([
  ...['EIO', 'ENXIO', 'ENODEV', 'ENOTCONN', 'EREMOTEIO'],
  ...['Unknown system error -116', 'Unknown system error -117', 'Unknown system error -123'],
]);

export const isDiskFailure = (code: string): boolean => diskFailures.has(code);

const fullCodes: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'SQLITE_FULL']);

/** Of a full disk, store or database. */
export const isFull = (code: unknown): boolean => fullCodes.has(code);

/** Whether the error or one of its causes is a full disk, store or database. */
export function lacksSpace(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code, kind } = cause as { readonly code?: unknown; readonly kind?: unknown };
    if (kind === 'NO_SPACE' || isFull(code)) return true;
  }
  return false;
}

/** Creates folders that survive a power failure. Each is checked once per instance. */
export class DurableFolders {
  readonly #folders = new Map<string, Promise<void>>();

  ensure(path: string): Promise<void> {
    const existing = this.#folders.get(path);
    if (existing !== undefined) return existing;
    const made = this.#make(path);
    this.#folders.set(path, made);
    made.catch(() => this.#folders.delete(path));
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
    // Even if it existed: its creator may have died before the sync.
    await syncFolder(dirname(path));
  }
}

function ignoreExisting(error: unknown): void {
  if (errnoOf(error) !== 'EEXIST') throw error;
}

export const replaceFile = (path: string, bytes: Uint8Array, mode: number): Promise<void> =>
  writeDurably(path, bytes, { mode, keepsOwner: true });

/** Atomic. Fails with EEXIST if the file exists; of concurrent callers one wins. */
export const createFile = (path: string, bytes: Uint8Array, mode: number): Promise<void> =>
  writeDurably(path, bytes, { mode, isNew: true, keepsOwner: true });
