// Snapshot copy of the embedded database while others keep writing.
import Database from 'better-sqlite3';

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
