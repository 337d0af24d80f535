// Binding of database, key folder and object store to one installation id (decision 0290). Parts of different
// installations are rejected before anything is created.
import { randomUUID } from 'node:crypto';
import { existsSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { rivalRemedy } from '../features/chain/index.ts';
import { systemClock, toIso } from '../platform/clock.ts';
import type { ServerKeys } from '../platform/crypto/server-keys.ts';
import { nameDatabase } from '../platform/db/database-options.ts';
import type { Database } from '../platform/db/open-db.ts';
import type { Db, Time } from '../platform/db/tables.ts';
import { errnoOf } from '../platform/durable-files.ts';
import { checkInstallation, InstallationError, noteInstallation } from '../platform/installation.ts';
import {
  createKeysMark,
  ensureStoreMark,
  type KeysMark,
  readKeysMark,
  writeKeysMark,
} from '../platform/installation-mark.ts';
import { type Classification, classifyHalves, type Halves, type Intent } from '../platform/installation-rules.ts';
import { syncFolder } from '../platform/make-folder.ts';
import { type ObjectStore, ObjectStoreError } from '../platform/objects/object-store.ts';
import {
  findOtherWriter,
  type InstallationLocations,
  openStoreAlone,
  readHalves,
  storeMarkKey,
} from './installation-halves.ts';

type Examined = Exclude<Classification, { kind: 'refused' }> & { readonly store: Halves['store'] };

/** Read-only, unless a new installation is intended: then leftovers of an older one are renamed. */
export async function examineInstallation(
  locations: InstallationLocations,
  database: Database | null,
  intent: Intent,
): Promise<Examined> {
  const found = await readHalves(locations, database);
  const halves = intent.isNew && setAside(locations, found) ? await readHalves(locations, database) : found;
  const classification = classifyHalves(halves, intent);
  if (classification.kind === 'refused') throw new InstallationError(classification.reason);
  const { store } = halves;
  if (classification.kind === 'new' && store.found.kind === 'unreachable') throw store.found.cause; // it may not be ours
  if (database !== null && classification.kind === 'installed' && !intent.isTakeOver) {
    const { isWriter = false } = intent;
    const rival = await findOtherWriter(locations, database, { ...halves, isWriter });
    if (rival !== null) throw new InstallationError(`${rival} ${rivalRemedy}`);
  }
  return { ...classification, store };
}

/** Renames the old keys and objects; the database and the bucket are never touched. */
function setAside({ keysFolder, objects }: InstallationLocations, { database, keys, store }: Halves): boolean {
  if (database.installed !== null)
    throw new InstallationError(
      `the database ${database.name} holds an installation; --new begins one where none is: name another database or data folder.`,
    );
  if (!keys.hasKeys || keys.mark?.isBound === false) return false;
  const suffix = `.before-${toIso(systemClock.now()).replaceAll(':', '')}`;
  moveFolder(keysFolder, suffix);
  if (objects.kind === 'disk' && store.found.kind !== 'missing' && store.found.kind !== 'empty')
    moveFolder(objects.folder, suffix);
  return true;
}

function moveFolder(folder: string, suffix: string): void {
  if (!existsSync(folder)) return;
  try {
    renameSync(folder, folder + suffix);
  } catch (error) {
    throw new InstallationError(
      `the folder ${folder} cannot be set aside (${errnoOf(error)}); move it elsewhere, or name another data folder.`,
    );
  }
  syncFolder(dirname(folder));
}

/** Until the first start completes, only the key folder has the id. */
export const beginKeys = (locations: InstallationLocations, { id }: Pick<Examined, 'id'>): Promise<KeysMark> =>
  createKeysMark(locations.keysFolder, {
    id: id ?? randomUUID(),
    isBound: false,
    database: nameDatabase(locations.db),
  });

type Binding = Intent & {
  readonly db: Db;
  readonly keys: Pick<ServerKeys, 'fingerprint'>;
  readonly examined: Examined;
  readonly now: Time;
};

/** Writes the id wherever it is missing and returns it. A new store is marked by the code that fills it. */
export async function bindInstallation(
  locations: InstallationLocations,
  { db, keys, examined, now, isNewStore = false }: Binding,
): Promise<string> {
  const { keysFolder } = locations;
  const mark = readKeysMark(keysFolder);
  const { fingerprint } = keys;
  const id = await noteInstallation(db, { fingerprint, id: examined.id ?? mark?.id ?? randomUUID(), now });
  await checkInstallation(db, fingerprint, keysFolder);
  const isMarked = isNewStore || (await ensureMarked(locations, examined, id));
  const isBound = isMarked || mark?.isBound === true;
  const database = nameDatabase(locations.db);
  if (mark?.id !== id || mark.isBound !== isBound || mark.database !== database)
    await writeKeysMark(keysFolder, { id, isBound, database }).catch(ignoreUnwritable);
  return id;
}

/**
 * False if the store is unreachable, or has no room for the mark of an existing installation; the next start tries
 * again.
 */
async function ensureMarked(locations: InstallationLocations, { kind, store }: Examined, id: string): Promise<boolean> {
  if (store.found.kind === 'marked' || store.found.kind === 'unreachable') return store.found.kind === 'marked';
  await using objects = await openStoreAlone(locations);
  try {
    await markStore(objects, id);
    return true;
  } catch (error) {
    if (kind === 'installed' && error instanceof ObjectStoreError && error.kind === 'NO_SPACE') return false;
    throw error;
  }
}

export const markStore = (objects: ObjectStore, id: string): Promise<void> =>
  ensureStoreMark(objects, storeMarkKey, id);

/** The key folder may be mounted read-only, and a full disk must not stop a start. */
function ignoreUnwritable(error: unknown): void {
  if (!['EROFS', 'EACCES', 'EPERM', 'ENOSPC', 'EDQUOT'].includes(errnoOf(error) ?? '')) throw error;
}
