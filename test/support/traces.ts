// The complete contents of an installation, to show that a command left no trace: the rows of each table, every file,
// every object.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openDatabase } from '@recordproof/server/platform/db/open-db.ts';
import { sql } from 'kysely';
import type { Config } from '../../server/src/config/config.ts';
import { openConfiguredStore } from './configured-store.ts';

/** Files of the embedded database differ from run to run; its rows do not. */
const isOfDatabase = (name: string): boolean => /^(recordproof\.db|server\.lock)/.test(name);

async function listRows({ db: options }: Config): Promise<string[]> {
  const database = await openDatabase(options);
  try {
    const { db, kind } = database;
    const { rows: tables } = await (kind === 'sqlite'
      ? sql<{ name: string }>`select name from sqlite_master where type = 'table' order by name`
      : sql<{ name: string }>`select tablename as name from pg_tables where schemaname = 'public' order by 1`
    ).execute(db);
    const found: string[] = [];
    for (const { name } of tables) {
      const { rows } = await sql`select * from ${sql.table(name)}`.execute(db);
      const lines = rows.map(row => JSON.stringify(row)).sort();
      found.push(`${name} ${rows.length} ${createHash('sha256').update(lines.join('\n')).digest('hex')}`);
    }
    return found;
  } finally {
    await database.close();
  }
}

async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.map(async entry => {
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(folder.length + 1);
    if (isOfDatabase(name)) return [];
    const content = entry.isFile()
      ? createHash('sha256')
          .update(await readFile(path))
          .digest('hex')
      : 'folder';
    return [`${name} ${content}`];
  });
  return (await Promise.all(files)).flat().sort();
}

/** Of a server that is stopped. */
export async function listTraces(config: Config): Promise<string[]> {
  await using store = await openConfiguredStore(config);
  const objects = (await Array.fromAsync(store.list(''))).map(({ key, size }) => `${key} ${size}`).sort();
  return [...(await listRows(config)), ...(await listFiles(config.dataFolder)), ...objects];
}
