// The identity provider of the npm package oidc-provider on loopback, with its own pages for signing in and consent.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';

export type OidcProvider = AsyncDisposable & {
  readonly issuer: string;
  readonly settings: Record<string, string>;
};

const clientSecret = 'a-secret-of-the-client-for-tests';

/** Accepts any name as a sign-in; the name is the subject. `serverUrl` is the address of the client. */
export async function openOidcProvider(id: string, serverUrl: string): Promise<OidcProvider> {
  const server = createServer();
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'recordproof',
        client_secret: clientSecret,
        redirect_uris: [`${serverUrl}/api/v1/auth/sso/${id}/callback`],
        post_logout_redirect_uris: [`${serverUrl}/app`],
      },
    ],
    claims: { openid: ['sub'], profile: ['preferred_username', 'name'], email: ['email', 'email_verified'] },
    findAccount: (_: unknown, sub: string) => ({
      accountId: sub,
      claims: () => ({
        ...{ sub, preferred_username: sub, name: `${sub} of the company` },
        ...{ email: `${sub}@company.example`, email_verified: true },
      }),
    }),
    features: { devInteractions: { enabled: true }, rpInitiatedLogout: { enabled: true } },
    cookies: { keys: ['a key of the cookies for tests'] },
  });
  server.on('request', provider.callback());
  return {
    issuer,
    settings: {
      RECORDPROOF_SSO_PROVIDERS: JSON.stringify([
        {
          id,
          title: 'Company',
          issuer,
          'client-id': 'recordproof',
          'create-accounts': true,
          domains: ['company.example'],
        },
      ]),
      RECORDPROOF_SSO_CLIENT_SECRETS: `${id}:${clientSecret}`,
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}
