// Whoever comes with a code: finds the share, opens it, goes on with what was opened. Everything about a visitor is the
// visitor's own claim until it was checked here.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { shareActions, shareCodePattern } from '@recordproof/shared/api/shares.ts';
import type { Origin } from '../../platform/call.ts';
import type { Db, Key } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import type { Server } from '../../platform/server.ts';
import { findAccount } from '../accounts/index.ts';
import { type FileRow, findFileByHash, isLive } from '../files/index.ts';
import { insertAccess } from './access-log.ts';
import { type GrantedDownload, hasDownloaded, insertGrantedDownload, toGrantedDownload } from './granted-downloads.ts';
import { type Grant, isGrantFor, issueGrant, readGrant } from './grants.ts';
import { knownActor, mayUse, obstacleOf, refusalOf, toRefusal } from './policy.ts';
import { countUse, findShareByCode, isInShare, listFilesOf, type ShareRow } from './queries.ts';

/** A share that can be used now. `grant` when the visitor has opened it already. */
type Visit = { readonly share: ShareRow; readonly grant: Grant | null };

/** Somebody who comes with a code, perhaps with an account. */
export type Visitor<By extends Actor | null = Actor | null> = Origin & {
  readonly actor: By;
  readonly userAgent: string | null;
  /** As sent; nothing is known about it. */
  readonly grant: string | undefined;
};

/** What a share is opened with. */
type Door = Pick<Server, 'database' | 'clock' | 'keys' | 'guesses' | 'passwords'>;

const holderOf = ({ actor }: Visitor): Key => actor?.userId ?? 0;

/**
 * Throws SHARE_NOT_FOUND for what there is not and for shares of suspended accounts; SHARE_CANCELLED and SHARE_EXPIRED;
 * RATE_LIMITED for whoever has tried many codes that there are not. A login or a password may still be missing.
 */
async function findVisit(server: Door, visitor: Visitor, code: string): Promise<Visit> {
  const { database, clock, keys, guesses } = server;
  const claims = readGrant(keys.transfer, code, visitor.grant, clock.now());
  const share = await findGiven(database.db, code);
  if (share === null) {
    await guesses.countUnknownCode(visitor.ip);
    throw new ApiError('SHARE_NOT_FOUND');
  }
  const isOpened = isGrantFor(claims, share, holderOf(visitor));
  const refusal = refusalOf(share, clock.now(), isOpened);
  if (refusal) throw refusal;
  if (!isOpened || claims === null) return { share, grant: null };
  return { share, grant: { text: visitor.grant ?? '', expiresAt: claims.expiresAt } };
}

async function findGiven(db: Db, code: string): Promise<ShareRow | null> {
  const share = shareCodePattern.test(code) ? await findShareByCode(db, code) : null;
  if (share === null) return null;
  const owner = await findAccount(db, share.tenant_id, share.owner_id);
  return owner?.status === 'ACTIVE' ? share : null;
}

/** For whoever wants to use it: a private share of another tenant cannot be had, and so there is none. */
async function findUsable(server: Door, visitor: Visitor, code: string): Promise<Visit> {
  const visit = await findVisit(server, visitor, code);
  if (!mayUse(visit.share, visitor.actor)) throw new ApiError('SHARE_NOT_FOUND');
  return visit;
}

/**
 * The share and what of it may be told before it is opened: no files where a password is missing, nor to whoever may not
 * open it, whether without a login or with one of another tenant.
 */
export async function getShareInfo(server: Door, visitor: Visitor, code: string) {
  const { share, grant } = await findVisit(server, visitor, code);
  const obstacle = obstacleOf(share, visitor.actor, grant !== null);
  const files = obstacle === null ? await listFilesOf(server.database.db, share) : [];
  return { share, grant, obstacle, files };
}

/** As `findVisit`, and nothing is in the way any more. */
export async function enterShare(server: Door, visitor: Visitor, code: string): Promise<Visit> {
  const visit = await findUsable(server, visitor, code);
  const obstacle = obstacleOf(visit.share, visitor.actor, visit.grant !== null);
  if (obstacle !== null) throw toRefusal(obstacle);
  return visit;
}

