// Restore of a backup into an empty installation: database, keys, objects, and the ledger tiles computed from its
// entries. Until it is complete, a mark in the data folder prevents every server from starting.
import { existsSync, readdirSync } from 'node:fs';
import { markStore } from '../../compose/bind-installation.ts';
import { migrations } from '../../compose/features.ts';
import { isEmptyStore, openStoreAlone } from '../../compose/installation-halves.ts';
import { openSchema } from '../../compose/open-schema.ts';
import { openStoreOf } from '../../compose/open-store.ts';
import type { Config } from '../../config/config.ts';
import { findLog, repairTiles, toPublicBytes } from '../../features/chain/index.ts';
import { forgetLostChunks } from '../../features/chunked-uploads/index.ts';
import { type BackupKeyring, unseal } from '../../platform/backup/backup-keys.ts';
import type { BackupTarget } from '../../platform/backup/backup-target.ts';
import { BackupDamaged, BackupRejected } from '../../platform/backup/backup-target.ts';
import { restorePostgres, restoreSqlite } from '../../platform/backup/database-part.ts';
import { type Manifest, type OpenedManifest, openManifest } from '../../platform/backup/manifest.ts';
import { PieceDamaged, type Pieces } from '../../platform/backup/pieces.ts';
import { systemClock } from '../../platform/clock.ts';
import { classifyEarlierSteps, isEarlier, isStart } from '../../platform/db/earlier-steps.ts';
import { migrate } from '../../platform/db/migrate.ts';
import { openDatabase } from '../../platform/db/open-db.ts';
import { isEmptyDatabase } from '../../platform/db/postgres-snapshot.ts';
import type { Db } from '../../platform/db/tables.ts';
import { markRestored, markRestoring } from '../../platform/installation.ts';
import { chooseBackups } from './check-backups.ts';
import { parseKeyBytes, writeKeyFiles } from './key-files.ts';
import { findLostFiles, type LostFiles, recordLostFiles, toLostLine } from './lost-files.ts';
import { ObjectDamaged, type RestoredObjects, restoreObjects } from './restore-objects.ts';

/** The newest backup, or the named one. */
export async function findBackup(
  from: BackupTarget,
  named: string | undefined,
  keyring: BackupKeyring,
): Promise<OpenedManifest> {
  const names = await chooseBackups(from, named);
  return openManifest(from, names.at(-1) ?? '', keyring);
}

export type Restored = Omit<RestoredObjects, 'damaged'> & {
  /** What could not be restored because it is damaged in the backup. */
  readonly losses: LostFiles;
};

type Options = {
  readonly from: BackupTarget;
  readonly tell: (what: string) => void;
  /** Restores everything intact and records the rest as damaged. */
  readonly keepGoing?: boolean;
};

export async function restoreBackup(
  config: Config,
  backup: OpenedManifest,
  { from, tell, keepGoing = false }: Options,
): Promise<Restored> {
  const { content, keys, name, pieces } = backup;
  rejectOtherKind(config, content);
  await rejectUsedTarget(config);
  const keyFiles = unseal(keys.sealing, content.keys);
  if (keyFiles === null)
    throw new BackupDamaged(`the keys in the backup ${name} are damaged: ${toWayOn(await listOthers(from, name))}`);
  await markRestoring(config.dataFolder);
  await writeKeyFiles(config.keysFolder, parseKeyBytes(keyFiles));
  tell('restoring the database');
  await restoreDatabase(config, content, pieces).catch(error => rejectDamagedDatabase(error, { from, name }));
  // An older schema is upgraded, as at the start of a server.
  const schema = await openSchema(config, migrations, systemClock.now(), { isNewStore: true });
  const { database, keys: serverKeys, installationId } = schema;
  await using opened = new AsyncDisposableStack();
  const { db } = opened.use(database);
  const objects = opened.use(await openStoreOf(config, serverKeys));
  tell('restoring objects');
  const { damaged, ...restored } = await restoreObjects({ db, objects, pieces }, content, keepGoing).catch(error =>
    rejectDamagedObject(error, { db, from, name }),
  );
  const losses = await recordLostFiles(db, damaged, { backup: name, now: systemClock.now() });
  await forgetLostChunks({ db, objects });
  const log = await findLog(db);
  if (log !== null)
    await repairTiles({ db, objects, key: { name: log.origin, publicKey: toPublicBytes(serverKeys.ledger) } });
  if (installationId !== null) await markStore(objects, installationId);
  await markRestored(config.dataFolder);
  return { ...restored, losses };
}

