// One PostgreSQL for a whole test run, shared by its projects, with a template database that has the schema already.

import { migrations } from '@recordproof/server/compose/features.ts';
import { migrate } from '@recordproof/server/platform/db/migrate.ts';
import { openDatabase } from '@recordproof/server/platform/db/open-db.ts';
import { Secret } from '@recordproof/server/platform/secret.ts';
import { memoryFolder } from './memory-folder.ts';
import { makeTemplate, migratedTemplate, portVariable, startPostgres, unsafeButFast } from './postgres.ts';

async function bringIntoShape(url: string): Promise<void> {
  const database = await openDatabase({ kind: 'postgres', url: new Secret(url), poolSize: 1 });
  try {
    await migrate(database.db, 'postgres', migrations, 0);
  } finally {
    await database.close();
  }
}

export async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env[portVariable] !== undefined) return undefined; // another project of this run was first
  process.env[portVariable] = 'starting';
  const server = await startPostgres(unsafeButFast, memoryFolder());
  await makeTemplate(server.port, migratedTemplate, bringIntoShape);
  process.env[portVariable] = String(server.port);
  return async () => server[Symbol.asyncDispose]();
}
