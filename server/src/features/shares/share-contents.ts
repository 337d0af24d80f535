// Adding files to, and removing files from, the fixed set of a share.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { maxSharedFiles, mostFolderFiles } from '@recordproof/shared/api/shares.ts';
import type { Engine } from '../../platform/db/open-db.ts';
import type { Db, Key, Time, Tx } from '../../platform/db/tables.ts';
import { listSealedFor, revokeGift, type SealedEnvelope, storeEnvelopes } from '../envelopes/index.ts';
import { type FileRow, lockLiveFiles } from '../files/index.ts';
import { giftOf } from './policy.ts';
import { deleteShareFiles, insertMembers, type ShareRow } from './queries.ts';

type Member = { readonly id: Key; readonly hash: string };

/** Those in the trash, too, which leave the share only when they are restored. */
async function listAllMembers(db: Db, share: ShareRow): Promise<Member[]> {
  return db
    .selectFrom('share_file as m')
    .innerJoin('file as f', 'f.id', 'm.file_id')
    .select(['m.file_id as id', 'f.file_hash as hash'])
    .where('m.share_id', '=', share.id)
    .where('m.tenant_id', '=', share.tenant_id)
    .orderBy('m.position')
    .execute();
}

type ContentChange = { readonly added: readonly FileRow[]; readonly removed: readonly string[] };

/**
 * In a transaction that holds the share. The set is written anew in its order, so that positions have no gaps.
 */
export async function changeContents(
  tx: Tx,
  engine: Engine,
  share: ShareRow,
  { added, removed, now }: ContentChange & { readonly now: Time },
): Promise<void> {
  if (added.length + removed.length === 0) return;
  const members = await listAllMembers(tx, share);
  const leaving = new Set(removed);
  const gone = members.filter(({ hash }) => leaving.has(hash));
  const hashes = new Set(gone.map(({ hash }) => hash));
  const missing = removed.find(hash => !hashes.has(hash));
  if (missing !== undefined) throw new ApiError('FILE_NOT_EXIST', `file ${missing} is not in this share`);
  const goneIds = new Set(gone.map(({ id }) => id));
  const memberIds = new Set(members.map(({ id }) => id));
  const fresh = added.filter(({ id }) => !memberIds.has(id) || goneIds.has(id));
  const ids = [...members.filter(({ id }) => !goneIds.has(id)), ...fresh].map(({ id }) => id);
  const most = share.folder === null ? maxSharedFiles : mostFolderFiles;
  if (ids.length > most) throw new ApiError('UNPROCESSABLE', `a share contains at most ${most} files`);
  if (ids.length === 0) throw new ApiError('UNPROCESSABLE', 'a share keeps at least one file; cancel it instead');
  await deleteShareFiles(tx, share);
  await insertMembers(tx, share, ids);
  if (goneIds.size > 0) await revokeGift(tx, engine, { ...giftOf(share), fileIds: [...goneIds] }, now);
}

type Sealing = {
  readonly envelopes: readonly SealedEnvelope[];
  readonly added: readonly FileRow[];
  readonly now: Time;
};

/**
 * After the change. A file that was deleted since it was sealed is left out, as it is left out of the share; an added
 * one rejects.
 */
export async function storeSealedMembers(
  tx: Tx,
  engine: Engine,
  share: ShareRow,
  { envelopes, added, now }: Sealing,
): Promise<void> {
  const ids = [...new Set([...envelopes.map(({ subject }) => subject.fileId), ...added.map(({ id }) => id)])];
  const live = new Set((await lockLiveFiles(tx, engine, share.tenant_id, ids)).map(({ id }) => id));
  if (added.some(({ id }) => !live.has(id))) throw new ApiError('FILE_NOT_EXIST');
  const members = new Set((await listAllMembers(tx, share)).map(({ id }) => id));
  const sealed = await listSealedFor(tx, giftOf(share), ids);
  const isWanted = ({ subject: { fileId } }: SealedEnvelope) =>
    live.has(fileId) && members.has(fileId) && !sealed.has(fileId);
  await storeEnvelopes(tx, envelopes.filter(isWanted), now);
}
