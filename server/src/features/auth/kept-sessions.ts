// Sessions that outlive a reload of the app in a browser: a random secret in a cookie that scripts cannot read, its digest
// here. The cookie buys a token and nothing else; every token of a kept session has the id of the one that it was kept with,
// so that they end together. Refused to pages of other sites.
import { createHash, randomBytes } from 'node:crypto';
import { appHeader } from '@recordproof/shared/api/auth.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { type Call, callAs, type Origin } from '../../platform/call.ts';
import type { Request } from '../../platform/http/route.ts';
import type { Server } from '../../platform/server.ts';
import { recordAudit } from '../audit/index.ts';
import { endSession, holdSession } from './hold-session.ts';
import { findKept, keep, prolong } from './kept-session-queries.ts';
import type { Session } from './tokens.ts';

type Needed = Pick<Server, 'database' | 'clock' | 'tokens' | 'baseUrl'>;

const maxPerAccount = 20;
const hour = 3600;
/** Of not being used. One that ends with the browser is not kept for ever by a browser that never ends. */
const lifetimeSeconds = { stays: 30 * 24 * hour, ends: 24 * hour };

const digestOf = (secret: string): string => createHash('sha256').update(secret).digest('base64url');
const lifetimeOf = (stays: boolean): number => (stays ? lifetimeSeconds.stays : lifetimeSeconds.ends);

const plainName = 'recordproof-session';
const path = '/api/v1/auth/browser-session';

/** Browsers take the prefix only from https; without it, on this machine alone, the path does what it can. */
const isSecure = ({ baseUrl }: Pick<Server, 'baseUrl'>): boolean => baseUrl().startsWith('https:');
const nameOf = (server: Pick<Server, 'baseUrl'>): string => (isSecure(server) ? `__Host-${plainName}` : plainName);

export function toSessionCookie(server: Pick<Server, 'baseUrl'>, secret: string, maxAge: number | undefined): string {
  const place = isSecure(server) ? ['Path=/', 'Secure'] : [`Path=${path}`];
  return [
    `${nameOf(server)}=${secret}`,
    ...place,
    ...(maxAge === undefined ? [] : [`Max-Age=${maxAge}`]),
    'HttpOnly',
    'SameSite=Strict',
  ].join('; ');
}

function findSecret(server: Pick<Server, 'baseUrl'>, { headers }: Pick<Request, 'headers'>): string | undefined {
  const start = `${nameOf(server)}=`;
  const found = (headers.cookie ?? '').split(/;\s*/).find(part => part.startsWith(start));
  return found?.slice(start.length, start.length + 100);
}

/** The cookie is never sent along from other sites; whoever gets around that still cannot send the header. */
function refuseOtherSites({ headers }: Pick<Request, 'headers'>): void {
  const site = headers['sec-fetch-site'] ?? 'same-origin';
  if (site !== 'same-origin' || headers[appHeader.toLowerCase()] === undefined)
    throw new ApiError('FORBIDDEN', `only the app of this server may ask for this, with the header ${appHeader}`);
}

export async function keepSession(
  { database, clock }: Needed,
  call: Call,
  stay: boolean,
): Promise<{ secret: string; expiresIn: number }> {
  const secret = randomBytes(32).toString('base64url');
  const expiresIn = lifetimeOf(stay);
  const { tenantId, userId, authVersion, tokenId } = call.actor;
  await database.db.transaction().execute(async tx => {
    const now = clock.now();
    await holdSession(tx, call.actor);
    const row = {
      secret_digest: digestOf(secret),
      tenant_id: tenantId,
      user_id: userId,
      auth_version: authVersion,
      token_id: tokenId,
      stays: stay ? 1 : 0,
      created_at: now,
      expires_at: now + expiresIn * 1000,
    };
    await keep(tx, row, maxPerAccount);
    await recordAudit(tx, call, now, 'auth.keep-session', 'session kept by a browser');
  });
  return { secret, expiresIn };
}

type Asking = Origin & Pick<Request, 'headers'>;

export async function resumeSession(
  server: Needed,
  asking: Asking,
): Promise<{ session: Session; secret: string; maxAge: number | undefined }> {
  refuseOtherSites(asking);
  const { database, clock, tokens } = server;
  const secret = findSecret(server, asking) ?? '';
  const { account, kept } = await database.db.transaction().execute(async tx => {
    const now = clock.now();
    const found = await findKept(tx, digestOf(secret), now);
    if (found === null) throw new ApiError('PERMISSION_TOKEN_INVALID');
    const { tenant_id: tenantId, user_id: userId, auth_version: authVersion, token_id: tokenId } = found;
    const held = await holdSession(tx, { tenantId, userId, authVersion, tokenId });
    await prolong(tx, found, now + lifetimeOf(found.stays === 1) * 1000);
    const call = callAs(asking, { tenantId, userId, username: held.username });
    await recordAudit(tx, call, now, 'auth.resume-session', 'session resumed by its browser');
    return { account: held, kept: found };
  });
  const session = await tokens.issue(account, kept.token_id);
  return { session, secret, maxAge: kept.stays === 1 ? lifetimeSeconds.stays : undefined };
}

export async function forgetSession(server: Needed, asking: Asking): Promise<null> {
  refuseOtherSites(asking);
  const { database, clock, tokens } = server;
  const secret = findSecret(server, asking);
  if (secret === undefined) return null;
  await database.db.transaction().execute(async tx => {
    const now = clock.now();
    const found = await findKept(tx, digestOf(secret), now);
    if (found === null) return;
    const { tenant_id: tenantId, user_id: userId, token_id: tokenId } = found;
    const lastTokenEnds = now + tokens.lifetimeSeconds * 1000;
    await endSession(tx, { tenantId, userId, tokenId, tokenExpiresAt: lastTokenEnds }, lastTokenEnds, now);
    const call = callAs(asking, { tenantId, userId, username: null });
    await recordAudit(tx, call, now, 'auth.forget-session', 'session ended by its browser');
  });
  return null;
}
