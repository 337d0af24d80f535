// A copy of the embedded database as it is at one moment, while others go on writing.
import Database from 'better-sqlite3';

/** 16 MiB: between two of these this process does other things. */
const pagesAtOnce = 4096;

/** `to` must not exist. The file is as long as the database. */
export async function copySqlite(from: string, to: string): Promise<void> {
  const source = new Database(from, { readonly: true, fileMustExist: true });
  try {
    // Holds the moment: without it the copy would begin anew after every commit of another process.
    source.exec('begin');
    source.prepare('select count(*) from sqlite_schema').get();
    await source.backup(to, { progress: () => pagesAtOnce });
  } finally {
    source.close();
  }
}
