// Database, migrated to this program's schema, and the keys that belong to it. Keys are created only for a database
// that no server has used; otherwise a missing key file is reported as a loss. Nothing is opened before database, keys
// and objects are known to belong together.
import { existsSync } from 'node:fs';
import type { Config } from '../config/config.ts';
import { openServerKeys, type ServerKeys } from '../platform/crypto/server-keys.ts';
import type { DatabaseOptions } from '../platform/db/database-options.ts';
import { hasSchema, type Migration, migrate, readSchemaState, type SchemaState } from '../platform/db/migrate.ts';
import { type Database, openDatabase, type QueryObserver } from '../platform/db/open-db.ts';
import { toPostgresRejection } from '../platform/db/postgres-rejections.ts';
import { OtherServerRunning, openPresence, type Presence } from '../platform/db/presence.ts';
import type { Db } from '../platform/db/tables.ts';
import { checkInstallation, isInstalled, NotFoundError, StartError } from '../platform/installation.ts';
import type { Intent } from '../platform/installation-rules.ts';
import { makeFolder } from '../platform/make-folder.ts';
import type { Log } from '../platform/telemetry/log.ts';
import { beginKeys, bindInstallation, examineInstallation } from './bind-installation.ts';
import type { InstallationLocations } from './installation-halves.ts';

/** Announces this server to the others on a shared database; null on SQLite. */
export async function openPresenceOf(
  { db, cluster }: Pick<Config, 'db' | 'cluster'>,
  log: Log,
): Promise<Presence | null> {
  if (db.kind === 'sqlite') return null;
  const allowsOthers = cluster.kind === 'redis' || cluster.amongSeveral === true;
  try {
    return await openPresence({ database: db, allowsOthers, log });
  } catch (error) {
    if (error instanceof OtherServerRunning) throw new StartError(error.message);
    throw (await toPostgresRejection(db, error)) ?? error;
  }
}

export type Schema = {
  readonly database: Database;
  readonly keys: ServerKeys;
  /** Null until a server that knows ids has started on it. */
  readonly installationId: string | null;
};

type InspectedSchema = { readonly database: Database; readonly state: SchemaState };

type SchemaOptions = Intent & {
  readonly onQuery?: QueryObserver | undefined;
  readonly presence?: Presence | null;
  /** On a shared database without other servers: runs before the schema is relied upon. */
  readonly whenAlone?: (db: Db) => Promise<void>;
};

/** The caller closes the database. */
export async function openSchema(
  config: InstallationLocations,
  migrations: readonly Migration[],
  now: number,
  { onQuery, presence = null, whenAlone, ...intent }: SchemaOptions = {},
): Promise<Schema> {
  if (config.db.kind === 'sqlite') {
    if (!existsSync(config.db.path)) await examineInstallation(config, null, intent); // before the file is created
    makeFolder(config.dataFolder);
  }
  const use = async (database: Database): Promise<Schema> => {
    const { db, kind } = database;
    const examined = await examineInstallation(config, database, intent);
    if (examined.kind === 'new') await beginKeys(config, examined);
    await migrate(db, kind, migrations, now);
    await presence?.relyOnSchema(whenAlone && (() => whenAlone(db)));
    await hasSchema(db, kind, migrations); // rejects steps that a newer version has taken in between
    const keys = openServerKeys(config.keysFolder, { create: !(await isInstalled(db)) });
    const installationId = await bindInstallation(config, { db, keys, examined, now, ...intent });
    return { database, keys, installationId };
  };
  return withDatabase(config.db, use, onQuery);
}

/** An installation that a server has set up; read-only. The caller closes the database. */
export async function openInstallation(
  config: InstallationLocations,
  migrations: readonly Migration[],
  intent: Intent = {},
): Promise<Schema> {
  return withInstalled(config, intent, async (database, installationId) => {
    const { db, kind } = database;
    if (!(await hasSchema(db, kind, migrations))) throw nothingThere(config);
    return { database, keys: await openOwnKeys(config, db), installationId };
  });
}

/** The state of the schema, whatever version wrote it; read-only. */
export async function inspectSchema(
  config: InstallationLocations,
  migrations: readonly Migration[],
): Promise<InspectedSchema> {
  return withInstalled(config, {}, async database => {
    const state = await readSchemaState(database.db, database.kind, migrations);
    if (state === null) throw nothingThere(config);
    await openOwnKeys(config, database.db);
    return { database, state };
  });
}

/** Throws NotFoundError if nothing was set up, and InstallationError if part of an installation is missing. */
async function withInstalled<T>(
  config: InstallationLocations,
  intent: Intent,
  use: (database: Database, installationId: string | null) => Promise<T>,
): Promise<T> {
  if (config.db.kind === 'sqlite' && !existsSync(config.db.path)) {
    await examineInstallation(config, null, intent);
    throw nothingThere(config);
  }
  return withDatabase(config.db, async database => {
    const { kind, id } = await examineInstallation(config, database, intent);
    if (kind === 'new') throw nothingThere(config);
    return use(database, id);
  });
}

async function openOwnKeys({ keysFolder }: InstallationLocations, db: Db): Promise<ServerKeys> {
  const keys = openServerKeys(keysFolder, { create: false });
  await checkInstallation(db, keys.fingerprint, keysFolder);
  return keys;
}

export const nothingIn = (dataFolder: string): NotFoundError =>
  new NotFoundError(`no RecordProof was ever set up in ${dataFolder}; name its data folder with --data.`);

const nothingThere = ({ db, dataFolder }: InstallationLocations): NotFoundError =>
  db.kind === 'sqlite'
    ? nothingIn(dataFolder)
    : new NotFoundError('no RecordProof was ever set up in the database of DATABASE_URL; name the right one.');

/** Closes the database only if `use` throws. Rejections by PostgreSQL are explained with the SQL that fixes them. */
export async function withDatabase<T>(
  options: DatabaseOptions,
  use: (database: Database) => Promise<T>,
  onQuery?: QueryObserver,
): Promise<T> {
  await using opening = new AsyncDisposableStack();
  const database = opening.use(await openDatabase(options, onQuery));
  try {
    const used = await use(database);
    opening.move();
    return used;
  } catch (error) {
    throw options.kind === 'postgres' ? ((await toPostgresRejection(options, error)) ?? error) : error;
  }
}
