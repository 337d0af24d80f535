// One PostgreSQL for a whole test run, shared by its projects, with a template database that has the schema already.

import { migrations } from '@recordproof/server/compose/features.ts';
import { memoryFolder } from './memory-folder.ts';
import { makeMigratedTemplate } from './migrated-databases.ts';
import { migratedTemplate, portVariable, startPostgres, unsafeButFast } from './postgres.ts';
import { allowReuse } from './reusable-databases.ts';
import { openWarmConnections } from './warm-connections.ts';

export async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env[portVariable] !== undefined) return undefined; // another project of this run was first
  process.env[portVariable] = 'starting';
  const server = await startPostgres(unsafeButFast, memoryFolder());
  await makeMigratedTemplate(server.port, migratedTemplate, migrations);
  const warm = await openWarmConnections(server.port);
  await allowReuse(server.port, warm.port);
  process.env[portVariable] = String(server.port);
  return async () => {
    await warm[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  };
}