type Opened = {
  readonly share: ShareRow;
  readonly grant: Grant;
  /** False for another part of what was downloaded before. */
  readonly isRecorded: boolean;
};

export async function openShare(
  server: Door,
  visitor: Visitor,
  { code, password }: { readonly code: string; readonly password: string | undefined },
): Promise<Opened> {
  const { share } = await findUsable(server, visitor, code);
  const obstacle = obstacleOf(share, visitor.actor, false);
  if (obstacle === 'LOGIN' || (obstacle === 'PASSWORD' && !password)) throw toRefusal(obstacle);
  if (obstacle === 'PASSWORD') await checkPassword(server, visitor, share, password ?? '');
  return useShare(server, visitor, { share, grant: null, action: shareActions.VIEW });
}

async function checkPassword(
  { guesses, passwords }: Door,
  { ip }: Visitor,
  share: ShareRow,
  password: string,
): Promise<void> {
  using guess = await guesses.countTry(share.id, ip);
  const { matches } = await passwords.verify(password, share.password_hash ?? '', ip);
  if (!matches) throw new ApiError('FORBIDDEN', 'the password is wrong', { detail: { reason: 'PASSWORD_WRONG' } });
  await guess.forgive();
}

type Use = Visit & {
  readonly action: (typeof shareActions)['VIEW' | 'DOWNLOAD'];
  readonly fileId?: Key | null;
  /** Recorded only when nothing of the file was downloaded under this grant before. */
  readonly onlyFirst?: boolean;
};

/** Writes down one use. Without a grant it opens the share, once more than before, if that is still possible. */
export async function useShare(server: Door, visitor: Visitor, use: Use): Promise<Opened> {
  const { share, fileId = null, onlyFirst = false } = use;
  const grant = use.grant ?? issueGrant(server.keys.transfer, share, holderOf(visitor), server.clock.now());
  const download = use.action === shareActions.DOWNLOAD && fileId !== null ? toGrantedDownload(grant, fileId) : null;
  if (onlyFirst && download !== null && (await hasDownloaded(server.database.db, download)))
    return { share, grant, isRecorded: false };
  return { ...(await recordUse(server, visitor, { ...use, opens: use.grant === null, download })), grant };
}

/** Somebody saw what there is and took nothing: written down, and not counted. */
export async function lookAtShare(server: Door, visitor: Visitor, visit: Visit): Promise<void> {
  await recordUse(server, visitor, { ...visit, action: shareActions.VIEW, opens: false, download: null });
}

type Recorded = Use & { readonly opens: boolean; readonly download: GrantedDownload | null };

async function recordUse(
  { database, clock }: Door,
  { actor, ip, userAgent }: Visitor,
  { share, grant, action, fileId = null, onlyFirst, opens, download }: Recorded,
): Promise<Omit<Opened, 'grant'>> {
  const column = action === shareActions.VIEW ? 'view_count' : 'download_count';
  const now = clock.now();
  const used = await database.db.transaction().execute(async tx => {
    const isFirst = download === null || (await insertGrantedDownload(tx, download));
    if (onlyFirst && !isFirst) return { share, isRecorded: false }; // another part of it was first, at the same time
    const row = await countUse(tx, share, { column, opens }, now);
    if (row === null) return null;
    const actorId = knownActor(share, actor)?.userId ?? null;
    await insertAccess(tx, row, { action, actorId, ip, userAgent, fileId }, now);
    return { share: row, isRecorded: true };
  });
  if (used === null) throw await findRefusal(database.db, share, now, grant !== null);
  return used;
}

/** What happened between the look at the share and its use. */
async function findRefusal(db: Db, { code }: ShareRow, now: number, isOpened: boolean): Promise<ApiError> {
  const share = await findShareByCode(db, code);
  const refusal = share && refusalOf(share, now, isOpened);
  return refusal ?? new ApiError('CONFLICT', 'the share was changed this moment; open it again');
}

/** A live file of the share; anything else is not there. */
export async function getSharedFile(db: Db, share: ShareRow, fileHash: string): Promise<FileRow> {
  const file = await findFileByHash(db, share.tenant_id, fileHash);
  if (file === null || !isLive(file) || !(await isInShare(db, share.id, file.id))) throw new ApiError('FILE_NOT_EXIST');
  return file;
}
