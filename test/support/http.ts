// The real HTTP layer with a few routes, on a free port. Only its dependencies are replaced: the rate limits, and the
// accounts, which are those given here, each with its name as token.
import type { Permission } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Actor, Caller } from '../../server/src/platform/http/caller.ts';
import { ConcurrentUploads } from '../../server/src/platform/http/concurrent-uploads.ts';
import type { HttpConfig, HttpOptions } from '../../server/src/platform/http/http-context.ts';
import { buildHttp } from '../../server/src/platform/http/http-server.ts';
import { Proxies } from '../../server/src/platform/http/proxies.ts';
import type { Route } from '../../server/src/platform/http/route.ts';
import { silentLog } from '../../server/src/platform/telemetry/log.ts';
import { movableClock } from './clock.ts';

export type TestHttp = AsyncDisposable & {
  readonly url: string;
  /** Ends the running calls, in the middle. */
  cutOff(): void;
  get(path: string, options?: { token?: string; headers?: Record<string, string> }): Promise<Response>;
};

/** The management token, which belongs to no account. */
export const operatorToken = 'operator';

/** Any other token is an account with the permissions that the token lists, separated by commas. */
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
  authenticatedAt: null,
};

async function authenticate(token: string): Promise<Caller> {
  if (token === operatorToken) return { kind: 'operator' };
  if (!token.startsWith('user:')) throw new ApiError('PERMISSION_TOKEN_INVALID');
  const permissions = new Set(token.slice('user:'.length).split(',').filter(Boolean)) as ReadonlySet<Permission>;
  return { kind: 'user', actor: { ...alice, permissions } };
}

const config: HttpConfig = {
  requestTimeoutSeconds: 10,
  stallTimeoutSeconds: 10,
  downloadMinBytesPerSecond: 0,
  uploads: { minBytesPerSecond: 0, mostPerAccount: 100, mostPerAddress: 100 },
};

type Replaced = Partial<Omit<HttpOptions, 'config'>> & { readonly config?: Partial<HttpConfig> };

export async function openTestHttp(routes: readonly Route[], ports: Replaced = {}): Promise<TestHttp> {
  const hit = { count: 1, limit: 6000, remaining: 5999, resetAtMs: 0, allowed: true };
  const app = await buildHttp(
    {
      clock: movableClock(),
      log: silentLog,
      limiter: { count: () => hit },
      proxies: new Proxies([], { clock: movableClock(), log: silentLog }),
      authenticate,
      redeemStreamToken: authenticate,
      observe: () => {},
      concurrentUploads: new ConcurrentUploads(),
      findFolders: async () => ({ files: new Map(), uploads: new Map() }),
      ...ports,
      config: { ...config, ...ports.config },
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
    cutOff: () => app.server.closeAllConnections(),
    [Symbol.asyncDispose]: () => app.close(),
  };
}
