// Bearer token authentication: from a token to its account, with signature, expiry, revocation, auth version, and
// suspension of the account or its tenant. The session of each request is checked here, in the database.
import { timingSafeEqual } from 'node:crypto';
import type { AccountStatus } from '@recordproof/shared/api/accounts.ts';
import type { Role } from '@recordproof/shared/api/auth.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { TenantStatus } from '@recordproof/shared/api/tenants.ts';
import { type Awaitable, andThen } from '../../platform/awaitable.ts';
import type { Actor, Authenticate, Beside, Caller } from '../../platform/http/caller.ts';
import type { Secret } from '../../platform/secret.ts';
import { permissionsOf } from '../accounts/index.ts';
import { prepareFindBeside, prepareFindSession, type SessionRow, type Sessions } from './queries.ts';
import type { TokenClaims, Tokens } from './tokens.ts';

function isManagementToken(token: string, secret: Secret | undefined): boolean {
  if (!secret) return false;
  const expected = Buffer.from(secret.reveal());
  const actual = Buffer.from(token);
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}

export function openAuthenticate(
  database: Sessions,
  tokens: Tokens,
  managementToken: Secret | undefined,
): Authenticate {
  const resume = openResume(database);
  return (token, _ip, beside) => {
    if (isManagementToken(token, managementToken)) return { kind: 'operator' };
    return andThen(tokens.verify(token), claims => resume(claims, beside));
  };
}

/** From claims that are known to be ours to the account, if it and its session still live. */
export function openResume(database: Sessions): (claims: TokenClaims, beside?: Beside) => Awaitable<Caller> {
  const findSession = prepareFindSession(database);
  const findWith = new Map<Beside['toJson'], ReturnType<typeof prepareFindBeside>>();
  return (claims, beside) => {
    const { userId, tenantId, tokenId } = claims;
    if (beside === undefined) return andThen(findSession(userId, tenantId, tokenId), row => toCaller(row, claims));
    const find = findWith.get(beside.toJson) ?? prepareFindBeside(database, beside.toJson);
    findWith.set(beside.toJson, find);
    return andThen(find(userId, tenantId, tokenId, beside.value), row => toCaller(row, claims));
  };
}

function toCaller(row: SessionRow | undefined, claims: TokenClaims): Caller {
  const isLive =
    row?.revoked === null &&
    row.auth_version === claims.authVersion &&
    (row.status as AccountStatus) === 'ACTIVE' &&
    row.tenant_status === ('ACTIVE' satisfies TenantStatus);
  if (!isLive) throw new ApiError('PERMISSION_TOKEN_INVALID');
  const maintenance = row.maintenance === null ? null : { message: row.maintenance };
  return { kind: 'user', actor: toActor(row, claims), maintenance, beside: row.beside };
}

const toActor = (row: SessionRow, claims: TokenClaims): Actor => ({
  tenantId: row.tenant_id,
  userId: row.id,
  externalId: row.external_id,
  username: row.username,
  email: row.email,
  nickname: row.nickname,
  avatar: row.avatar,
  role: row.role as Role,
  registeredAt: row.registered_at,
  permissions: permissionsOf(row.role as Role, row.installation_admin === 1),
  authVersion: row.auth_version,
  tokenId: claims.tokenId,
  tokenExpiresAt: claims.expiresAt,
  authenticatedAt: claims.authenticatedAt,
});
