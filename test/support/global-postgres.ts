// One PostgreSQL for a whole test run, shared by its projects, with a template database that has the schema already.

import { migrations } from '@recordproof/server/compose/features.ts';
import { memoryFolder } from './memory-folder.ts';
import { makeMigratedTemplate } from './migrated-databases.ts';
import { migratedTemplate, portVariable, startPostgres, unsafeButFast } from './postgres.ts';

export async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env[portVariable] !== undefined) return undefined; // another project of this run was first
  process.env[portVariable] = 'starting';
  const server = await startPostgres(unsafeButFast, memoryFolder());
  await makeMigratedTemplate(server.port, migratedTemplate, migrations);
  process.env[portVariable] = String(server.port);
  return async () => server[Symbol.asyncDispose]();
}
