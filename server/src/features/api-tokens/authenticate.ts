// API token authentication: from a token to its account. Malformed tokens are rejected without a query; each check is
// one statement, so that a revocation takes effect at once on every server.
import { hash } from 'node:crypto';
import type { BlockList } from 'node:net';
import type { AccountStatus } from '@recordproof/shared/api/accounts.ts';
import { apiTokenPrefix, isApiTokenText } from '@recordproof/shared/api/api-token-text.ts';
import type { Role } from '@recordproof/shared/api/auth.ts';
import type { Permission } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { TenantStatus } from '@recordproof/shared/api/tenants.ts';
import { BoundedMap } from '@recordproof/shared/bounded-map.ts';
import { type Awaitable, andThen } from '../../platform/awaitable.ts';
import type { Key } from '../../platform/db/tables.ts';
import type { Authenticate, Caller } from '../../platform/http/caller.ts';
import { isListed, toBlockList } from '../../platform/http/networks.ts';
import type { Platform } from '../../platform/server.ts';
import { permissionsOf } from '../accounts/index.ts';
import type { LastUses } from './last-uses.ts';
import { type LiveRow, prepareFindByDigest, prepareFindById } from './queries.ts';
import type { WrongAddresses } from './wrong-addresses.ts';

export type ApiTokens = {
  readonly authenticate: Authenticate;
  /** For deferred work requested with a token; its rights are checked again. */
  readonly resume: (id: Key, ip: string) => Awaitable<Caller>;
};

export const hasApiTokenPrefix = (token: string): boolean => token.startsWith(apiTokenPrefix);
export const digestToken = (token: string): string => hash('sha256', token, 'base64url');
/** The session id of a token. */
export const toSessionId = (id: Key): string => `api:${id}`;

const mostRemembered = 1000;

const invalid = (message = 'this API token is not valid') => new ApiError('PERMISSION_TOKEN_INVALID', message);

export function openApiTokens(
  { database, clock }: Pick<Platform, 'database' | 'clock'>,
  { uses, wrongAddresses }: { readonly uses: LastUses; readonly wrongAddresses: WrongAddresses },
): ApiTokens {
  const findByDigest = prepareFindByDigest(database);
  const findById = prepareFindById(database);
  const networks = new BoundedMap<string, BlockList>(mostRemembered);
  const scopes = new BoundedMap<string, ReadonlySet<Permission>>(mostRemembered);

  function isFromThere(addresses: string, ip: string): boolean {
    if (addresses === '') return true;
    const list = networks.get(addresses) ?? toBlockList(addresses.split(' '));
    networks.set(addresses, list);
    return isListed(list, ip);
  }

  /** The permissions that both the scopes and the current role allow; never those of the installation. */
  function findPermissions(row: LiveRow): ReadonlySet<Permission> {
    const key = `${row.role} ${row.scopes}`;
    let cached = scopes.get(key);
    if (cached === undefined) {
      const named = new Set(row.scopes.split(' '));
      cached = new Set([...permissionsOf(row.role as Role)].filter(permission => named.has(permission)));
      scopes.set(key, cached);
    }
    return cached;
  }

  function toCaller(row: LiveRow | undefined, ip: string): Caller {
    const isLive =
      row?.status === ('ACTIVE' satisfies AccountStatus) && row.tenant_status === ('ACTIVE' satisfies TenantStatus);
    if (!isLive) throw invalid();
    if (row.revoked_at !== null) throw invalid('this API token has been revoked');
    if (row.expires_at <= clock.now())
      throw new ApiError('PERMISSION_TOKEN_EXPIRED', 'this API token has expired: create a new one');
    if (!isFromThere(row.addresses, ip)) {
      wrongAddresses.note(row, ip);
      throw invalid(`this API token is not accepted from the address ${ip}`);
    }
    uses.note(row.token_id, row.last_used_at, ip);
    return {
      kind: 'user',
      actor: {
        tenantId: row.tenant_id,
        userId: row.id,
        externalId: row.external_id,
        username: row.username,
        email: row.email,
        nickname: row.nickname,
        avatar: row.avatar,
        role: row.role as Role,
        registeredAt: row.registered_at,
        permissions: findPermissions(row),
        authVersion: row.auth_version,
        tokenId: toSessionId(row.token_id),
        tokenExpiresAt: row.expires_at,
        authenticatedAt: null,
        apiToken: { id: row.token_id, name: row.name, folder: row.folder },
      },
    };
  }

  return {
    authenticate: (token, ip) => {
      if (!isApiTokenText(token)) throw invalid('this is not an API token: its checksum is wrong');
      return andThen(findByDigest(digestToken(token)), row => toCaller(row, ip));
    },
    resume: (id, ip) => andThen(findById(id), row => toCaller(row, ip)),
  };
}
