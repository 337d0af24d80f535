// A backup into a place where nothing is: database, keys, objects, and the tiles of the ledger, which follow from its entries.
// Until the last of it is there a mark in the data folder keeps every server away.
import { existsSync, readdirSync } from 'node:fs';
import { markStore } from '../../compose/bind-installation.ts';
import { migrations } from '../../compose/features.ts';
import { isEmptyStore, openStoreAlone } from '../../compose/installation-halves.ts';
import { openSchema } from '../../compose/open-schema.ts';
import { openStoreOf } from '../../compose/open-store.ts';
import type { Config } from '../../config/config.ts';
import { findLog, repairTiles, toPublicBytes } from '../../features/chain/index.ts';
import { forgetLostChunks } from '../../features/uploads/index.ts';
import { unseal } from '../../platform/backup/backup-keys.ts';
import { restorePostgres, restoreSqlite } from '../../platform/backup/database-part.ts';
import { readPages } from '../../platform/backup/lists.ts';
import {
  BackupRefused,
  listBackups,
  type Manifest,
  type OpenedManifest,
  openManifest,
} from '../../platform/backup/manifest.ts';
import { openPieces, PieceDamaged, type Pieces } from '../../platform/backup/pieces.ts';
import { systemClock } from '../../platform/clock.ts';
import { migrate } from '../../platform/db/migrate.ts';
import { openDatabase } from '../../platform/db/open-db.ts';
import { isEmptyDatabase } from '../../platform/db/postgres-snapshot.ts';
import type { Db } from '../../platform/db/tables.ts';
import { inParallel } from '../../platform/in-parallel.ts';
import { markRestored, markRestoring, NothingThere } from '../../platform/installation.ts';
import { type ObjectStore, ObjectStoreError } from '../../platform/objects/object-store.ts';
import { copiedAtOnce, type ObjectEntry, objectEntry } from './copy-objects.ts';
import { parseKeyBytes, writeKeyFiles } from './key-files.ts';
import { listKnown } from './known-objects.ts';

/** The newest, unless another is named. */
export async function findBackup(from: string, named: string | undefined, passphrase: string): Promise<OpenedManifest> {
  const names = await listBackups(from);
  const name = named === undefined ? names.at(-1) : names.find(one => one === named || one === `${named}.json`);
  if (name !== undefined) return openManifest(from, name, passphrase);
  if (named === undefined)
    throw new NothingThere(`there is no backup in ${from}; name the folder that "backup --to" was given.`);
  throw new NothingThere(`there is no backup "${named}" in ${from}; there are: ${names.join(', ') || 'none'}.`);
}

export type Restored = {
  readonly objects: number;
  /** Of the backup that no row of its database speaks of: they came while it was made. */
  readonly leftOut: number;
};

type Wish = { readonly from: string; readonly tell: (what: string) => void };

export async function restoreBackup(config: Config, backup: OpenedManifest, { from, tell }: Wish): Promise<Restored> {
  const { content, keys } = backup;
  refuseOtherKind(config, content);
  await refuseUsedTarget(config);
  const keyFiles = unseal(keys, content.keys);
  if (keyFiles === null) throw new BackupRefused('the keys in the backup cannot be opened; use another backup.');
  await using pieces = await openPieces(from);
  await markRestoring(config.dataFolder);
  await writeKeyFiles(config.keysFolder, parseKeyBytes(keyFiles));
  tell('restoring the database');
  await restoreDatabase(config, content, pieces);
  // A newer program brings an older schema up to date, as its start would.
  const {
    database,
    keys: serverKeys,
    installationId,
  } = await openSchema(config, migrations, systemClock.now(), {
    isNewStore: true,
  });
  await using opened = new AsyncDisposableStack();
  opened.defer(() => database.close());
  const { db } = database;
  const objects = opened.use(await openStoreOf(config, serverKeys, () => '', systemClock));
  tell('restoring objects');
  const restored = await restoreObjects({ db, objects, pieces }, content);
  await forgetLostChunks({ db, objects });
  const log = await findLog(db);
  if (log !== null)
    await repairTiles({ db, objects, key: { name: log.origin, publicKey: toPublicBytes(serverKeys.ledger) } });
  if (installationId !== null) await markStore(objects, installationId);
  await markRestored(config.dataFolder);
  return restored;
}

