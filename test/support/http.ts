// The real HTTP door around a few routes, on a free port. Only what lies behind it is replaced: the allowance of calls,
// and the accounts, of which there are the ones given here, each named by its token.
import type { Permission } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Actor, Caller } from '../../server/src/platform/http/caller.ts';
import { buildHttp, type HttpPorts } from '../../server/src/platform/http/http-server.ts';
import type { Route } from '../../server/src/platform/http/route.ts';
import { silentLog } from '../../server/src/platform/telemetry/log.ts';
import { movableClock } from './clock.ts';

export type TestDoor = AsyncDisposable & {
  readonly url: string;
  get(path: string, options?: { token?: string; headers?: Record<string, string> }): Promise<Response>;
};

/** Token of the holder of the management token, who has no account. */
export const operatorToken = 'operator';

/** Any other token is an account that holds the permissions the token lists, separated by commas. */
export const tokenFor = (...permissions: Permission[]): string => `user:${permissions.join(',')}`;

const alice: Omit<Actor, 'permissions'> = {
  tenantId: 1,
  userId: 1,
  externalId: `U${'a'.repeat(22)}`,
  username: 'alice',
  email: 'alice@example.org',
  nickname: null,
  avatar: null,
  role: 'user',
  registeredAt: 0,
  authVersion: 1,
  tokenId: 'token',
  tokenExpiresAt: 0,
};

async function authenticate(token: string): Promise<Caller> {
  if (token === operatorToken) return { kind: 'operator' };
  if (!token.startsWith('user:')) throw new ApiError('PERMISSION_TOKEN_INVALID');
  const permissions = new Set(token.slice('user:'.length).split(',').filter(Boolean)) as ReadonlySet<Permission>;
  return { kind: 'user', actor: { ...alice, permissions } };
}

export async function openDoor(routes: readonly Route[], ports: Partial<HttpPorts> = {}): Promise<TestDoor> {
  const hit = { count: 1, limit: 6000, remaining: 5999, resetAtMs: 0, allowed: true };
  const app = await buildHttp(
    {
      config: { trustedProxies: [], requestTimeoutSeconds: 10, stallTimeoutSeconds: 10 },
      clock: movableClock(),
      log: silentLog,
      limiter: { count: () => hit },
      authenticate,
      redeemStreamToken: authenticate,
      observe: () => {},
      ...ports,
    },
    routes,
  );
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  return {
    url,
    get: (path, { token, headers = {} } = {}) =>
      fetch(url + path, {
        redirect: 'manual',
        headers: { ...headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) },
      }),
    [Symbol.asyncDispose]: () => app.close(),
  };
}
