// Whoever comes with a code: finds the share, opens it, goes on with what was opened. Everything about a visitor is the
// visitor's own claim until it was checked here.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { shareActions, shareCodePattern } from '@recordproof/shared/api/shares.ts';
import { verifyPassword } from '../../platform/crypto/password-hash.ts';
import type { Db, Key } from '../../platform/db/tables.ts';
import { findAccount } from '../accounts/index.ts';
import { type FileRow, findFileByHash, isLive } from '../files/index.ts';
import { insertAccess } from './access-log.ts';
import { type Grant, isGrantFor, issueGrant, readGrant } from './grants.ts';
import { countTry, countUnknownCode, refuseCodeGuesser } from './guesses.ts';
import { knownActor, mayKnow, obstacleOf, refusalOf, toRefusal } from './policy.ts';
import type { SharePorts, Visitor } from './ports.ts';
import { countUse, findShareByCode, isInShare, listFilesOf, type ShareRow } from './queries.ts';

/** A share that can be used now. `grant` when the visitor has opened it already. */
export type Visit = { readonly share: ShareRow; readonly grant: Grant | null };

const holderOf = ({ actor }: Visitor): Key => actor?.userId ?? 0;

/**
 * Throws SHARE_NOT_FOUND for what there is not, for shares of suspended accounts, and for private ones of another tenant;
 * SHARE_CANCELLED and SHARE_EXPIRED; RATE_LIMITED for whoever tries codes. A login or a password may still be missing.
 */
export async function findVisit(ports: SharePorts, code: string, visitor: Visitor): Promise<Visit> {
  const { db, clock, grantKey } = ports;
  const claims = readGrant(grantKey, code, visitor.grant, clock.now());
  if (claims === null) await refuseCodeGuesser(ports, visitor.ip);
  const share = await findVisible(db, code, visitor);
  if (share === null) {
    await countUnknownCode(ports, visitor.ip);
    throw new ApiError('SHARE_NOT_FOUND');
  }
  const isOpened = isGrantFor(claims, share, holderOf(visitor));
  const refusal = refusalOf(share, clock.now(), isOpened);
  if (refusal) throw refusal;
  if (!isOpened || claims === null) return { share, grant: null };
  return { share, grant: { text: visitor.grant ?? '', expiresAt: claims.expiresAt } };
}

async function findVisible(db: Db, code: string, { actor }: Visitor): Promise<ShareRow | null> {
  const share = shareCodePattern.test(code) ? await findShareByCode(db, code) : null;
  if (share === null || !mayKnow(share, actor)) return null;
  const owner = await findAccount(db, share.tenant_id, share.owner_id);
  return owner?.status === 'ACTIVE' ? share : null;
}

/** The share and what of it may be told before it is opened: nothing where a login or a password is missing. */
export async function getShareInfo(ports: SharePorts, code: string, visitor: Visitor) {
  const { share, grant } = await findVisit(ports, code, visitor);
  const obstacle = obstacleOf(share, visitor.actor, grant !== null);
  const files = obstacle === null ? await listFilesOf(ports.db, share) : [];
  return { share, grant, obstacle, files };
}

/** As `findVisit`, and nothing is in the way any more. */
export async function enterShare(ports: SharePorts, code: string, visitor: Visitor): Promise<Visit> {
  const visit = await findVisit(ports, code, visitor);
  const obstacle = obstacleOf(visit.share, visitor.actor, visit.grant !== null);
  if (obstacle !== null) throw toRefusal(obstacle);
  return visit;
}

export type Opened = { readonly share: ShareRow; readonly grant: Grant };

export async function openShare(
  ports: SharePorts,
  code: string,
  visitor: Visitor,
  password: string | undefined,
): Promise<Opened> {
  const { share } = await findVisit(ports, code, visitor);
  const obstacle = obstacleOf(share, visitor.actor, false);
  if (obstacle === 'LOGIN' || (obstacle === 'PASSWORD' && !password)) throw toRefusal(obstacle);
  if (obstacle === 'PASSWORD') await checkPassword(ports, share, visitor, password ?? '');
  return useShare(ports, { share, grant: null }, visitor, { action: shareActions.VIEW });
}

async function checkPassword(ports: SharePorts, share: ShareRow, { ip }: Visitor, password: string): Promise<void> {
  using guess = await countTry(ports, share.id, ip);
  const { matches } = await verifyPassword(password, share.password_hash ?? '');
  if (!matches) throw new ApiError('FORBIDDEN', 'the password is wrong', { detail: { reason: 'PASSWORD_WRONG' } });
  await guess.forgive();
}

type Use = { readonly action: (typeof shareActions)['VIEW' | 'DOWNLOAD']; readonly fileId?: Key };

/** Writes down one use. Without a grant it opens the share, once more than before, if that is still possible. */
export async function useShare(ports: SharePorts, visit: Visit, visitor: Visitor, use: Use): Promise<Opened> {
  const share = await recordUse(ports, visit, visitor, { ...use, opens: visit.grant === null });
  const grant = visit.grant ?? issueGrant(ports.grantKey, share, holderOf(visitor), ports.clock.now());
  return { share, grant };
}

/** Somebody saw what there is and took nothing: written down, and not counted. */
export async function lookAtShare(ports: SharePorts, visit: Visit, visitor: Visitor): Promise<void> {
  await recordUse(ports, visit, visitor, { action: shareActions.VIEW, opens: false });
}

async function recordUse(
  { database, clock }: SharePorts,
  { share, grant }: Visit,
  visitor: Visitor,
  { action, fileId, opens }: Use & { readonly opens: boolean },
): Promise<ShareRow> {
  const column = action === shareActions.VIEW ? 'view_count' : 'download_count';
  const now = clock.now();
  const used = await database.db.transaction().execute(async tx => {
    const row = await countUse(tx, share, { column, opens }, now);
    if (row === null) return null;
    const { ip, userAgent } = visitor;
    const actorId = knownActor(share, visitor.actor)?.userId ?? null;
    await insertAccess(tx, row, { action, actorId, ip, userAgent, fileId: fileId ?? null }, now);
    return row;
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
