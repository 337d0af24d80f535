// First steps of giving files: find the own files, and seal for each encrypted one an envelope for the recipient.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { plainSuite } from '@recordproof/shared/evidence/content-suites.ts';
import type { Engine } from '../../platform/db/open-db.ts';
import type { Db, Key, Tx } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { inParallel } from '../../platform/in-parallel.ts';
import type { Server } from '../../platform/server.ts';
import { contentSuiteForReading, type Wrapping } from '../crypto-policy/index.ts';
import {
  type KeyRow,
  listActiveEnvelopes,
  openFileKey,
  type SealedEnvelope,
  sealFor,
  toOwner,
  toSubject,
} from '../envelopes/index.ts';
import { type FileRow, isLive, lockLiveFiles } from '../files/index.ts';
import type { Gift } from './gifts.ts';
import { listWithKeys } from './queries.ts';

/** `keys`: the owner's envelopes, by file. */
type OwnFiles = { readonly files: FileRow[]; readonly keys: ReadonlyMap<Key, KeyRow> };

/** In the requested order, without duplicates. A missing file, or one of another owner, rejects the whole request. */
export async function findOwnFiles(db: Db, actor: Actor, hashes: readonly string[]): Promise<OwnFiles> {
  const uniqueHashes = [...new Set(hashes)];
  const found = new Map((await listWithKeys(db, actor, uniqueHashes)).map(one => [one.file.file_hash, one]));
  const ownFiles = uniqueHashes.map(hash => {
    const one = found.get(hash);
    if (one?.file.owner_id !== actor.userId || !isLive(one.file)) throw new ApiError('FILE_NOT_EXIST');
    return one;
  });
  const keys = ownFiles.flatMap(({ file, key }): [Key, KeyRow][] => (key === null ? [] : [[file.id, key]]));
  return { files: ownFiles.map(({ file }) => file), keys: new Map(keys) };
}

/**
 * For files of one owner; `keys` if its envelopes were read with them. Calls the key provider, so call it before the
 * transaction that stores the envelopes.
 */
export async function sealGift(
  server: Pick<Server, 'database'> & Wrapping,
  files: readonly FileRow[],
  gift: Gift,
  keys?: ReadonlyMap<Key, KeyRow>,
): Promise<SealedEnvelope[]> {
  for (const file of files) contentSuiteForReading(server, file.encryption);
  const sealed = files.filter(file => file.encryption !== plainSuite);
  const [first] = sealed;
  if (first === undefined) return [];
  const owner = toOwner(first);
  const giver = { tenantId: first.tenant_id, recipientType: owner.type, recipientId: owner.id };
  const envelopes = keys ?? (await listActiveEnvelopes(server.database.db, giver, sealed));
  return inParallel(sealed, async file => {
    const key = await openFileKey(server, file, owner, envelopes.get(file.id));
    return sealFor(server, key, toSubject(file, gift));
  });
}

/** Locks the files until the commit, so that no envelope outlives its file. */
export async function lockGiven(
  tx: Tx,
  engine: Engine,
  tenantId: Key,
  files: readonly Pick<FileRow, 'id'>[],
): Promise<void> {
  const ids = files.map(file => file.id);
  const locked = await lockLiveFiles(tx, engine, tenantId, ids);
  if (locked.length < ids.length) throw new ApiError('FILE_NOT_EXIST');
}
