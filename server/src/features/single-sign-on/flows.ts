// A sign-in at a provider, from start to return. The state is random, used once and stored as a digest; nonce and PKCE
// verifier are derived from it with a server key. A cookie binds the sign-in to its browser, so that another person's
// return link is useless.
import { createHash, createHmac, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Key, Tx } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import type { Request } from '../../platform/http/route.ts';
import type { Server } from '../../platform/server.ts';
import { findCookie } from '../auth/index.ts';
import type { Provider } from './providers.ts';
import { type FlowRow, findFlow, insertFlow, takeFlow } from './queries.ts';

export const flowLifetimeMs = 10 * 60_000;
const callbackPath = (provider: string): string => `/api/v1/auth/sso/${provider}/callback`;
const cookiePath = '/api/v1/auth/sso';

export const newSecret = (): string => randomBytes(32).toString('base64url');
export const digestOf = (secret: string): string => createHash('sha256').update(secret).digest('base64url');
export const keyedDigestOf = (key: KeyObject, what: string, text: string): string =>
  createHmac('sha256', key).update(`single sign-on ${what}\n${text}`).digest('base64url');

const toVerifier = (pepper: KeyObject, state: string): string => keyedDigestOf(pepper, 'verifier', state);
const toNonce = (pepper: KeyObject, state: string): string => keyedDigestOf(pepper, 'nonce', state);

const isSecure = (baseUrl: string): boolean => baseUrl.startsWith('https:');

/** One cookie per sign-in, so that two tabs can sign in concurrently. */
const cookieName = (baseUrl: string, state: string): string =>
  `${isSecure(baseUrl) ? '__Host-' : ''}recordproof-sso-${digestOf(state).slice(0, 12)}`;

/** SameSite=Lax, because the browser returns from another site. */
function toCookie(baseUrl: string, state: string, secret: string, maxAgeSeconds: number): string {
  const scope = isSecure(baseUrl) ? ['Path=/', 'Secure'] : [`Path=${cookiePath}`];
  const parts = [`${cookieName(baseUrl, state)}=${secret}`, ...scope, `Max-Age=${maxAgeSeconds}`];
  return [...parts, 'HttpOnly', 'SameSite=Lax'].join('; ');
}

export const toSpentCookie = (baseUrl: string, state: string): string => toCookie(baseUrl, state, '', 0);

type AskingSession = Pick<Actor, 'tenantId' | 'userId' | 'authVersion' | 'tokenId'>;

type Purpose =
  | { readonly purpose: 'sign-in'; readonly stays: boolean; readonly returnTo: string }
  | { readonly purpose: 'connect'; readonly session: AskingSession }
  | { readonly purpose: 'step-up'; readonly session: AskingSession }
  | { readonly purpose: 'program'; readonly programId: Key; readonly isStepUp: boolean };

type Starting = Pick<Server, 'database' | 'clock' | 'keys' | 'baseUrl'>;
export type Begun = { readonly url: string; readonly cookie: string };

export async function startFlow(
  { database, clock, keys, baseUrl }: Starting,
  provider: Provider,
  purpose: Purpose,
): Promise<Begun> {
  const { client, configuration } = await provider.open();
  const state = newSecret();
  const secret = newSecret();
  const { id, scopes, requiredAcr } = provider.settings;
  const now = clock.now();
  const row = {
    state_digest: digestOf(state),
    browser_digest: digestOf(secret),
    provider: id,
    created_at: now,
    expires_at: now + flowLifetimeMs,
    ...toColumns(purpose),
  };
  const isFresh = row.is_fresh === 1;
  await database.db.transaction().execute(tx => insertFlow(tx, row));
  const url = client.buildAuthorizationUrl(configuration, {
    redirect_uri: baseUrl() + callbackPath(id),
    scope: scopes.join(' '),
    state,
    nonce: toNonce(keys.pepper, state),
    code_challenge: digestOf(toVerifier(keys.pepper, state)),
    code_challenge_method: 'S256',
    ...(isFresh && { prompt: 'login', max_age: '0' }),
    ...(requiredAcr.length > 0 && { acr_values: requiredAcr.join(' ') }),
  });
  return { url: url.href, cookie: toCookie(baseUrl(), state, secret, flowLifetimeMs / 1000) };
}

function toColumns(purpose: Purpose) {
  const none = {
    ...{ purpose: purpose.purpose, stays: 0, return_to: '', is_fresh: 0 },
    ...{ tenant_id: null, user_id: null, auth_version: null, token_id: null, program_id: null },
  };
  switch (purpose.purpose) {
    case 'sign-in':
      return { ...none, stays: purpose.stays ? 1 : 0, return_to: purpose.returnTo };
    case 'connect':
      return { ...none, ...toSessionColumns(purpose.session) };
    case 'step-up':
      return { ...none, ...toSessionColumns(purpose.session), is_fresh: 1 };
    case 'program':
      return { ...none, program_id: purpose.programId, is_fresh: purpose.isStepUp ? 1 : 0 };
  }
}

const toSessionColumns = ({ tenantId, userId, authVersion, tokenId }: AskingSession) => ({
  ...{ tenant_id: tenantId, user_id: userId, auth_version: authVersion, token_id: tokenId },
});

type Returned = { readonly flow: FlowRow } | { readonly problem: 'expired' | 'other-browser' };

/** Consumes the sign-in of a state. One of another browser is left unchanged. */
export async function consumeReturned(
  { database, clock, baseUrl }: Pick<Server, 'database' | 'clock' | 'baseUrl'>,
  request: Pick<Request, 'headers'>,
  { provider, state }: { readonly provider: string; readonly state: string },
): Promise<Returned> {
  const flow = await findFlow(database.db, digestOf(state), clock.now());
  if (flow === null || flow.provider !== provider) return { problem: 'expired' };
  const shown = Buffer.from(digestOf(findCookie(request, cookieName(baseUrl(), state)) ?? ''));
  if (!timingSafeEqual(shown, Buffer.from(flow.browser_digest))) return { problem: 'other-browser' };
  const isOurs = await database.db.transaction().execute((tx: Tx) => takeFlow(tx, flow.id));
  return isOurs ? { flow } : { problem: 'expired' };
}

export type ProviderAnswer = { readonly [Name in 'code' | 'state' | 'iss' | 'error']?: string | undefined };

/** Exchanges the code and validates the ID token; throws the library's errors. */
export async function redeemAnswer(
  { keys, baseUrl }: Pick<Server, 'keys' | 'baseUrl'>,
  provider: Provider,
  answer: ProviderAnswer & { readonly state: string },
) {
  const { client, configuration } = await provider.open();
  const current = new URL(baseUrl() + callbackPath(provider.settings.id));
  for (const [name, value] of Object.entries(answer)) if (value !== undefined) current.searchParams.set(name, value);
  const { state } = answer;
  const tokens = await client.authorizationCodeGrant(configuration, current, {
    expectedState: state,
    expectedNonce: toNonce(keys.pepper, state),
    pkceCodeVerifier: toVerifier(keys.pepper, state),
    idTokenExpected: true,
  });
  const claims = tokens.claims();
  if (!claims) throw new Error(`the sign-in provider ${provider.settings.id} sent no ID token`);
  const { issuer, userinfo_endpoint: more } = configuration.serverMetadata();
  return {
    issuer,
    claims,
    findMore: more === undefined ? null : () => client.fetchUserInfo(configuration, tokens.access_token, claims.sub),
  };
}
