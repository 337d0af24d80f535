// Saves shared files into the files of an account of the same tenant. Whether the share still gives them is decided in
// the transaction that makes the copy count.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { shareActions } from '@recordproof/shared/api/shares.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { inParallel } from '../../platform/in-parallel.ts';
import type { Origin } from '../audit/index.ts';
import { type ConfirmGift, copyFiles, countMissing } from '../copies/index.ts';
import type { FileRow } from '../files/index.ts';
import { insertAccess } from './access-log.ts';
import { withoutCode } from './audit-entry.ts';
import { refusalOf } from './policy.ts';
import type { SharePorts, Visitor } from './ports.ts';
import { countUse, findShareWithin, listFilesOf, type ShareRow } from './queries.ts';
import { enterShare, getSharedFile, useShare } from './visit-share.ts';

export type SaveRequest = {
  readonly code: string;
  /** All files of the share when left out. */
  readonly hashes: readonly string[] | undefined;
  readonly visitor: Visitor & { readonly actor: Actor };
  readonly origin: Origin;
  readonly signal: AbortSignal;
};

export async function saveShared(ports: SharePorts, request: SaveRequest): Promise<FileRow[]> {
  const { code, hashes, visitor, origin, signal } = request;
  const visit = await enterShare(ports, code, visitor);
  const { share } = visit;
  if (share.tenant_id !== visitor.actor.tenantId) throw new ApiError('SHARE_NOT_FOUND');
  if (share.owner_id === visitor.actor.userId) throw new ApiError('DATA_ALREADY_EXISTED', 'these are your own files');
  const sources = await findSources(ports, share, hashes);
  const missing = await countMissing(ports.copies, { actor: visitor.actor, sources });
  if (visit.grant === null && missing > 0) await useShare(ports, visit, visitor, { action: shareActions.VIEW });
  const gift = { type: 'SHARE', id: share.code } as const;
  const { actor, userAgent } = visitor;
  return copyFiles(ports.copies, { actor, sources, gift, origin: withoutCode(origin, code), userAgent, signal });
}

const findSources = ({ db }: SharePorts, share: ShareRow, hashes: readonly string[] | undefined): Promise<FileRow[]> =>
  hashes === undefined
    ? listFilesOf(db, share)
    : inParallel([...new Set(hashes)], hash => getSharedFile(db, share, hash));

/** What the copies ask before they count: the share is held, and the use of it written down, or it has ended. */
export const confirmShared =
  ({ clock }: { readonly clock: Clock }): ConfirmGift =>
  async (tx, { tenantId, giftId, source, saver, origin, userAgent }) => {
    const now = clock.now();
    const share = await findShareWithin(tx, { tenantId }, giftId);
    if (share === null) throw new ApiError('SHARE_NOT_FOUND');
    const used = await countUse(tx, share, { column: 'save_count', opens: false }, now);
    if (used === null) throw refusalOf(share, now, true) ?? new ApiError('SHARE_CANCELLED');
    const who = { actorId: saver.userId, ip: origin.ip, userAgent };
    await insertAccess(tx, used, { action: shareActions.SAVE, ...who, fileId: source.id }, now);
  };
