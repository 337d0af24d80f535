// The database in a backup: SQLite's file in slices, or PostgreSQL's rows in pages. Unchanged parts are pieces that an
// earlier backup has already stored.
import { existsSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncFolder } from '@recordproof/shared/node/durable-file.ts';
import { z } from 'zod';
import type { DatabaseOptions } from '../db/database-options.ts';
import type { Database } from '../db/open-db.ts';
import { loadSnapshot, type TableRows, withSnapshot } from '../db/postgres-snapshot.ts';
import { copySqlite, findDamage } from '../db/sqlite-file.ts';
import { ListWriter, readPages } from './lists.ts';
import type { Manifest } from './manifest.ts';
import { type Piece, type Pieces, piece } from './pieces.ts';

type Part = Manifest['database'];

const sliceBytes = 2 ** 20;
const rowsPerPage = 1000;

const tablePage = piece.extend({ table: z.string(), rows: z.int().min(1) });

/** The database is damaged; the message is one sentence. */
export class DatabaseDamaged extends Error {}

/** The snapshot is taken at the call or later. For SQLite it stays in the folder as a copy, for `rejectDamage`. */
export function backUpDatabase(
  options: DatabaseOptions,
  database: Database,
  { pieces, folder }: { readonly pieces: Pieces; readonly folder: string },
): Promise<Part> {
  return options.kind === 'sqlite' ? backUpSqlite(options.path, pieces, folder) : backUpPostgres(database, pieces);
}

const copyOf = (folder: string): string => join(folder, 'database.part');

async function backUpSqlite(path: string, pieces: Pieces, folder: string): Promise<Part> {
  await clearCopy(folder); // left by a killed backup
  await copySqlite(path, copyOf(folder));
  return slice(copyOf(folder), pieces);
}

/** Checks the copy of an embedded database for damage. Blocks this process. */
export function rejectDamage(folder: string): void {
  if (!existsSync(copyOf(folder))) return;
  const [damage] = findDamage(copyOf(folder));
  if (damage !== undefined)
    throw new DatabaseDamaged(`the database is damaged, and no backup was made of it: ${damage}.`);
}

export async function clearCopy(folder: string): Promise<void> {
  for (const companion of ['', '-wal', '-shm']) await rm(copyOf(folder) + companion, { force: true });
}

async function slice(path: string, pieces: Pieces): Promise<Part> {
  const list = new ListWriter<Piece>(pieces);
  await using file = await open(path, 'r');
  const { size: bytes } = await file.stat();
  for (let at = 0; at < bytes; at += sliceBytes) {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(sliceBytes, bytes - at)), { position: at });
    await list.add(await pieces.put(buffer.subarray(0, bytesRead)));
  }
  return { bytes, pages: await list.end(), counters: [] };
}

function backUpPostgres({ db }: Database, pieces: Pieces): Promise<Part> {
  return withSnapshot(db, async ({ rows, listCounters }) => {
    const list = new ListWriter<z.infer<typeof tablePage>>(pieces);
    let bytes = 0;
    for await (const page of gather(rows)) {
      const written = await pieces.put(Buffer.from(page.rows.map(row => `${row}\n`).join('')));
      bytes += written.size;
      await list.add({ ...written, table: page.table, rows: page.rows.length });
    }
    return { bytes, pages: await list.end(), counters: await listCounters() };
  });
}

/** Page boundaries are deterministic, so appended rows leave earlier pages unchanged. */
async function* gather(source: AsyncIterable<TableRows>): AsyncGenerator<TableRows> {
  let table = '';
  let rows: string[] = [];
  let characters = 0;
  for await (const { table: next, rows: more } of source) {
    if (next !== table && rows.length > 0) {
      yield { table, rows };
      [rows, characters] = [[], 0];
    }
    table = next;
    for (const row of more) {
      rows.push(row);
      characters += row.length;
      if (rows.length < rowsPerPage && characters < sliceBytes) continue;
      yield { table, rows };
      [rows, characters] = [[], 0];
    }
  }
  if (rows.length > 0) yield { table, rows };
}

/** All pieces of the database, page by page. */
export const listDatabasePieces = (pieces: Pieces, { engine, database }: Manifest): AsyncGenerator<Piece[]> =>
  readPages(pieces, database.pages, engine === 'sqlite' ? piece : tablePage);

/** The file must not exist. Durable when it resolves. */
export async function restoreSqlite(pieces: Pieces, { pages }: Part, path: string): Promise<void> {
  {
    await using file = await open(path, 'wx', 0o600);
    for await (const slices of readPages(pieces, pages, piece))
      for (const one of slices) await file.appendFile(await pieces.read(one));
    await file.sync();
  }
  await syncFolder(dirname(path));
}

/** Into tables of the same schema; all rows or none. */
export const restorePostgres = (pieces: Pieces, { pages, counters }: Part, { db }: Database): Promise<void> =>
  loadSnapshot(db, async ({ insert, setCounter }) => {
    for await (const entries of readPages(pieces, pages, tablePage)) {
      for (const entry of entries) {
        const rows = (await pieces.read(toPiece(entry))).toString('utf8').split('\n').slice(0, -1);
        await insert({ table: entry.table, rows });
      }
    }
    for (const counter of counters) await setCounter(counter);
  });

const toPiece = ({ sha256, size }: Piece): Piece => ({ sha256, size });