type Source = { readonly from: BackupTarget; readonly name: string };

const listOthers = async (from: BackupTarget, name: string): Promise<string[]> =>
  (await from.listManifests()).filter(other => other !== name);

const toWayOn = (others: readonly string[]): string =>
  others.length === 0
    ? 'nothing can be restored from it, and there is no other backup in this folder.'
    : `nothing can be restored from it, with --keep-going neither. Name another one with --backup: ${others.join(', ')}; "restore --check" tells which are whole.`;

/** A backup is useless without its database. */
async function rejectDamagedDatabase(error: unknown, { from, name }: Source): Promise<never> {
  if (!(error instanceof PieceDamaged)) throw error;
  const others = await listOthers(from, name);
  throw new BackupDamaged(
    `the database in the backup ${name} is damaged (piece ${error.piece.sha256}): ${toWayOn(others)}`,
    { cause: error },
  );
}

const advice =
  'To restore everything else, run it again with --keep-going into an empty folder (and an empty database and bucket); "restore --check" lists all damage in all backups.';

async function rejectDamagedObject(error: unknown, { db, from, name }: Source & { readonly db: Db }): Promise<never> {
  if (error instanceof ObjectDamaged) {
    const { files } = await findLostFiles(db, [error.entry]);
    const what = files.length === 0 ? `the object ${error.entry.key}` : files.map(toLostLine).join('; ');
    throw new PieceDamaged(
      error.entry,
      `the backup ${name} in ${from.name} is damaged: its piece ${error.entry.sha256} is missing, unreadable or altered. It belongs to ${what}. ${advice}`,
      error,
    );
  }
  if (!(error instanceof PieceDamaged)) throw error;
  throw new PieceDamaged(
    error.piece,
    `the backup ${name} in ${from.name} is damaged: its piece ${error.piece.sha256}, a list of objects, is missing, unreadable or altered. ${advice}`,
    error,
  );
}

const engineNames = { sqlite: 'SQLite', postgres: 'PostgreSQL' };

function rejectOtherKind({ db }: Config, { engine, schema }: Manifest): void {
  if (db.kind !== engine)
    throw new BackupRejected(
      `the backup is of ${engineNames[engine]}, and the new installation would be on ${engineNames[db.kind]}; ${engine === 'postgres' ? 'set DATABASE_URL to an empty database.' : 'leave DATABASE_URL unset.'}`,
    );
  if (classifyEarlierSteps(schema) === 'part')
    throw new BackupRejected(
      'the backup was made by a version before commit 25e89feb; restore it with the server of that commit, start that once, then this one.',
    );
  const unknown = schema.find(step => !isEarlier(step) && !migrations.some(({ name }) => name === step));
  if (unknown !== undefined)
    throw new BackupRejected(
      `the backup was made by a newer version ("${unknown}" is unknown here); restore it with that one.`,
    );
}

async function rejectUsedTarget(config: Config): Promise<void> {
  const { dataFolder } = config;
  const inside = existsSync(dataFolder) ? readdirSync(dataFolder).filter(name => name !== 'lost+found') : [];
  if (inside.length > 0) throw new BackupRejected(`the folder ${dataFolder} is not empty; name another with --data.`);
  if (config.db.kind === 'postgres') await rejectUsedDatabase(config);
  if (config.objects.kind === 's3') await rejectUsedBucket(config, config.objects.bucket);
}

async function rejectUsedDatabase({ db: options }: Config): Promise<void> {
  await using database = await openDatabase(options);
  if (!(await isEmptyDatabase(database.db)))
    throw new BackupRejected('the database of DATABASE_URL has tables already; make an empty one.');
}

async function rejectUsedBucket(config: Config, bucket: string): Promise<void> {
  await using objects = await openStoreAlone(config);
  if (!(await isEmptyStore(objects)))
    throw new BackupRejected(`the bucket "${bucket}" is not empty; name another one.`);
}

async function restoreDatabase({ db: options }: Config, content: Manifest, pieces: Pieces): Promise<void> {
  if (options.kind === 'sqlite') return restoreSqlite(pieces, content.database, options.path);
  await using database = await openDatabase(options);
  const hasStart = classifyEarlierSteps(content.schema) === 'all';
  const steps = migrations.filter(({ name }) => content.schema.includes(name) || (hasStart && isStart(name)));
  await migrate(database.db, 'postgres', steps, systemClock.now());
  await restorePostgres(pieces, content.database, database);
}
