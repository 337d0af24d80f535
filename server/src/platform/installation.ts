// What ties a database to the servers that may use it: all of them must hold the same keys. And, for the embedded
// database, that only one server runs on a data folder at a time.
import { chmodSync, closeSync, existsSync, lstatSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from '@recordproof/shared/node/durable-file.ts';
import type { Migration } from './db/migrate.ts';
import type { Db, Time } from './db/tables.ts';
import { createFile, errnoOf } from './durable-files.ts';
import { makeFolder } from './make-folder.ts';

declare module './db/tables.ts' {
  interface Tables {
    installation: {
      id: number;
      key_fingerprint: string;
      created_at: Time;
      /** Null until the first start of a version that knows of ids. */
      installation_id: string | null;
    };
  }
}

export const installationMigrations: readonly Migration[] = [
  {
    name: 'V1.0.0 installation',
    statements: t => [
      `create table installation (id ${t.integer} primary key check (id = 1), key_fingerprint text not null, created_at ${t.integer} not null) ${t.strict}`,
    ],
  },
  {
    name: 'V1.41.0 installation id',
    statements: () => ['alter table installation add column installation_id text'],
  },
];

/** The server must not start here; the message is one sentence that says why and what to do. */
export class StartRefused extends Error {}

/** Database, keys and objects do not belong together, or one of them is missing; the message says what to do. */
export class InstallationRefused extends StartRefused {}

/** Nothing was ever set up where a command was told to look; the message is one sentence. */
export class NothingThere extends Error {}

/** Something that the server stands on is out of reach; the message is one sentence. */
export class ServiceUnavailable extends Error {}

const unfinishedMark = (folder: string): string => join(folder, 'restore.unfinished');

/** Nothing may run here from now on, until all of a backup is back. */
export async function markRestoring(folder: string): Promise<void> {
  makeFolder(folder);
  await createFile(unfinishedMark(folder), Buffer.alloc(0), 0o600);
}

export async function markRestored(folder: string): Promise<void> {
  await rm(unfinishedMark(folder));
  await syncFolder(folder);
}

/** What was restored in part is no installation. */
export function refuseUnfinished(folder: string): void {
  if (!existsSync(unfinishedMark(folder))) return;
  throw new StartRefused(
    `a restore did not come to its end in ${folder}; remove that folder, empty what else was restored to, and restore again.`,
  );
}

/** Whether a server has used this database before. */
export async function isInstalled(db: Db): Promise<boolean> {
  return (await db.selectFrom('installation').select('id').executeTakeFirst()) !== undefined;
}

/** When the first server set it up; null before that. */
export async function findInstalledAt(db: Db): Promise<Time | null> {
  return (await db.selectFrom('installation').select('created_at').executeTakeFirst())?.created_at ?? null;
}

/** The first server notes its keys and the id; answers the id that is noted then, by whichever server came first. */
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

/** All programs that use the database must have the keys of the first server. */
export async function checkInstallation(db: Db, fingerprint: string, keysFolder: string): Promise<void> {
  const row = await db.selectFrom('installation').select('key_fingerprint').executeTakeFirstOrThrow();
  if (row.key_fingerprint === fingerprint) return;
  throw new InstallationRefused(
    `the keys in ${keysFolder} are not the ones this database was set up with; copy the keys folder of the first server.`,
  );
}

export type HeldFolder = Disposable & {
  /** Whoever held it before did not let it go in order, and nobody has looked since whether that did damage. */
  readonly wasLeftOpen: boolean;
  /** Nothing was damaged: the next one need not look. */
  proveSound(): void;
};

/** Holds the data folder for this process until it ends, however it ends. */
export async function holdFolder(folder: string): Promise<HeldFolder> {
  makeFolder(folder);
  const busy = `another server is running on ${folder}; stop it, or choose another folder with --data.`;
  return markOpen(folder, await takeLock(join(folder, 'server.lock'), busy));
}

type Lock = { close(): unknown };

/** Goes with the process that took it. `busy` is the sentence for whoever comes second. */
export async function takeLock(path: string, busy: string): Promise<Lock> {
  const { default: Database } = await import('better-sqlite3');
  let lock: import('better-sqlite3').Database | undefined;
  try {
    keepToOwner(path);
    lock = new Database(path, { timeout: 0 });
    lock.exec('begin exclusive');
    return lock;
  } catch (cause) {
    lock?.close();
    const { code = '' } = cause as { code?: string };
    if (code === 'SQLITE_BUSY') throw new StartRefused(busy);
    if (!code.startsWith('SQLITE_')) throw cause;
    throw new StartRefused(`the file ${path} cannot be used (${code}); make it writable, or remove it.`);
  }
}

/**
 * Its journal takes over the mode of the file. A file that is there is not opened for it: whoever closes a file gives up
 * the locks that this process holds on it.
 */
function keepToOwner(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') removeOtherModes(path); // anything else SQLite meets, too, and says why
  }
}

function removeOtherModes(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isFile() !== true || (stats.mode & 0o077) === 0) return;
  try {
    chmodSync(path, 0o600);
  } catch (error) {
    if (errnoOf(error) !== 'EPERM') throw error; // the file of another user, who alone may change that
  }
}

/** A file stands in the folder from here to the end, and stays there when the end comes by itself. */
function markOpen(folder: string, lock: Lock): HeldFolder {
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

/** On a disk that fails the mark stays, and the next start looks whether that did damage. */
function takeMark(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // nothing to be done about it here: whatever comes after must still be closed
  }
}

/** A disk without room for it must not stop the server that makes room. */
function putMark(path: string): void {
  try {
    writeFileSync(path, '', { mode: 0o600 });
  } catch (error) {
    if (!['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}
