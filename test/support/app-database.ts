// Databases of test servers, copied from a database that has the schema already: the migrations take most of a first
// start. On PostgreSQL there is one for each data folder, so that a restarted server finds its data.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrations } from '../../server/src/compose/features.ts';
import { migrate } from '../../server/src/platform/db/migrate.ts';
import { type Engine, openDatabase } from '../../server/src/platform/db/open-db.ts';
import { type FreshDatabase, migratedTemplate, postgres } from './postgres.ts';

const databases = new Map<string, Promise<FreshDatabase>>();

async function copyOfTemplate(): Promise<FreshDatabase> {
  return (await postgres()).freshDatabase(migratedTemplate);
}

export async function settingsOf(folder: string, engine: Engine): Promise<Readonly<Record<string, string>>> {
  if (engine === 'sqlite') return {};
  const database = databases.get(folder) ?? copyOfTemplate();
  databases.set(folder, database);
  return { DATABASE_URL: (await database).url };
}

export async function dropDatabaseOf(folder: string): Promise<void> {
  const database = await databases.get(folder);
  databases.delete(folder);
  await database?.drop();
}

let sqliteTemplate: Promise<Buffer> | undefined;

async function makeSqliteTemplate(): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'recordproof-template-'));
  try {
    const path = join(folder, 'template.db');
    const database = await openDatabase({ kind: 'sqlite', path });
    await migrate(database.db, 'sqlite', migrations, 0).finally(() => database.close());
    return await readFile(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Creates the SQLite file of a server that was never started. */
export async function copySqliteTemplate(path: string): Promise<void> {
  sqliteTemplate ??= makeSqliteTemplate();
  await writeFile(path, await sqliteTemplate);
}
