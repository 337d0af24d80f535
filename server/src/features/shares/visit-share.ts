// Visits of a share by code: find it, open it, continue with a grant. All details of a visitor are unverified claims
// until checked here.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { shareActions, shareCodePattern } from '@recordproof/shared/api/shares.ts';
import type { Origin } from '../../platform/call.ts';
import type { Db, Key, Tx } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import type { Server } from '../../platform/server.ts';
import { type FileRow, findFileByHash, isLive } from '../files/index.ts';
import { insertAccess } from './access-log.ts';
import { checkLinkPassword } from './check-link-password.ts';
import {
  type Grant,
  type GrantedDownload,
  hasDownloaded,
  insertGrantedDownload,
  isGrantFor,
  issueGrant,
  readGrant,
  toGrantedDownload,
} from './grants.ts';
import { knownActor, mayUse, obstacleOf, rejectionOf, toRejection } from './policy.ts';
import { countListing, countUse, findGivenShare, findShareByCode, type ShareRow } from './queries.ts';
import { isGiven, isLiving, listShown } from './shared-folder.ts';

/** A usable share. `grant` if the visitor has opened it already. */
type Visit = { readonly share: ShareRow; readonly grant: Grant | null };

/** A visitor with a code, possibly with an account. */
export type Visitor<By extends Actor | null = Actor | null> = Origin & {
  readonly actor: By;
  readonly userAgent: string | null;
  /** As sent, unverified. */
  readonly grant: string | undefined;
};

/** The dependencies of opening a share. */
type ShareServer = Pick<Server, 'database' | 'clock' | 'keys' | 'shareAttempts' | 'passwords'>;

const holderOf = ({ actor }: Visitor): Key => actor?.userId ?? 0;

/**
 * Throws SHARE_NOT_FOUND for unknown codes and for shares of suspended accounts and tenants; SHARE_CANCELLED and
 * SHARE_EXPIRED; RATE_LIMITED after many unknown codes. A sign-in or a password may still be required.
 */
async function findVisit(server: ShareServer, visitor: Visitor, code: string): Promise<Visit> {
  const { database, clock, keys, shareAttempts } = server;
  const claims = readGrant(keys.transfer, code, visitor.grant, clock.now());
  const share = shareCodePattern.test(code) ? await findGivenShare(database.db, code) : null;
  if (share === null) {
    await shareAttempts.countUnknownCode(visitor.ip);
    throw new ApiError('SHARE_NOT_FOUND');
  }
  const isOpened = isGrantFor(claims, share, holderOf(visitor));
  const rejection = rejectionOf(share, clock.now(), isOpened);
  if (rejection) throw rejection;
  if (!isOpened || claims === null) return { share, grant: null };
  return { share, grant: { text: visitor.grant ?? '', expiresAt: claims.expiresAt } };
}

/** A share that this visitor can use: a private share of another tenant is reported as not found. */
async function findUsable(server: ShareServer, visitor: Visitor, code: string): Promise<Visit> {
  const visit = await findVisit(server, visitor, code);
  if (!mayUse(visit.share, visitor.actor)) throw new ApiError('SHARE_NOT_FOUND');
  return visit;
}

/**
 * The share and what may be shown before it is opened: no files if a password is required, or if the visitor may not
 * open it, for lack of a sign-in or of the right tenant.
 */
export async function getShareInfo(server: ShareServer, visitor: Visitor, code: string) {
  const { share, grant } = await findVisit(server, visitor, code);
  const obstacle = obstacleOf(share, visitor.actor, grant !== null);
  const files = obstacle === null ? await listShown(server.database.db, share) : [];
  return { share, grant, obstacle, files };
}

/** As `findVisit`, with nothing further required. */
export async function enterShare(server: ShareServer, visitor: Visitor, code: string): Promise<Visit> {
  const visit = await findUsable(server, visitor, code);
  const obstacle = obstacleOf(visit.share, visitor.actor, visit.grant !== null);
  if (obstacle !== null) throw toRejection(obstacle);
  return visit;
}

type Opened = {
  readonly share: ShareRow;
  readonly grant: Grant;
  /** False for another part of an earlier download. */
  readonly isRecorded: boolean;
  /** Where they were read with the count. */
  readonly files?: readonly FileRow[];
};

