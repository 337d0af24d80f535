// The database, brought to the schema of this program, and the keys that belong to it. Keys are made for a database
// that no server has used yet, and for no other: there, a missing file is a loss to be told.
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
  isInstalled,
  markInstallation,
  NothingThere,
  StartRefused,
} from '../platform/installation.ts';
import { makeFolder } from '../platform/make-folder.ts';
import type { Log } from '../platform/telemetry/log.ts';

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

export type Schema = { readonly database: Database; readonly keys: ServerKeys };

type Looked = { readonly database: Database; readonly state: SchemaState };

type Places = Pick<Config, 'db' | 'dataFolder' | 'keysFolder'>;

type SchemaOptions = {
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
  { onQuery, presence = null, whenAlone }: SchemaOptions = {},
): Promise<Schema> {
  if (config.db.kind === 'sqlite') makeFolder(config.dataFolder);
  const use = async (database: Database): Promise<Schema> => {
    const { db, kind } = database;
    await migrate(db, kind, migrations, now);
    await presence?.relyOnSchema(whenAlone && (() => whenAlone(db)));
    await hasSchema(db, kind, migrations); // refuses what a newer version has done between the two
    const keys = openServerKeys(config.keysFolder, { create: !(await isInstalled(db)) });
    await markInstallation(db, keys.fingerprint, now);
    await checkInstallation(db, keys.fingerprint, config.keysFolder);
    return { database, keys };
  };
  return withDatabase(config.db, use, onQuery);
}

/** What a server has set up here before; makes and changes nothing. The caller closes the database. */
export async function openInstallation(config: Places, migrations: readonly Migration[]): Promise<Schema> {
  const { db: options, keysFolder } = config;
  if (options.kind === 'sqlite' && !existsSync(options.path)) throw nothingThere(config);
  return withDatabase(options, async database => {
    const { db, kind } = database;
    if (!(await hasSchema(db, kind, migrations)) || !(await isInstalled(db))) throw nothingThere(config);
    if (!existsSync(keysFolder) && kind === 'postgres')
      throw new NothingThere(`there is no folder ${keysFolder}; name the data folder of the server with --data.`);
    const keys = openServerKeys(keysFolder, { create: false });
    await checkInstallation(db, keys.fingerprint, keysFolder);
    return { database, keys };
  });
}

/** How far the schema is, whatever version wrote it; makes and changes nothing. */
export async function lookAtSchema(config: Places, migrations: readonly Migration[]): Promise<Looked> {
  const { db: options } = config;
  if (options.kind === 'sqlite' && !existsSync(options.path)) throw nothingThere(config);
  return withDatabase(options, async database => {
    const state = await readSchemaState(database.db, database.kind, migrations);
    if (state === null) throw nothingThere(config);
    return { database, state };
  });
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
