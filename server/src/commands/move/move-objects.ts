// Move of the objects from the data folder to the bucket of the settings. Each is compared with its digest in the
// database while it is copied, and read back afterwards.
import { markStore } from '../../compose/bind-installation.ts';
import { findLog, repairTiles, toPublicBytes } from '../../features/chain/index.ts';
import type { ServerKeys } from '../../platform/crypto/server-keys.ts';
import { MoveError } from '../../platform/db/move-rows.ts';
import type { Db } from '../../platform/db/tables.ts';
import { type ObjectStore, ObjectStoreError } from '../../platform/objects/object-store.ts';
import { type CopiedObjects, copyObjects, type ObjectEntry, type ObjectTarget } from '../backup/copy-objects.ts';
import type { Progress } from './progress.ts';

type Stores = {
  /** The installation's database, moved or not. */
  readonly db: Db;
  readonly keys: Pick<ServerKeys, 'ledger'>;
  readonly from: ObjectStore;
  readonly to: ObjectStore;
  /** Whether the bucket was empty just now, so that nothing is asked for before it is written. */
  readonly isEmpty: boolean;
  readonly installationId: string | null;
  readonly progress: Progress;
};

/** Resumable: objects that have arrived are not copied again. */
export async function moveObjects({
  db,
  keys,
  from,
  to,
  isEmpty,
  installationId,
  progress,
}: Stores): Promise<CopiedObjects> {
  const { signal } = new AbortController();
  const put: ObjectTarget['copyIn'] = async ({ key, size, sha256 }, source) => {
    await to.put(key, source, { size, sha256 });
  };
  const walk = (target: Omit<ObjectTarget, 'note'>, label: string) => {
    let count = 0;
    const note = async () => {
      count += 1;
      progress.count(`${count} objects ${label}`);
    };
    return copyObjects({ db, objects: from, signal, target: { ...target, note } });
  };
  progress.tell('moving objects');
  const copied = await walk({ has: async entry => !isEmpty && (await isNoted(to, entry)), copyIn: put }, 'moved');
  progress.tell('reading each object back');
  const putAgain: ObjectTarget['copyIn'] = async (entry, source) => {
    await put(entry, source);
    if (!(await isWhole(to, entry)))
      throw new MoveError(`the new store returns other bytes of ${entry.key} than were sent; use another store.`);
  };
  await walk({ has: entry => isWhole(to, entry), copyIn: putAgain }, 'read back');
  await writeTiles({ db, keys, to });
  if (installationId !== null) await markStore(to, installationId);
  return copied;
}

/** By the digest that the store noted on receipt. */
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

/** Ledger tiles are computed from the entries. */
async function writeTiles({ db, keys, to: objects }: Pick<Stores, 'db' | 'keys' | 'to'>): Promise<void> {
  const log = await findLog(db);
  if (log === null) return;
  await repairTiles({ db, objects, key: { name: log.origin, publicKey: toPublicBytes(keys.ledger) } });
}