const engineNames = { sqlite: 'SQLite', postgres: 'PostgreSQL' };

function refuseOtherKind({ db }: Config, { engine, schema }: Manifest): void {
  if (db.kind !== engine)
    throw new BackupRefused(
      `the backup is of ${engineNames[engine]}, and the new installation would be on ${engineNames[db.kind]}; ${engine === 'postgres' ? 'set DATABASE_URL to an empty database.' : 'leave DATABASE_URL unset.'}`,
    );
  const unknown = schema.find(step => !migrations.some(({ name }) => name === step));
  if (unknown !== undefined)
    throw new BackupRefused(
      `the backup was made by a newer version ("${unknown}" is unknown here); restore it with that one.`,
    );
}

async function refuseUsedTarget(config: Config): Promise<void> {
  const { dataFolder } = config;
  const inside = existsSync(dataFolder) ? readdirSync(dataFolder).filter(name => name !== 'lost+found') : [];
  if (inside.length > 0) throw new BackupRefused(`the folder ${dataFolder} is not empty; name another with --data.`);
  if (config.db.kind === 'postgres') await refuseUsedDatabase(config);
  if (config.objects.kind === 's3') await refuseUsedBucket(config, config.objects.bucket);
}

async function refuseUsedDatabase({ db: options }: Config): Promise<void> {
  const database = await openDatabase(options);
  try {
    if (await isEmptyDatabase(database.db)) return;
  } finally {
    await database.close();
  }
  throw new BackupRefused('the database of DATABASE_URL has tables already; make an empty one.');
}

async function refuseUsedBucket(config: Config, bucket: string): Promise<void> {
  await using objects = await openStoreAlone(config);
  if (!(await isEmptyStore(objects))) throw new BackupRefused(`the bucket "${bucket}" is not empty; name another one.`);
}

async function restoreDatabase({ db: options }: Config, content: Manifest, pieces: Pieces): Promise<void> {
  if (options.kind === 'sqlite') return restoreSqlite(pieces, content.database, options.path);
  const database = await openDatabase(options);
  try {
    const steps = migrations.filter(({ name }) => content.schema.includes(name));
    await migrate(database.db, 'postgres', steps, systemClock.now());
    await restorePostgres(pieces, content.database, database);
  } finally {
    await database.close();
  }
}

type Target = { readonly db: Db; readonly objects: ObjectStore; readonly pieces: Pieces };

const keysAtOnce = 500;

async function restoreObjects({ db, objects, pieces }: Target, { objects: { pages } }: Manifest): Promise<Restored> {
  let [count, leftOut] = [0, 0];
  for await (const page of readPages(pieces, pages, objectEntry)) {
    for (let at = 0; at < page.length; at += keysAtOnce) {
      const some = page.slice(at, at + keysAtOnce);
      const known = await listKnown(
        db,
        some.map(({ key }) => key),
      );
      const wanted = some.filter(({ key }) => known.has(key));
      await inParallel(wanted, entry => restoreObject(objects, pieces, entry), copiedAtOnce);
      count += wanted.length;
      leftOut += some.length - wanted.length;
    }
  }
  return { objects: count, leftOut };
}

async function restoreObject(objects: ObjectStore, pieces: Pieces, { key, ...bytes }: ObjectEntry): Promise<void> {
  await objects.put(key, await pieces.open(bytes), bytes).catch(error => {
    throw error instanceof ObjectStoreError && error.cause instanceof PieceDamaged ? error.cause : error;
  });
}
