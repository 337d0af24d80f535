// The context of a running watch, and the paths of a watched folder's state.
import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { FileLocked } from '@recordproof/shared/node/file-lock.ts';
import { lockFileExclusively } from '@recordproof/shared/node/locked-file.ts';
import { CommandError } from '../platform/command-error.ts';
import { stateFolder } from '../platform/folders.ts';
import { ensureFolder } from '../platform/private-file.ts';
import type { Transfers } from '../platform/transfers.ts';
import type { ArchiveForm } from '../proofs/archive-names.ts';
import { toFolder } from '../uploads/collect-files.ts';
import type { WatchEvent } from './events.ts';
import type { Memory } from './memory.ts';

export type Watching = {
  readonly folder: string;
  /** The folder of the archives: the watched folder itself, or one that mirrors it. */
  readonly archives: string;
  /** With vouchers as separate files, or all in one file. */
  readonly form: ArchiveForm;
  /** A proof is written once there are vouchers for its time. */
  readonly isVouched: boolean;
  readonly proxied: boolean;
  readonly transfers: Transfers;
  readonly memory: Memory;
  /** On the disk when it resolves. */
  note(...events: readonly WatchEvent[]): Promise<void>;
};

export type WatchFiles = { readonly log: string; readonly lock: string };

export async function findFolder(path: string): Promise<string> {
  return realpath(path).catch(error => {
    throw new CommandError('usage', `there is no folder ${path}`, { cause: error });
  });
}

/** One for each folder and server. */
export async function findState(folder: string, server: string): Promise<WatchFiles> {
  const stateFiles = join(stateFolder(), 'watch');
  await ensureFolder(stateFiles);
  const digest = createHash('sha256')
    .update(JSON.stringify([folder, server]))
    .digest('hex')
    .slice(0, 16);
  const name = `${basename(folder).replace(/[^\w.-]/g, '_')}-${digest}`;
  return { log: join(stateFiles, `${name}.ndjson`), lock: join(stateFiles, `${name}.lock`) };
}

/** Released when the process ends, including by a crash. */
export function acquireLock({ lock }: WatchFiles): Disposable | undefined {
  try {
    const held = lockFileExclusively(lock);
    return { [Symbol.dispose]: () => held.close() };
  } catch (error) {
    if (error instanceof FileLocked) return undefined;
    throw error;
  }
}

type OnDisk = { readonly path: string; readonly onDisk?: string | undefined };

/** In the watched folder, or in one that mirrors it. */
export const diskPathOf = (folder: string, { path, onDisk = path }: OnDisk): string =>
  join(folder, ...onDisk.split('/'));

/** Name and folder of a file at the server. */
export function labelOf(watching: Pick<Watching, 'folder'>, path: string): { fileName: string; folder?: string } {
  const folder = toFolder(watching.folder, resolve(diskPathOf(watching.folder, { path })));
  const fileName = path.slice(path.lastIndexOf('/') + 1);
  return { fileName, ...(folder !== undefined && { folder }) };
}
