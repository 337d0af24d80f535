// The installation row: all servers on a database must have the same keys. For the embedded database also the lock by
// which one server at a time uses a data folder.
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from '@recordproof/shared/node/durable-file.ts';
import { type FileLock, FileLocked, isLockFileBroken, lockFile } from '@recordproof/shared/node/file-lock.ts';
import type { Migration } from './db/migrate.ts';
import type { Db, Time } from './db/tables.ts';
import { createFile, errnoOf, isFull } from './durable-files.ts';
import { makeFolder } from './make-folder.ts';

declare module './db/tables.ts' {
  interface Tables {
    installation: {
      id: number;
      key_fingerprint: string;
      created_at: Time;
      /** Null until the first start of a version that knows ids. */
      installation_id: string | null;
    };
  }
}

export const installationMigrations: readonly Migration[] = [
  {
    name: 'V2.0.1 tables of the installation',
    statements: t => [
      `create table installation (
        id ${t.integer} primary key check (id = 1),
        key_fingerprint text not null,
        created_at ${t.integer} not null,
        installation_id text
      ) ${t.strict}`,
    ],
  },
];

/** The server must not start; the message is one sentence with the reason and the fix. */
export class StartError extends Error {}

/** Database, keys and objects do not belong together, or one is missing; the message says what to do. */
export class InstallationError extends StartError {}

/** The command found no installation; the message is one sentence. */
export class NotFoundError extends Error {}

/** A required service is unreachable; the message is one sentence. */
export class ServiceUnavailable extends Error {}

const unfinishedMark = (folder: string): string => join(folder, 'restore.unfinished');

/** Prevents every start until the restore is complete. */
export async function markRestoring(folder: string): Promise<void> {
  makeFolder(folder);
  await createFile(unfinishedMark(folder), Buffer.alloc(0), 0o600);
}

export async function markRestored(folder: string): Promise<void> {
  await rm(unfinishedMark(folder));
  await syncFolder(folder);
}

/** Rejects a data folder with an incomplete restore. */
export function rejectUnfinished(folder: string): void {
  if (!existsSync(unfinishedMark(folder))) return;
  throw new StartError(
    `a restore into ${folder} did not finish; remove that folder, empty the other targets, and restore again.`,
  );
}

/** Whether a server has used this database before. */
export async function isInstalled(db: Db): Promise<boolean> {
  return (await db.selectFrom('installation').select('id').executeTakeFirst()) !== undefined;
}

/** Time of the first server's start; null before it. */
export async function findInstalledAt(db: Db): Promise<Time | null> {
  return (await db.selectFrom('installation').select('created_at').executeTakeFirst())?.created_at ?? null;
}

/** The first server stores its key fingerprint and the id; returns the stored id, by whichever server. */
export async function noteInstallation(db: Db, noted: { fingerprint: string; id: string; now: Time }): Promise<string> {
  await db
    .insertInto('installation')
    .values({ id: 1, key_fingerprint: noted.fingerprint, created_at: noted.now, installation_id: noted.id })
    .onConflict(conflict => conflict.doNothing())
    .execute();
  await db
    .updateTable('installation')
    .set({ installation_id: noted.id })
    .where('installation_id', 'is', null)
    .where('key_fingerprint', '=', noted.fingerprint)
    .execute();
  const row = await db.selectFrom('installation').select('installation_id').executeTakeFirstOrThrow();
  return row.installation_id ?? noted.id;
}

/** All servers on the database must have the keys of the first one. */
export async function checkInstallation(db: Db, fingerprint: string, keysFolder: string): Promise<void> {
  const row = await db.selectFrom('installation').select('key_fingerprint').executeTakeFirstOrThrow();
  if (row.key_fingerprint === fingerprint) return;
  throw new InstallationError(
    `the keys in ${keysFolder} are not the ones this database was set up with; copy the keys folder of the first server.`,
  );
}

export type DataFolderLock = Disposable & {
  /** The last holder did not shut down cleanly, and the database has not been checked since. */
  readonly wasLeftOpen: boolean;
  /** Call once the database was found undamaged: the next start need not check it. */
  proveSound(): void;
};

/** Locks the data folder for this process until it ends, however it ends. */
export async function lockDataFolder(folder: string): Promise<DataFolderLock> {
  makeFolder(folder);
  const busy = `another server is running on ${folder}; stop it, or choose another folder with --data.`;
  return markOpen(folder, await takeLock(join(folder, 'server.lock'), busy));
}

/** The lock ends with its process. `busy` is the error for a second process. */
export async function takeLock(path: string, busy: string): Promise<FileLock> {
  try {
    return await lockFile(path);
  } catch (cause) {
    if (cause instanceof FileLocked) throw new StartError(busy);
    if (!isLockFileBroken(cause)) throw cause;
    throw new StartError(`the file ${path} cannot be used (${cause.errstr}); make it writable, or remove it.`);
  }
}

/** Marks the folder as in use; the mark remains after an unclean stop. */
function markOpen(folder: string, lock: FileLock): DataFolderLock {
  const mark = join(folder, 'server.open');
  const wasLeftOpen = existsSync(mark);
  let isSound = !wasLeftOpen;
  if (!wasLeftOpen) putMark(mark);
  return {
    wasLeftOpen,
    proveSound: () => {
      isSound = true;
    },
    [Symbol.dispose]: () => {
      if (isSound) takeMark(mark);
      lock.close();
    },
  };
}

/** On a failing disk the mark remains, and the next start checks the database. */
function takeMark(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // ignored, so that everything else is still closed
  }
}

/** A full disk must not stop the server, which frees space. */
function putMark(path: string): void {
  try {
    writeFileSync(path, '', { mode: 0o600 });
  } catch (error) {
    if (!isFull(errnoOf(error))) throw error;
  }
}
