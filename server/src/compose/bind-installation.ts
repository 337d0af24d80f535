// Ties database, key folder and object store to one installation id, and refuses what does not belong together before
// anything is made (decision 0290).
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
import { checkInstallation, InstallationRefused, noteInstallation } from '../platform/installation.ts';
import {
  createKeysMark,
  ensureStoreMark,
  type KeysMark,
  readKeysMark,
  writeKeysMark,
} from '../platform/installation-mark.ts';
import { type Halves, type Intent, type Judgement, judgeHalves } from '../platform/installation-rules.ts';
import { syncFolder } from '../platform/make-folder.ts';
import type { ObjectStore } from '../platform/objects/object-store.ts';
import { findOtherWriter, openStoreAlone, type Places, readHalves, storeMarkKey } from './installation-halves.ts';

export type Examined = Exclude<Judgement, { kind: 'refused' }> & { readonly store: Halves['store'] };

/** Changes nothing, unless a new installation is meant: then what is left of an older one is set aside. */
export async function examineInstallation(
  places: Places,
  database: Database | null,
  intent: Intent,
): Promise<Examined> {
  const found = await readHalves(places, database);
  const halves = intent.isNew && setAside(places, found) ? await readHalves(places, database) : found;
  const judged = judgeHalves(halves, intent);
  if (judged.kind === 'refused') throw new InstallationRefused(judged.reason);
  const { store } = halves;
  if (judged.kind === 'new' && store.found.kind === 'unreachable') throw store.found.cause; // it may be of another one
  if (database !== null && judged.kind === 'installed' && !intent.isTakeOver) {
    const { isServer = false } = intent;
    const rival = await findOtherWriter(places, database, { ...halves, isServer });
    if (rival !== null) throw new InstallationRefused(`${rival} ${rivalRemedy}`);
  }
  return { ...judged, store };
}

/** Keys and objects of before keep their bytes under another name; the database and the bucket are never touched. */
function setAside({ keysFolder, objects }: Places, { database, keys, store }: Halves): boolean {
  if (database.installed !== null)
    throw new InstallationRefused(
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
    throw new InstallationRefused(
      `the folder ${folder} cannot be set aside (${errnoOf(error)}); move it elsewhere, or name another data folder.`,
    );
  }
  syncFolder(dirname(folder));
}

/** Until the first start has come to its end, the id is only here. */
export const beginKeys = (places: Places, { id }: Pick<Examined, 'id'>): Promise<KeysMark> =>
  createKeysMark(places.keysFolder, { id: id ?? randomUUID(), isBound: false, database: nameDatabase(places.db) });

type Binding = Intent & {
  readonly db: Db;
  readonly keys: Pick<ServerKeys, 'fingerprint'>;
  readonly examined: Examined;
  readonly now: Time;
};

/** Notes the id wherever it is missing; answers it. A store that is written next is marked by its writer. */
export async function bindInstallation(
  places: Places,
  { db, keys, examined, now, isNewStore = false }: Binding,
): Promise<string> {
  const { keysFolder } = places;
  const mark = readKeysMark(keysFolder);
  const { fingerprint } = keys;
  const id = await noteInstallation(db, { fingerprint, id: examined.id ?? mark?.id ?? randomUUID(), now });
  await checkInstallation(db, fingerprint, keysFolder);
  if (!isNewStore && !['marked', 'unreachable'].includes(examined.store.found.kind)) {
    await using objects = await openStoreAlone(places);
    await markStore(objects, id);
  }
  const database = nameDatabase(places.db);
  if (mark?.id !== id || !mark.isBound || mark.database !== database)
    await writeKeysMark(keysFolder, { id, isBound: true, database }).catch(ignoreReadOnly);
  return id;
}

export const markStore = (objects: ObjectStore, id: string): Promise<void> =>
  ensureStoreMark(objects, storeMarkKey, id);

/** Keys may be mounted so that the server cannot change them. */
function ignoreReadOnly(error: unknown): void {
  if (!['EROFS', 'EACCES', 'EPERM'].includes(errnoOf(error) ?? '')) throw error;
}
