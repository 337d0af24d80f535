// Journals of unfinished uploads: one small SQLite file each, in a folder of the user. SQLite provides crash-safe
// writes, and a lock that ends with the process, so that two runs never send one file.

import { createHash } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { nameConflicts } from '../api/uploads.ts';
import type { Journal, JournalEntry, UploadPlan } from '../transfer/ports.ts';
import { FileLocked } from './file-lock.ts';
import { lockFileExclusively, removeLockedFile } from './locked-file.ts';

type JournalKey = {
  /** An absolute path. */
  readonly path: string;
  readonly server: string;
  readonly account: string;
};

/** Another run of the same upload is active. */
export class JournalBusy extends Error {
  constructor(path: string, cause: unknown) {
    super(`${path} is being uploaded by another run`, { cause });
    this.name = 'JournalBusy';
  }
}

export type ListedUpload = JournalKey & { readonly entry: JournalEntry };

const schemaVersion = 1;
const extension = '.upload';

const planShape = z.object({
  mode: z.enum(['direct', 'proxied']),
  clientId: z.string(),
  fileName: z.string(),
  contentType: z.string(),
  fileSize: z.int(),
  revision: z.string(),
  chunkSize: z.int(),
  totalChunks: z.int(),
  targetFileId: z.string().optional(),
  folder: z.string().optional(),
  onConflict: z.enum(nameConflicts).optional(),
  contentHash: z.string().optional(),
});
const headShape = z.object({ key: z.object({ path: z.string(), server: z.string(), account: z.string() }), plan: planShape }); // biome-ignore format: one line

const fileOf = (folder: string, { path, server, account }: JournalKey): string =>
  join(
    folder,
    createHash('sha256')
      .update(JSON.stringify([path, server, account]))
      .digest('hex')
      .slice(0, 32) + extension,
  );

function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function openDatabase(file: string): DatabaseSync {
  const database = lockFileExclusively(file);
  try {
    const { user_version } = database.prepare('pragma user_version').get() as { user_version: number };
    if (user_version !== schemaVersion) createTables(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function createTables(database: DatabaseSync): void {
  database.exec(`
    begin;
    drop table if exists head;
    drop table if exists hashes;
    drop table if exists etags;
    create table head (only integer primary key check (only = 1), json text not null) strict;
    create table hashes (chunk integer primary key, hash text not null) strict;
    create table etags (chunk integer primary key, etag text not null) strict;
    pragma user_version = ${schemaVersion};
    commit;`);
}

function readHead(database: DatabaseSync): { key: JournalKey; plan: UploadPlan } | undefined {
  const row = database.prepare('select json from head').get() as { json: string } | undefined;
  if (!row) return undefined;
  const { key, plan } = headShape.parse(JSON.parse(row.json));
  const { targetFileId, folder, onConflict, contentHash, ...rest } = plan;
  const optional = {
    ...(targetFileId && { targetFileId }),
    ...(folder && { folder }),
    ...(onConflict && { onConflict }),
    ...(contentHash && { contentHash }),
  };
  return { key, plan: { ...rest, ...optional } };
}

function readEntry(database: DatabaseSync): { key: JournalKey; entry: JournalEntry } | undefined {
  const head = readHead(database);
  if (!head) return undefined;
  const hashes = database.prepare('select chunk, hash as text from hashes').all();
  const eTags = database.prepare('select chunk, etag as text from etags').all();
  const toMap = (rows: typeof hashes) => new Map(rows.map(row => [Number(row.chunk), String(row.text)]));
  return { key: head.key, entry: { plan: head.plan, hashes: toMap(hashes), eTags: toMap(eTags) } };
}

/** An invalid journal is deleted: a journal only ever saves work. */
function openOrReplace(file: string, path: string): DatabaseSync {
  try {
    return openDatabase(file);
  } catch (error) {
    if (error instanceof FileLocked) throw new JournalBusy(path, error);
    removeLockedFile(file);
    return openDatabase(file);
  }
}

export function openUploadJournal(folder: string, key: JournalKey): Journal {
  const file = fileOf(folder, key);
  const database = openOrReplace(file, key.path);
  let isEmpty = true;
  return {
    find() {
      try {
        const found = readEntry(database);
        isEmpty = found === undefined;
        return found?.entry;
      } catch {
        createTables(database);
        return undefined;
      }
    },
    begin(plan, hashes) {
      database.exec('pragma synchronous = full; begin; delete from head; delete from hashes; delete from etags');
      database.prepare('insert into head values (1, ?)').run(JSON.stringify({ key, plan }));
      const insert = database.prepare('insert into hashes values (?, ?)');
      for (const [chunk, hash] of hashes) insert.run(chunk, hash);
      database.exec('commit; pragma synchronous = normal');
      syncFolder(folder);
      isEmpty = false;
    },
    addHash: (index, hash) => void database.prepare('insert or replace into hashes values (?, ?)').run(index, hash),
    addETag: (index, eTag) => void database.prepare('insert or replace into etags values (?, ?)').run(index, eTag),
    remove() {
      database.exec('delete from head; delete from hashes; delete from etags');
      isEmpty = true;
    },
    async [Symbol.asyncDispose]() {
      // The lock is held until the end: a deleted file is empty.
      if (isEmpty) removeLockedFile(file);
      database.close();
    },
  };
}

/** All journals not held by a run. */
export function listUploadJournals(folder: string): ListedUpload[] {
  if (!existsSync(folder)) return [];
  const found: ListedUpload[] = [];
  for (const name of readdirSync(folder)) {
    if (!name.endsWith(extension)) continue;
    const listed = readListed(join(folder, name));
    if (listed) found.push(listed);
  }
  return found;
}

function readListed(file: string): ListedUpload | undefined {
  try {
    const database = openDatabase(file);
    try {
      const read = readEntry(database);
      return read && { ...read.key, entry: read.entry };
    } finally {
      database.close();
    }
  } catch {
    return undefined;
  }
}
