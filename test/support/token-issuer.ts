// An issuer of identity tokens on loopback, as build systems have one: discovery document, replaceable keys, and tokens
// signed with any of them.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';

type Signing = { readonly kid: string; readonly privateKey: CryptoKey; readonly publicJwk: Record<string, unknown> };

export async function newSigningKey(kid: string, alg = 'RS256'): Promise<Signing> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

/** The token with which a job requests its identity token. */
export const jobToken = 'token of the job';

export type TokenIssuer = AsyncDisposable & {
  readonly url: string;
  /** The published keys. */
  keys: Signing[];
  /** The number of requests. */
  readonly asked: () => number;
  /** The claims for a job that requests its identity token at `/idtoken`, as jobs of GitHub and Forgejo do. */
  jobClaims: JWTPayload;
  /** Other claims of the discovery document. */
  document: Record<string, unknown>;
  sign(
    claims: JWTPayload,
    options?: { readonly key?: Signing; readonly kid?: string; readonly alg?: string },
  ): Promise<string>;
};

export async function openTokenIssuer(): Promise<TokenIssuer> {
  const first = await newSigningKey('first');
  let asked = 0;
  const toBody = async (url: URL, authorization: string | undefined) => {
    if (url.pathname === '/.well-known/openid-configuration')
      return { issuer: issuer.url, jwks_uri: `${issuer.url}/keys`, ...issuer.document };
    if (url.pathname !== '/idtoken') return { keys: issuer.keys.map(({ publicJwk }) => publicJwk) };
    if (authorization !== `Bearer ${jobToken}`) return {};
    const iat = Math.floor(Date.now() / 1000);
    const aud = url.searchParams.get('audience') ?? '';
    return { value: await issuer.sign({ ...issuer.jobClaims, iss: issuer.url, aud, iat, exp: iat + 300 }) };
  };
  const server = createServer(async ({ url = '/', headers }, response) => {
    asked += 1;
    const body = await toBody(new URL(url, issuer.url), headers.authorization);
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const issuer: TokenIssuer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    keys: [first],
    jobClaims: {},
    document: {},
    asked: () => asked,
    sign: (claims, { key = issuer.keys[0] ?? first, kid = key.kid, alg = 'RS256' } = {}) =>
      new SignJWT(claims).setProtectedHeader({ alg, kid }).sign(key.privateKey),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
  return issuer;
}
