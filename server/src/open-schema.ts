// The database, brought to the schema of this program, and the keys that belong to it. Keys are made for a database
// that no server has used yet, and for no other: there, a missing file is a loss to be told.
import type { Config } from './config.ts';
import { openServerKeys, type ServerKeys } from './platform/crypto/server-keys.ts';
import { type Migration, migrate } from './platform/db/migrate.ts';
import { type Database, DatabaseUnavailable, openDatabase } from './platform/db/open-db.ts';
import { checkInstallation, isInstalled } from './platform/installation.ts';
import { makeFolder } from './platform/make-folder.ts';

export type Schema = { readonly database: Database; readonly keys: ServerKeys };

/** The caller closes the database. */
export async function openSchema(
  config: Pick<Config, 'db' | 'dataFolder' | 'keysFolder'>,
  migrations: readonly Migration[],
  now: number,
): Promise<Schema> {
  await using opening = new AsyncDisposableStack();
  if (config.db.kind === 'sqlite') makeFolder(config.dataFolder);
  const database = await openDatabase(config.db);
  opening.defer(() => database.close());
  const refusal = await database.probe();
  // The embedded database is always there; what it says of itself is told by its own error below.
  if (refusal !== null && database.kind !== 'sqlite')
    throw new DatabaseUnavailable(`the database does not answer (${refusal}).`);
  await migrate(database.db, database.kind, migrations, now);
  const keys = openServerKeys(config.keysFolder, { create: !(await isInstalled(database.db)) });
  await checkInstallation(database.db, keys.fingerprint, config.keysFolder, now);
  opening.move();
  return { database, keys };
}
