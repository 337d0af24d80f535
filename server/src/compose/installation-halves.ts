// Installation ids of the database, the key folder and the object store. Read-only.
import { createSecretKey, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseHex } from '@recordproof/shared/evidence/digest.ts';
import { sql } from 'kysely';
import type { Config } from '../config/config.ts';
import {
  findRival,
  findSeenCheckpoint,
  findWriter,
  ledgerArea,
  type WriterRecord,
  type WriterState,
} from '../features/chain/index.ts';
import { systemClock } from '../platform/clock.ts';
import { nameDatabase } from '../platform/db/database-options.ts';
import { hasTable } from '../platform/db/migrate.ts';
import { type Database, type Engine, identifyDatabase } from '../platform/db/open-db.ts';
import type { Db, Tables } from '../platform/db/tables.ts';
import { ServiceUnavailable, StartError } from '../platform/installation.ts';
import { hasKeyFiles, readKeysMark, readStoreMark } from '../platform/installation-mark.ts';
import type { Belonging, DatabaseHalf, Halves, KeysHalf, StoreHalf } from '../platform/installation-rules.ts';
import { type ObjectStore, ObjectStoreError, type ObjectStoreErrorKind } from '../platform/objects/object-store.ts';
import { openStoreOf } from './open-store.ts';

export type InstallationLocations = Pick<Config, 'db' | 'dataFolder' | 'keysFolder' | 'objects'>;

/** Next to the ledger's tiles, which no sweep of any version touches. */
export const storeMarkKey = `${ledgerArea}installation`;

/** `database`: null if there is none yet. */
export async function readHalves(
  locations: InstallationLocations,
  database: Database | null,
): Promise<Halves & Beside> {
  const known = database === null ? nothingKnown : await readDatabase(database);
  const { writer = null, notedSize = 0, ...found } = await findStore(locations, known);
  return {
    database: { name: nameDatabase(locations.db), installed: known.installed },
    keys: readKeys(locations),
    store: { name: nameStore(locations), found },
    writer,
    notedSize,
  };
}

/** For messages. */
const nameStore = ({ objects }: Pick<Config, 'objects'>): string =>
  objects.kind === 'disk'
    ? `the folder ${objects.folder}`
    : `the bucket "${objects.bucket}" at ${objects.endpoints.join(', ')}`;

/** What the store says about the last writer of the ledger; read before the database. */
type Beside = {
  readonly writer: WriterRecord | null;
  /** Ledger size by the checkpoint next to the tiles. */
  readonly notedSize: number;
};

/** Why another database counts as the writer of the ledger; null if this one may write. */
export async function findOtherWriter(
  { db: options }: InstallationLocations,
  database: Database,
  { writer, notedSize, isWriter }: Beside & { readonly isWriter: boolean },
): Promise<string | null> {
  if (writer === null) return null;
  const [log] = await readRows<WriterState & Pick<Log, 'published_size'>>(database.db, database.kind, 'ledger_log');
  if (log === undefined) return null;
  return findRival({
    record: writer,
    state: log,
    isAhead: notedSize > Number(log.published_size),
    identity: await identifyDatabase(database, options),
    now: systemClock.now(),
    isWriter,
  });
}

const readKeys = ({ keysFolder }: InstallationLocations): KeysHalf => ({
  folder: keysFolder,
  hasKeys: hasKeyFiles(keysFolder),
  mark: readKeysMark(keysFolder),
});

type Log = Pick<Tables['ledger_log'], 'origin' | 'public_key' | 'published_size'>;
type Known = {
  readonly installed: DatabaseHalf['installed'];
  readonly log: Log | undefined;
  /** A sample of the objects that the store should hold. */
  readonly stored: readonly Pick<Tables['stored_object'], 'path'>[];
};

const nothingKnown: Known = { installed: null, log: undefined, stored: [] };
const mostSampled = 10;

/** Uses only statements that work on the schema of every version. */
async function readDatabase({ db, kind }: Database): Promise<Known> {
  const [row] = await readRows<{ installation_id?: string | null }>(db, kind, 'installation');
  if (row === undefined) return nothingKnown;
  const [log] = await readRows<Log>(db, kind, 'ledger_log');
  const stored = await readRows<Known['stored'][number]>(db, kind, 'stored_object');
  const hasContent = Number(log?.published_size ?? 0) > 0 || stored.length > 0;
  return { installed: { id: row.installation_id ?? null, hasContent }, log, stored };
}

async function readRows<R>(db: Db, engine: Engine, table: string): Promise<R[]> {
  if (!(await hasTable(db, engine, table))) return [];
  return (await sql<R>`select * from ${sql.table(table)} limit ${sql.lit(mostSampled)}`.execute(db)).rows;
}

const unreachable: ReadonlySet<ObjectStoreErrorKind> = new Set([
  'UNAVAILABLE',
  'TIMEOUT',
  'DENIED',
  'DISK_FAILED',
  'NO_SPACE',
]);

async function findStore(
  locations: InstallationLocations,
  known: Known,
): Promise<StoreHalf['found'] & Partial<Beside>> {
  const { objects } = locations;
  if (objects.kind === 'disk' && !existsSync(objects.folder)) return { kind: 'missing' };
  if (objects.kind === 'disk' && !existsSync(join(objects.folder, 'objects'))) return { kind: 'empty' };
  try {
    await using store = await openStoreAlone(locations);
    const id = await readStoreMark(store, storeMarkKey);
    if (id !== null)
      return { kind: 'marked', id, writer: await findWriter(store), notedSize: await readNotedSize(store, known) };
    if (await isEmptyStore(store)) return { kind: 'empty' };
    return { kind: 'unmarked', belongs: await findBelonging(store, known) };
  } catch (error) {
    const isAway = error instanceof ObjectStoreError && unreachable.has(error.kind);
    if (isAway || error instanceof ServiceUnavailable) return { kind: 'unreachable', cause: error };
    throw error;
  }
}

/** With a random key, since no signed URLs are given out. */
export const openStoreAlone = (locations: Pick<InstallationLocations, 'objects'>): Promise<ObjectStore> =>
  openStoreOf(locations, { transfer: createSecretKey(randomBytes(64)) });

export async function isEmptyStore(objects: Pick<ObjectStore, 'list'>, prefix = ''): Promise<boolean> {
  for await (const _ of objects.list(prefix)) return false;
  return true;
}

/** 0 without a checkpoint signed by the database's ledger. */
async function readNotedSize(objects: ObjectStore, { log }: Known): Promise<number> {
  if (log === undefined) return 0;
  const seen = await findSeen(objects, log);
  return seen === null || typeof seen === 'string' ? 0 : seen.size;
}

async function findSeen(
  objects: ObjectStore,
  log: Log,
): Promise<Awaited<ReturnType<typeof findSeenCheckpoint>> | 'FOREIGN'> {
  const key = { name: log.origin, publicKey: parseHex(log.public_key) };
  return findSeenCheckpoint({ objects, key }).catch(error => {
    if (error instanceof StartError) return 'FOREIGN' as const;
    throw error;
  });
}

async function findBelonging(objects: ObjectStore, { log, stored }: Known): Promise<Belonging> {
  if (log === undefined) return (await isEmptyStore(objects, ledgerArea)) ? 'unknown' : 'foreign';
  const seen = await findSeen(objects, log);
  if (seen === 'FOREIGN') return 'foreign';
  if (seen !== null && seen !== 'DAMAGED') return 'own';
  for (const { path } of stored) if ((await objects.findHead(path)) !== null) return 'own';
  return 'unknown';
}
