// What state a share is in, and who may do what with it. Pure.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { shareStatuses, shareTypes } from '@recordproof/shared/api/shares.ts';
import type { Time } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import type { ShareRow } from './queries.ts';

type Status = 0 | 1 | 2;

/** A share ends at its time, whether or not it was marked so yet. */
export function statusOf(share: Pick<ShareRow, 'status' | 'expire_at'>, now: Time): Status {
  if (share.status === shareStatuses.ACTIVE && share.expire_at <= now) return shareStatuses.EXPIRED;
  return share.status as Status;
}

const isUsedUp = ({ max_accesses, access_count }: Pick<ShareRow, 'max_accesses' | 'access_count'>): boolean =>
  max_accesses !== null && access_count >= max_accesses;

/** Why nobody can use the share now; `isOpened` for whoever opened it while that was possible. */
export function refusalOf(share: ShareRow, now: Time, isOpened: boolean): ApiError | null {
  const status = statusOf(share, now);
  if (status === shareStatuses.CANCELLED) return new ApiError('SHARE_CANCELLED');
  if (status === shareStatuses.EXPIRED) return new ApiError('SHARE_EXPIRED');
  if (!isOpened && isUsedUp(share))
    return new ApiError('SHARE_EXPIRED', 'this share has been opened as often as it may be');
  return null;
}

export const isPrivate = ({ share_type }: Pick<ShareRow, 'share_type'>): boolean => share_type === shareTypes.PRIVATE;

const isOfTenant = (share: Pick<ShareRow, 'tenant_id'>, actor: Actor | null): actor is Actor =>
  actor?.tenantId === share.tenant_id;

/** Whoever is not logged in may still turn out to be of the tenant. */
export const mayUse = (share: ShareRow, actor: Actor | null): boolean =>
  !isPrivate(share) || actor === null || isOfTenant(share, actor);

/** As whom a visitor is written down: accounts of other tenants are strangers like any other. */
export const knownActor = (share: ShareRow, actor: Actor | null): Actor | null =>
  isOfTenant(share, actor) ? actor : null;

type Obstacle = 'LOGIN' | 'PASSWORD' | null;

/** What stands between the visitor and the files. */
export function obstacleOf(share: ShareRow, actor: Actor | null, isOpened: boolean): Obstacle {
  if (isPrivate(share) && !isOfTenant(share, actor)) return 'LOGIN';
  return share.password_hash !== null && !isOpened ? 'PASSWORD' : null;
}

export function toRefusal(obstacle: NonNullable<Obstacle>): ApiError {
  if (obstacle === 'LOGIN') return new ApiError('UNAUTHORIZED', 'this share is for those who are logged in');
  return new ApiError('FORBIDDEN', 'this share has a password', { detail: { reason: 'PASSWORD_REQUIRED' } });
}
