// What every way of giving files begins with: own files that are there, and for each that is sealed an envelope that
// opens it for whoever holds the gift.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { plainSuite } from '@recordproof/shared/evidence/content-suites.ts';
import type { Engine } from '../../platform/db/open-db.ts';
import type { Db, Key, Tx } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { inParallel } from '../../platform/in-parallel.ts';
import type { Server } from '../../platform/server.ts';
import { contentSuiteForReading, type Wrapping } from '../crypto-policy/index.ts';
import { openFileKey, type SealedEnvelope, sealFor } from '../envelopes/index.ts';
import { type FileRow, findFileByHash, holdLiveFiles, isLive } from '../files/index.ts';
import type { Gift } from './gifts.ts';

/** In the order asked for, each once. Anything that is not there, or not one's own, refuses all. */
export async function findOwnFiles(db: Db, actor: Actor, hashes: readonly string[]): Promise<FileRow[]> {
  const found = await inParallel([...new Set(hashes)], hash => findFileByHash(db, actor.tenantId, hash));
  return found.map(file => {
    if (file?.owner_id !== actor.userId || !isLive(file)) throw new ApiError('FILE_NOT_EXIST');
    return file;
  });
}

/** Asks the key provider, so it comes before the transaction that stores the envelopes. */
export async function sealGift(
  server: Pick<Server, 'database'> & Wrapping,
  files: readonly FileRow[],
  gift: Gift,
): Promise<SealedEnvelope[]> {
  for (const file of files) contentSuiteForReading(server, file.encryption);
  const sealed = files.filter(file => file.encryption !== plainSuite);
  return inParallel(sealed, async file => {
    const subject = { tenantId: file.tenant_id, fileId: file.id, fileHash: file.file_hash };
    const owner = { ...subject, recipientType: 'OWNER', recipientId: String(file.owner_id) } as const;
    const key = await openFileKey(server.database.db, server, owner, Buffer.from(file.file_nonce ?? '', 'hex'));
    return sealFor(server, key, { ...subject, recipientType: gift.type, recipientId: gift.id });
  });
}

/** No file is deleted between this look and the commit, so none has an envelope that outlives it. */
export async function holdGiven(
  tx: Tx,
  engine: Engine,
  tenantId: Key,
  files: readonly Pick<FileRow, 'id'>[],
): Promise<void> {
  const ids = files.map(file => file.id);
  const held = await holdLiveFiles(tx, engine, tenantId, ids);
  if (held.length < ids.length) throw new ApiError('FILE_NOT_EXIST');
}
