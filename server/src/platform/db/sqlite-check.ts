// Integrity check of the embedded database file. It reads the whole file and blocks the process: a server runs it in
// another process.
import Database from 'better-sqlite3';

const mostFindings = 20;

/** SQLite's messages about damage; empty if the file is sound. Read-only. */
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
