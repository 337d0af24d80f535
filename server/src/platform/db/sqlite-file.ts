// The file of the embedded database: its integrity check, and a snapshot copy while others keep writing.
import Database from 'better-sqlite3';

const mostFindings = 20;

/**
 * SQLite's messages about damage; empty if the file is sound. Reads the whole file and blocks the process: a server runs
 * it in another one.
 */
export function findDamage(path: string): string[] {
  const handle = new Database(path, { readonly: true, fileMustExist: true });
  try {
    const rows = handle.pragma(`quick_check(${mostFindings})`) as { readonly quick_check: string }[];
    return rows.flatMap(row => (row.quick_check === 'ok' ? [] : row.quick_check.split('\n')));
  } catch (error) {
    if (error instanceof Database.SqliteError && /^SQLITE_(CORRUPT|NOTADB)/.test(error.code)) return [error.message];
    throw error;
  } finally {
    handle.close();
  }
}

/** 16 MiB per step; this process does other work in between. */
const pagesAtOnce = 4096;

/** `to` must not exist. */
export async function copySqlite(from: string, to: string): Promise<void> {
  const source = new Database(from, { readonly: true, fileMustExist: true });
  try {
    // Keeps the snapshot: otherwise the copy restarts after every commit of another process.
    source.exec('begin');
    source.prepare('select count(*) from sqlite_schema').get();
    await source.backup(to, { progress: () => pagesAtOnce });
  } finally {
    source.close();
  }
}
