// An OpenID Connect provider with programmable lies: it signs people in without asking, and each part of its answers
// can be replaced. It enforces PKCE, the client secret and one use of a code, as an honest one does.
import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';

type SigningKey = { readonly kid: string; readonly privateKey: CryptoKey; readonly jwk: object };

export type IdToken = { header: Record<string, unknown>; payload: JWTPayload; key: SigningKey };

export type IdentityProvider = AsyncDisposable & {
  readonly issuer: string;
  readonly clientSecret: string;
  /** Claims of the signed-in person. */
  person: Record<string, unknown> & { sub: string };
  /** Of these claims, those that only the user info has. */
  onlyInUserInfo: readonly string[];
  /** Changes an ID token before it is signed; the result is sent in its place. */
  forge: ((token: IdToken) => string | Promise<string> | undefined) | undefined;
  /** Changes the parameters that the browser brings back. */
  forgeAnswer: ((answer: URLSearchParams) => void) | undefined;
  /** Answers in place of the provider where it returns true. */
  interfere: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
  /** Signs with a new key from now on; the old one is no longer published. */
  rotateKey(): Promise<void>;
  newKey(kid: string): Promise<SigningKey>;
  sign(token: IdToken): Promise<string>;
  /** Bodies of the requests to the token endpoint. */
  readonly exchanges: URLSearchParams[];
  readonly counts: Map<string, number>;
};

type Grant = { readonly query: URLSearchParams; isUsed: boolean };

const clientId = 'recordproof';

async function newKey(kid: string): Promise<SigningKey> {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  return { kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' } };
}

const sign = ({ header, payload, key }: IdToken): Promise<string> =>
  new SignJWT(payload).setProtectedHeader({ alg: 'ES256', kid: key.kid, ...header }).sign(key.privateKey);

const send = (response: ServerResponse, status: number, body: unknown): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

const isProven = (query: URLSearchParams, verifier: string | null): boolean =>
  query.get('code_challenge_method') === 'S256' &&
  createHash('sha256')
    .update(verifier ?? '')
    .digest('base64url') === query.get('code_challenge');

export async function openIdentityProvider(): Promise<IdentityProvider> {
  const grants = new Map<string, Grant>();
  const clientSecret = randomBytes(24).toString('base64url');
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let key = await newKey('key-1');
  const provider: IdentityProvider = {
    issuer,
    clientSecret,
    person: { sub: 'nobody' },
    onlyInUserInfo: [],
    forge: undefined,
    forgeAnswer: undefined,
    interfere: undefined,
    exchanges: [],
    counts: new Map(),
    newKey,
    sign,
    rotateKey: async () => {
      key = await newKey(`key-${randomBytes(4).toString('hex')}`);
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };

  const metadata = {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/userinfo`,
    jwks_uri: `${issuer}/jwks`,
    end_session_endpoint: `${issuer}/end-session`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256', 'none', 'HS256'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', issuer);
    provider.counts.set(url.pathname, (provider.counts.get(url.pathname) ?? 0) + 1);
    if (provider.interfere?.(request, response)) return;
    if (url.pathname === '/.well-known/openid-configuration') return send(response, 200, metadata);
    if (url.pathname === '/jwks') return send(response, 200, { keys: [key.jwk] });
    if (url.pathname === '/authorize') return authorize(url.searchParams, response);
    if (url.pathname === '/token') return exchange(request, response);
    if (url.pathname === '/userinfo') return send(response, 200, provider.person);
    send(response, 404, {});
  }

  function authorize(query: URLSearchParams, response: ServerResponse): void {
    const code = randomBytes(16).toString('base64url');
    grants.set(code, { query, isUsed: false });
    const back = new URLSearchParams({ code, state: query.get('state') ?? '', iss: issuer });
    provider.forgeAnswer?.(back);
    response.writeHead(302, { location: `${query.get('redirect_uri')}?${back}` }).end();
  }

  async function exchange(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = new URLSearchParams(await text(request));
    provider.exchanges.push(body);
    const [, given = ''] = (request.headers.authorization ?? '').split(' ');
    const isClient = decodeURIComponent(Buffer.from(given, 'base64').toString()) === `${clientId}:${clientSecret}`;
    if (!isClient) return send(response, 401, { error: 'invalid_client' });
    const grant = grants.get(body.get('code') ?? '');
    const isGood = grant && !grant.isUsed && isProven(grant.query, body.get('code_verifier'));
    if (!isGood) return send(response, 400, { error: 'invalid_grant' });
    grant.isUsed = true;
    send(response, 200, { access_token: 'access', token_type: 'Bearer', id_token: await toIdToken(grant) });
  }

  async function toIdToken({ query }: Grant): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    const claims = Object.entries(provider.person).filter(([name]) => !provider.onlyInUserInfo.includes(name));
    const standard = { iss: issuer, aud: clientId, iat: now, exp: now + 300, nonce: query.get('nonce') };
    const token: IdToken = { header: {}, payload: { ...Object.fromEntries(claims), ...standard }, key };
    return (await provider.forge?.(token)) ?? sign(token);
  }

  return provider;
}

/** The settings of a server that uses these providers, by their ids. */
export const toProviderSettings = (
  providers: Readonly<Record<string, { readonly provider: IdentityProvider; readonly more?: object }>>,
): Record<string, string> => ({
  RECORDPROOF_SSO_PROVIDERS: JSON.stringify(
    Object.entries(providers).map(([id, { provider, more }]) => ({
      id,
      title: `Company ${id}`,
      issuer: provider.issuer,
      'client-id': clientId,
      ...more,
    })),
  ),
  RECORDPROOF_SSO_CLIENT_SECRETS: Object.entries(providers)
    .map(([id, { provider }]) => `${id}:${provider.clientSecret}`)
    .join(','),
});
