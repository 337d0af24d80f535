// The database, brought to the schema of this program, and the keys that belong to it. Keys are made for a database
// that no server has used yet, and for no other: there, a missing file is a loss to be told. Nothing is opened before
// database, keys and objects are known to belong together.
import { existsSync } from 'node:fs';
import type { Config } from '../config/config.ts';
import { openServerKeys, type ServerKeys } from '../platform/crypto/server-keys.ts';
import type { DatabaseOptions } from '../platform/db/database-options.ts';
import { hasSchema, type Migration, migrate, readSchemaState, type SchemaState } from '../platform/db/migrate.ts';
import { type Database, openDatabase, type QueryObserver } from '../platform/db/open-db.ts';
import { toPostgresRefusal } from '../platform/db/postgres-refusals.ts';
import { NotAlone, openPresence, type Presence } from '../platform/db/presence.ts';
import type { Db } from '../platform/db/tables.ts';
import {
  checkInstallation,
  InstallationRefused,
  isInstalled,
  NothingThere,
  StartRefused,
} from '../platform/installation.ts';
import type { Intent } from '../platform/installation-rules.ts';
import { makeFolder } from '../platform/make-folder.ts';
import type { Log } from '../platform/telemetry/log.ts';
import { beginKeys, bindInstallation, examineInstallation } from './bind-installation.ts';
import type { Places } from './installation-halves.ts';

/** Tells other servers on a shared database of this one; null where nothing is shared. */
export async function openPresenceOf(
  { db, cluster }: Pick<Config, 'db' | 'cluster'>,
  log: Log,
): Promise<Presence | null> {
  if (db.kind === 'sqlite') return null;
  const bearsOthers = cluster.kind === 'redis' || cluster.amongSeveral === true;
  try {
    return await openPresence({ database: db, bearsOthers, log });
  } catch (error) {
    if (error instanceof NotAlone) throw new StartRefused(error.message);
    throw (await toPostgresRefusal(db, error)) ?? error;
  }
}

export type Schema = {
  readonly database: Database;
  readonly keys: ServerKeys;
  /** Null where no server with ids has started on it yet. */
  readonly installationId: string | null;
};

type Looked = { readonly database: Database; readonly state: SchemaState };

type SchemaOptions = Intent & {
  readonly onQuery?: QueryObserver | undefined;
  readonly presence?: Presence | null;
  /** On a shared database: before the work begins, where no other server is at work. */
  readonly whenAlone?: (db: Db) => Promise<void>;
};

/** The caller closes the database. */
export async function openSchema(
  config: Places,
  migrations: readonly Migration[],
  now: number,
  { onQuery, presence = null, whenAlone, ...intent }: SchemaOptions = {},
): Promise<Schema> {
  if (config.db.kind === 'sqlite') {
    if (!existsSync(config.db.path)) await examineInstallation(config, null, intent); // before the file is made
    makeFolder(config.dataFolder);
  }
  const use = async (database: Database): Promise<Schema> => {
    const { db, kind } = database;
    const examined = await examineInstallation(config, database, intent);
    if (examined.kind === 'new') await beginKeys(config, examined);
    await migrate(db, kind, migrations, now);
    await presence?.relyOnSchema(whenAlone && (() => whenAlone(db)));
    await hasSchema(db, kind, migrations); // refuses what a newer version has done between the two
    const keys = openServerKeys(config.keysFolder, { create: !(await isInstalled(db)) });
    const installationId = await bindInstallation(config, { db, keys, examined, now, ...intent });
    return { database, keys, installationId };
  };
  return withDatabase(config.db, use, onQuery);
}

/** What a server has set up here before; makes and changes nothing. The caller closes the database. */
export async function openInstallation(
  config: Places,
  migrations: readonly Migration[],
  intent: Intent = {},
): Promise<Schema> {
  return withInstalled(config, intent, async (database, installationId) => {
    const { db, kind } = database;
    if (!(await hasSchema(db, kind, migrations))) throw nothingThere(config);
    return { database, keys: await openOwnKeys(config, db), installationId };
  });
}

/** How far the schema is, whatever version wrote it; makes and changes nothing. */
export async function lookAtSchema(config: Places, migrations: readonly Migration[]): Promise<Looked> {
  return withInstalled(config, {}, async database => {
    const state = await readSchemaState(database.db, database.kind, migrations);
    if (state === null) throw nothingThere(config);
    await openOwnKeys(config, database.db);
    return { database, state };
  });
}

/** Throws NothingThere where nothing was set up, and InstallationRefused where a part of an installation is missing. */
async function withInstalled<T>(
  config: Places,
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

async function openOwnKeys({ keysFolder }: Places, db: Db): Promise<ServerKeys> {
  if (!existsSync(keysFolder))
    throw new InstallationRefused(`there is no folder ${keysFolder}; name the data folder of the server with --data.`);
  const keys = openServerKeys(keysFolder, { create: false });
  await checkInstallation(db, keys.fingerprint, keysFolder);
  return keys;
}

const nothingThere = ({ db, dataFolder }: Places): NothingThere =>
  new NothingThere(
    db.kind === 'sqlite'
      ? `no RecordProof was ever set up in ${dataFolder}; name its data folder with --data.`
      : 'no RecordProof was ever set up in the database of DATABASE_URL; name the right one.',
  );

/** Open, unless it throws. What PostgreSQL says no to is told by what mends it. */
export async function withDatabase<T>(
  options: DatabaseOptions,
  use: (database: Database) => Promise<T>,
  onQuery?: QueryObserver,
): Promise<T> {
  await using opening = new AsyncDisposableStack();
  const database = await openDatabase(options, onQuery);
  opening.defer(() => database.close());
  try {
    const used = await use(database);
    opening.move();
    return used;
  } catch (error) {
    throw options.kind === 'postgres' ? ((await toPostgresRefusal(options, error)) ?? error) : error;
  }
}
