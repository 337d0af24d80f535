// Databases of test servers that use PostgreSQL: one for each data folder, so that a restarted server finds its data.
// Each is a copy of a database that has the schema already.
import type { Engine } from '@recordproof/server/platform/db/open-db.ts';
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
