// Looks whether the file of the embedded database holds together. Takes as long as reading all of it, and stops the
// process meanwhile: a server lets another process do it.
import Database from 'better-sqlite3';

const mostFindings = 20;

/** What is broken, in SQLite's words; nothing when the file is sound. Changes nothing. */
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
