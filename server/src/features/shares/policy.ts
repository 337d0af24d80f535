// States of shares, and the permissions in each. Pure.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { shareStatuses, shareTypes } from '@recordproof/shared/api/shares.ts';
import type { Time } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import type { ShareRow } from './queries.ts';

type Status = 0 | 1 | 2;

/** A share expires at its time, even before it is marked. */
export function statusOf(share: Pick<ShareRow, 'status' | 'expire_at'>, now: Time): Status {
  if (share.status === shareStatuses.ACTIVE && share.expire_at <= now) return shareStatuses.EXPIRED;
  return share.status as Status;
}

const isUsedUp = ({ max_accesses, access_count }: Pick<ShareRow, 'max_accesses' | 'access_count'>): boolean =>
  max_accesses !== null && access_count >= max_accesses;

/** Why the share cannot be used now; `isOpened` for a visitor who opened it earlier. */
export function rejectionOf(share: ShareRow, now: Time, isOpened: boolean): ApiError | null {
  const status = statusOf(share, now);
  if (status === shareStatuses.CANCELLED) return new ApiError('SHARE_CANCELLED');
  if (status === shareStatuses.EXPIRED) return new ApiError('SHARE_EXPIRED');
  if (!isOpened && isUsedUp(share))
    return new ApiError('SHARE_EXPIRED', 'this share has reached its maximum number of uses', {
      detail: { reason: 'USED_UP' },
    });
  return null;
}

export const isPrivate = ({ share_type }: Pick<ShareRow, 'share_type'>): boolean => share_type === shareTypes.PRIVATE;

const isOfTenant = (share: Pick<ShareRow, 'tenant_id'>, actor: Actor | null): actor is Actor =>
  actor?.tenantId === share.tenant_id;

/** Without sign-in the visitor may still belong to the tenant. */
export const mayUse = (share: ShareRow, actor: Actor | null): boolean =>
  !isPrivate(share) || actor === null || isOfTenant(share, actor);

/** The visitor's identity in the access log: accounts of other tenants are anonymous. */
export const knownActor = (share: ShareRow, actor: Actor | null): Actor | null =>
  isOfTenant(share, actor) ? actor : null;

/** The recipient of the envelopes of its files. */
export const giftOf = ({ tenant_id: tenantId, code: recipientId }: ShareRow) =>
  ({ tenantId, recipientType: 'SHARE', recipientId }) as const;

type Obstacle = 'LOGIN' | 'PASSWORD' | null;

/** What the visitor still needs to reach the files. */
export function obstacleOf(share: ShareRow, actor: Actor | null, isOpened: boolean): Obstacle {
  if (isPrivate(share) && !isOfTenant(share, actor)) return 'LOGIN';
  return share.password_hash !== null && !isOpened ? 'PASSWORD' : null;
}

export function toRejection(obstacle: NonNullable<Obstacle>): ApiError {
  if (obstacle === 'LOGIN') return new ApiError('UNAUTHORIZED', 'this share is for signed-in users only');
  return new ApiError('FORBIDDEN', 'this share requires a password', { detail: { reason: 'PASSWORD_REQUIRED' } });
}