type Opening = Pick<ShareUse, 'lists'> & { readonly code: string; readonly password: string | undefined };

export async function openShare(
  server: ShareServer,
  visitor: Visitor,
  { code, password, lists = false }: Opening,
): Promise<Opened> {
  const { share } = await findUsable(server, visitor, code);
  const obstacle = obstacleOf(share, visitor.actor, false);
  if (obstacle === 'LOGIN' || (obstacle === 'PASSWORD' && !password)) throw toRejection(obstacle);
  if (obstacle === 'PASSWORD')
    await checkLinkPassword(server, { id: share.id, hash: share.password_hash, ip: visitor.ip }, password ?? '');
  return useShare(server, visitor, { share, grant: null, action: shareActions.VIEW, lists });
}

type ShareUse = Visit & {
  readonly action: (typeof shareActions)['VIEW' | 'DOWNLOAD'];
  readonly fileId?: Key | null;
  /** Record only if nothing of the file was downloaded under this grant before. */
  readonly onlyFirst?: boolean;
  /** The files are shown next. */
  readonly lists?: boolean;
};

/** Records one use. Without a grant it opens the share, which counts as an access, if that is still possible. */
export async function useShare(server: ShareServer, visitor: Visitor, use: ShareUse): Promise<Opened> {
  const { share, fileId = null, onlyFirst = false } = use;
  const grant = use.grant ?? issueGrant(server.keys.transfer, share, holderOf(visitor), server.clock.now());
  const download = use.action === shareActions.DOWNLOAD && fileId !== null ? toGrantedDownload(grant, fileId) : null;
  if (onlyFirst && download !== null && (await hasDownloaded(server.database.db, download)))
    return { share, grant, isRecorded: false };
  return { ...(await recordUse(server, visitor, { ...use, opens: use.grant === null, download })), grant };
}

/** Records a view without counting an access. */
export async function viewShare(server: ShareServer, visitor: Visitor, visit: Visit): Promise<void> {
  await recordUse(server, visitor, { ...visit, action: shareActions.VIEW, opens: false, download: null });
}

type Recorded = ShareUse & { readonly opens: boolean; readonly download: GrantedDownload | null };

async function recordUse(
  { database, clock }: ShareServer,
  { actor, ip, userAgent }: Visitor,
  { share, grant, action, fileId = null, onlyFirst, lists = false, opens, download }: Recorded,
): Promise<Omit<Opened, 'grant'>> {
  const column = action === shareActions.VIEW ? 'view_count' : 'download_count';
  const now = clock.now();
  const count = async (tx: Tx, how: Parameters<typeof countUse>[2]) => {
    if (lists && !isLiving(share)) return countListing(tx, database.kind, share, how, now);
    const row = await countUse(tx, share, how, now);
    return row && { share: row };
  };
  const used = await database.db.transaction().execute(async tx => {
    const isFirst = download === null || (await insertGrantedDownload(tx, download));
    if (onlyFirst && !isFirst) return { share, isRecorded: false }; // another part was recorded concurrently
    const counted = await count(tx, { column, opens });
    if (counted === null) return null;
    const actorId = knownActor(share, actor)?.userId ?? null;
    await insertAccess(tx, counted.share, { action, actorId, ip, userAgent, fileId }, now);
    return { ...counted, isRecorded: true };
  });
  if (used === null) throw await findRejection(database.db, share, now, grant !== null);
  return used;
}

/** What changed between reading the share and using it. */
async function findRejection(db: Db, { code }: ShareRow, now: number, isOpened: boolean): Promise<ApiError> {
  const share = await findShareByCode(db, code);
  const rejection = share && rejectionOf(share, now, isOpened);
  return rejection ?? new ApiError('CONFLICT', 'the share was just changed; open it again');
}

/** A live file of the share; throws for any other. */
export async function getSharedFile(db: Db, share: ShareRow, fileHash: string): Promise<FileRow> {
  const file = await findFileByHash(db, share.tenant_id, fileHash);
  if (file === null || !isLive(file) || !(await isGiven(db, share, file))) throw new ApiError('FILE_NOT_EXIST');
  return file;
}
