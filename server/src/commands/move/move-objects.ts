// The objects of a data folder into the bucket of the settings. Each is compared with the digest that the database has of it while it
// goes, and read back afterwards.
import { markStore } from '../../compose/bind-installation.ts';
import { findLog, repairTiles, toPublicBytes } from '../../features/chain/index.ts';
import type { ServerKeys } from '../../platform/crypto/server-keys.ts';
import { MoveRefused } from '../../platform/db/move-rows.ts';
import type { Db } from '../../platform/db/tables.ts';
import { type ObjectStore, ObjectStoreError } from '../../platform/objects/object-store.ts';
import { type CopiedObjects, copyObjects, type ObjectEntry, type ObjectTarget } from '../backup/copy-objects.ts';
import type { Progress } from './progress.ts';

type Stores = {
  /** Of the installation, wherever it is by now. */
  readonly db: Db;
  readonly keys: Pick<ServerKeys, 'ledger'>;
  readonly from: ObjectStore;
  readonly to: ObjectStore;
  readonly installationId: string | null;
  readonly progress: Progress;
};

/** May be called again after whatever ended it; what has arrived by then is not copied again. */
export async function moveObjects({ db, keys, from, to, installationId, progress }: Stores): Promise<CopiedObjects> {
  const { signal } = new AbortController();
  const put: ObjectTarget['copyIn'] = async ({ key, size, sha256 }, source) => {
    await to.put(key, source, { size, sha256 });
  };
  const walk = (target: Omit<ObjectTarget, 'note'>, told: string) => {
    let count = 0;
    const note = async () => {
      count += 1;
      progress.count(`${count} objects ${told}`);
    };
    return copyObjects({ db, objects: from, signal, target: { ...target, note } });
  };
  progress.tell('moving objects');
  const copied = await walk({ has: entry => isNoted(to, entry), copyIn: put }, 'moved');
  progress.tell('reading each object back');
  const putAgain: ObjectTarget['copyIn'] = async (entry, source) => {
    await put(entry, source);
    if (!(await isWhole(to, entry))) throw new MoveRefused(`the new store does not keep ${entry.key} as it was sent.`);
  };
  await walk({ has: entry => isWhole(to, entry), copyIn: putAgain }, 'read back');
  await writeTiles({ db, keys, to });
  if (installationId !== null) await markStore(to, installationId);
  return copied;
}

/** By what the store noted when it received it. */
async function isNoted(to: ObjectStore, { key, size, sha256 }: ObjectEntry): Promise<boolean> {
  const head = await to.findHead(key);
  return head?.size === size && head.sha256 === sha256;
}

/** By its bytes. */
async function isWhole(to: ObjectStore, { key, size, sha256 }: ObjectEntry): Promise<boolean> {
  try {
    const read = await to.digest(key);
    return read.size === size && read.sha256 === sha256;
  } catch (error) {
    if (error instanceof ObjectStoreError && ['NOT_FOUND', 'CORRUPT'].includes(error.kind)) return false;
    throw error;
  }
}

/** Tiles of the ledger follow from its entries. */
async function writeTiles({ db, keys, to: objects }: Pick<Stores, 'db' | 'keys' | 'to'>): Promise<void> {
  const log = await findLog(db);
  if (log === null) return;
  await repairTiles({ db, objects, key: { name: log.origin, publicKey: toPublicBytes(keys.ledger) } });
}
