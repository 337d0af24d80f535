// Saving shared files as files of an account of the same tenant. Whether the share still permits it is decided in the
// transaction that stores the copy.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { shareActions } from '@recordproof/shared/api/shares.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { inParallel } from '../../platform/in-parallel.ts';
import type { Server } from '../../platform/server.ts';
import { copyFiles, countMissing, type Giver } from '../copies/index.ts';
import type { FileRow } from '../files/index.ts';
import { insertAccess } from './access-log.ts';
import { withoutCode } from './audit-entry.ts';
import { rejectionOf } from './policy.ts';
import { countUse, findShareWithin, type ShareRow } from './queries.ts';
import { isGiven, listShown, sealLiving } from './shared-folder.ts';
import { enterShare, getSharedFile, useShare, type Visitor } from './visit-share.ts';

type Saving = {
  readonly code: string;
  /** Default: all files of the share. */
  readonly hashes: readonly string[] | undefined;
  readonly signal: AbortSignal;
};

export async function saveShared(server: Server, visitor: Visitor<Actor>, saving: Saving): Promise<FileRow[]> {
  const { code, hashes, signal } = saving;
  const { actor, userAgent } = visitor;
  const visit = await enterShare(server, visitor, code);
  const { share } = visit;
  if (share.tenant_id !== actor.tenantId) throw new ApiError('SHARE_NOT_FOUND');
  if (share.owner_id === actor.userId) throw new ApiError('DATA_ALREADY_EXISTED', 'these are your own files');
  const sources = await findSources(server.database.db, share, hashes);
  const missing = await countMissing(server, visitor, sources);
  if (visit.grant === null && missing > 0) await useShare(server, visitor, { ...visit, action: shareActions.VIEW });
  await sealLiving(server, share, sources);
  const gift = { type: 'SHARE', id: share.code } as const;
  return copyFiles(server, withoutCode(visitor, actor, code), { sources, gift, userAgent, signal });
}

/** With paths as visitors see them, which the copies get. */
const findSources = async (db: Db, share: ShareRow, hashes: readonly string[] | undefined): Promise<FileRow[]> =>
  listShown(db, share, hashes && (await inParallel([...new Set(hashes)], hash => getSharedFile(db, share, hash))));

/** Called before copies are stored: locks the share and records its use, or throws if it has ended. */
export const shareGiver = ({ clock }: Pick<Server, 'clock'>): Giver => ({
  type: 'SHARE',
  confirm: async (tx, { tenantId, giftId, source, copy, call, userAgent }) => {
    const now = clock.now();
    const share = await findShareWithin(tx, { tenantId }, giftId);
    if (share === null) throw new ApiError('SHARE_NOT_FOUND');
    const used = await countUse(tx, share, { column: 'save_count', opens: false }, now);
    if (used === null) throw rejectionOf(share, now, true) ?? new ApiError('SHARE_CANCELLED');
    if (!(await isGiven(tx, share, source))) throw new ApiError('FILE_NOT_EXIST');
    const who = { actorId: copy.owner_id, ip: call.ip, userAgent };
    await insertAccess(tx, used, { action: shareActions.SAVE, ...who, fileId: source.id }, now);
  },
});
