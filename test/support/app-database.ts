// Databases of test servers, copied from a database that has the schema already: the migrations take most of a first
// start. On PostgreSQL there is one for each data folder, so that a restarted server finds its data.
import { migrations } from '../../server/src/compose/features.ts';
import type { Engine } from '../../server/src/platform/db/open-db.ts';
import { newDatabaseWith, newFileWith } from './migrated-databases.ts';
import type { FreshDatabase } from './postgres.ts';

const databases = new Map<string, Promise<FreshDatabase>>();

export async function settingsOf(folder: string, engine: Engine): Promise<Readonly<Record<string, string>>> {
  if (engine === 'sqlite') return {};
  const database = databases.get(folder) ?? newDatabaseWith(migrations);
  databases.set(folder, database);
  return { DATABASE_URL: (await database).url };
}

export async function dropDatabaseOf(folder: string): Promise<void> {
  const database = await databases.get(folder);
  databases.delete(folder);
  await database?.drop();
}

/** Creates the SQLite file of a server that was never started. */
export const copySqliteTemplate = (path: string): Promise<void> => newFileWith(migrations, path);
