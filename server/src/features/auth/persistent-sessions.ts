// Persistent browser sessions: a random secret in an HttpOnly cookie, stored here as a digest. The cookie can only be
// exchanged for a token; every token of a persistent session has the id of the original one, so that they end together.
// Requests from other sites are rejected.
import { createHash, randomBytes } from 'node:crypto';
import { appHeader } from '@recordproof/shared/api/auth.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { type Call, callAs } from '../../platform/call.ts';
import type { Actor } from '../../platform/http/caller.ts';
import type { Request } from '../../platform/http/route.ts';
import type { Server } from '../../platform/server.ts';
import { recordAudit } from '../audit/index.ts';
import { endSession, lockSession, rejectUnenrolled } from './change-session.ts';
import {
  addSession,
  extendPersistentSession,
  findPersistentSession,
  savePersistentSession,
  useSession,
} from './session-queries.ts';
import type { SignInRequest } from './start-session.ts';
import type { Session } from './tokens.ts';

type Dependencies = Pick<Server, 'database' | 'clock' | 'tokens' | 'baseUrl'>;

const maxPerAccount = 20;
const hour = 3600;
/** Lifetime without use. A session cookie also expires, because some browsers are never closed. */
const lifetimeSeconds = { persistent: 30 * 24 * hour, browserRun: 24 * hour };

const digestOf = (secret: string): string => createHash('sha256').update(secret).digest('base64url');
const lifetimeOf = (isPersistent: boolean): number =>
  isPersistent ? lifetimeSeconds.persistent : lifetimeSeconds.browserRun;

const plainName = 'recordproof-session';
const path = '/api/v1/auth/browser-session';

/** Browsers accept the prefix only over https; on plain http (loopback only) the path attribute is used. */
const isSecure = ({ baseUrl }: Pick<Server, 'baseUrl'>): boolean => baseUrl().startsWith('https:');
const nameOf = (server: Pick<Server, 'baseUrl'>): string => (isSecure(server) ? `__Host-${plainName}` : plainName);

export function toSessionCookie(server: Pick<Server, 'baseUrl'>, secret: string, maxAge: number | undefined): string {
  const attributes = isSecure(server) ? ['Path=/', 'Secure'] : [`Path=${path}`];
  return [
    `${nameOf(server)}=${secret}`,
    ...attributes,
    ...(maxAge === undefined ? [] : [`Max-Age=${maxAge}`]),
    'HttpOnly',
    'SameSite=Strict',
  ].join('; ');
}

/** At most 100 characters of its value. */
export function findCookie({ headers }: Pick<Request, 'headers'>, name: string): string | undefined {
  const start = `${name}=`;
  const found = (headers.cookie ?? '').split(/;\s*/).find(part => part.startsWith(start));
  return found?.slice(start.length, start.length + 100);
}

/** The cookie is SameSite; a request that circumvents that cannot send the header. */
export function rejectOtherSites({ headers }: Pick<Request, 'headers'>): void {
  const site = headers['sec-fetch-site'] ?? 'same-origin';
  if (site !== 'same-origin' || headers[appHeader.toLowerCase()] === undefined)
    throw new ApiError('FORBIDDEN', `only the app of this server may send this request, with the header ${appHeader}`);
}

type SessionActor = Pick<Actor, 'tenantId' | 'userId' | 'username' | 'authVersion' | 'tokenId'>;

export async function startPersistentSession(
  { database, clock }: Dependencies,
  call: Call<SessionActor>,
  isPersistent: boolean,
): Promise<{ secret: string; expiresIn: number }> {
  const secret = randomBytes(32).toString('base64url');
  const expiresIn = lifetimeOf(isPersistent);
  const { tenantId, userId, authVersion, tokenId } = call.actor;
  await database.db.transaction().execute(async tx => {
    const now = clock.now();
    await lockSession(tx, call.actor);
    const row = {
      secret_digest: digestOf(secret),
      tenant_id: tenantId,
      user_id: userId,
      auth_version: authVersion,
      token_id: tokenId,
      stays: isPersistent ? 1 : 0,
      created_at: now,
      expires_at: now + expiresIn * 1000,
    };
    await savePersistentSession(tx, row, maxPerAccount);
    await useSession(tx, tenantId, { tokenId, expiresAt: row.expires_at, address: call.ip, usedAt: now });
    await recordAudit(tx, call, now, 'auth.keep-session', 'persistent session started');
  });
  return { secret, expiresIn };
}

export async function resumeSession(
  server: Dependencies,
  request: SignInRequest,
): Promise<{ session: Session; secret: string; maxAge: number | undefined }> {
  rejectOtherSites(request);
  const { database, clock, tokens } = server;
  const secret = findCookie(request, nameOf(server)) ?? '';
  const { account, row, authenticatedAt } = await database.db.transaction().execute(async tx => {
    const now = clock.now();
    const found = await findPersistentSession(tx, digestOf(secret), now);
    if (found === null) throw new ApiError('PERMISSION_TOKEN_INVALID');
    const { tenant_id: tenantId, user_id: userId, auth_version: authVersion, token_id: tokenId } = found;
    const account = await lockSession(tx, { tenantId, userId, authVersion, tokenId });
    await rejectUnenrolled(tx, account, tokenId, now);
    const expiresAt = now + lifetimeOf(found.stays === 1) * 1000;
    await extendPersistentSession(tx, found, expiresAt);
    const used = { tokenId, expiresAt, address: request.ip, usedAt: now };
    const { headers } = request;
    const session =
      (await useSession(tx, tenantId, used)) ??
      (await addSession(tx, account, { ...used, headers, authenticatedAt: 0 }));
    const call = callAs(request, { tenantId, userId, username: account.username });
    await recordAudit(tx, call, now, 'auth.resume-session', 'session resumed by its browser');
    return { account, row: found, authenticatedAt: session.proven_at };
  });
  const session = await tokens.issue(account, { tokenId: row.token_id, authenticatedAt });
  return { session, secret, maxAge: row.stays === 1 ? lifetimeSeconds.persistent : undefined };
}

export async function forgetSession(server: Dependencies, request: SignInRequest): Promise<void> {
  rejectOtherSites(request);
  const { database, clock, tokens } = server;
  const secret = findCookie(request, nameOf(server));
  if (secret === undefined) return;
  await database.db.transaction().execute(async tx => {
    const now = clock.now();
    const found = await findPersistentSession(tx, digestOf(secret), now);
    if (found === null) return;
    const { tenant_id: tenantId, user_id: userId, token_id: tokenId } = found;
    await endSession(tx, tokens, { tenantId, userId, tokenId }, now);
    const call = callAs(request, { tenantId, userId, username: null });
    await recordAudit(tx, call, now, 'auth.forget-session', 'session ended by its browser');
  });
}
