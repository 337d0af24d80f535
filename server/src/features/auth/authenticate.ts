// From a bearer token to the account it stands for: signature, end, revocation, auth version, suspension.
import { timingSafeEqual } from 'node:crypto';
import type { AccountStatus } from '@recordproof/shared/api/accounts.ts';
import type { Role } from '@recordproof/shared/api/auth.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { type Awaitable, andThen } from '../../platform/awaitable.ts';
import type { Database } from '../../platform/db/open-db.ts';
import type { Actor, Authenticate, Caller } from '../../platform/http/caller.ts';
import type { Secret } from '../../platform/secret.ts';
import { permissionsOf } from '../accounts/index.ts';
import { prepareFindSession, type SessionRow } from './queries.ts';
import type { Claims, Tokens } from './tokens.ts';

function isManagementToken(token: string, secret: Secret | undefined): boolean {
  if (!secret) return false;
  const expected = Buffer.from(secret.reveal());
  const actual = Buffer.from(token);
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}

export function openAuthenticate(
  database: Pick<Database, 'db' | 'prepareFirst'>,
  tokens: Tokens,
  managementToken: Secret | undefined,
): Authenticate {
  const resume = openResume(database);
  return token => {
    if (isManagementToken(token, managementToken)) return { kind: 'operator' };
    return andThen(tokens.verify(token), resume);
  };
}

/** From claims that are known to be ours to the account, if it and its session still live. */
export function openResume(database: Pick<Database, 'db' | 'prepareFirst'>): (claims: Claims) => Awaitable<Caller> {
  const findSession = prepareFindSession(database);
  return claims => andThen(findSession(claims.userId, claims.tenantId, claims.tokenId), row => toCaller(row, claims));
}

function toCaller(row: SessionRow | undefined, claims: Claims): Caller {
  const isLive =
    row?.revoked === null && row.auth_version === claims.authVersion && (row.status as AccountStatus) === 'ACTIVE';
  if (!isLive) throw new ApiError('PERMISSION_TOKEN_INVALID');
  return { kind: 'user', actor: toActor(row, claims) };
}

const toActor = (row: SessionRow, claims: Claims): Actor => ({
  tenantId: row.tenant_id,
  userId: row.id,
  externalId: row.external_id,
  username: row.username,
  email: row.email,
  nickname: row.nickname,
  avatar: row.avatar,
  role: row.role as Role,
  registeredAt: row.registered_at,
  permissions: permissionsOf(row.role as Role),
  authVersion: row.auth_version,
  tokenId: claims.tokenId,
  tokenExpiresAt: claims.expiresAt,
});
