// Routes of single sign on.
import * as programApi from '@recordproof/shared/api/program-sign-in.ts';
import * as api from '@recordproof/shared/api/single-sign-on.ts';
import { type PlainAnswer, plainRoute, type Request, type Route, route } from '../../platform/http/route.ts';
import { toKey } from '../../platform/ids.ts';
import type { Server } from '../../platform/server.ts';
import { rejectOtherSites } from '../auth/index.ts';
import { listConnections, removeConnection } from './connections.ts';
import { startFlow } from './flows.ts';
import * as programs from './programs.ts';
import { finishSignIn } from './provider-callback.ts';
import type { Providers } from './providers.ts';
import { findSignOutUrl } from './sessions.ts';
import { redeemSignInLink } from './sign-in-links.ts';
import { confirmStepUp, startStepUp } from './step-up.ts';

type Dependencies = Server & { readonly providers: Providers };

/** The URL with its code and the response are neither cached nor sent as referrer. */
const redirectTo = (location: string): PlainAnswer => ({
  status: 303,
  headers: { location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' },
  body: null,
});

/** Returns the URL for the browser, and sets the cookie that binds the sign-in to it. */
function toBrowser(request: Pick<Request, 'setHeader'>, { url, cookie }: { url: string; cookie: string }) {
  request.setHeader('set-cookie', cookie);
  return { url };
}

const browserRoutes = (server: Dependencies): Route[] => {
  const { providers } = server;
  return [
    route(api.listSignInProviders, () => ({
      localSignIn: server.config.accounts.localSignIn,
      providers: providers.list.map(({ settings: { id, title } }) => ({ id, title })),
    })),
    route(api.startSignIn, async r => {
      rejectOtherSites(r);
      const { stay: stays, returnTo } = r.body;
      const provider = providers.get(r.params.provider);
      return toBrowser(r, await startFlow(server, provider, { purpose: 'sign-in', stays, returnTo }));
    }),
    plainRoute(api.signInCallback, async r => {
      const { url, cookies } = await finishSignIn(server, r, r.params.provider, r.query);
      for (const cookie of cookies) r.setHeader('set-cookie', cookie);
      return redirectTo(url);
    }),
    route(api.connectProvider, async r => {
      rejectOtherSites(r);
      const provider = providers.get(r.params.provider);
      return toBrowser(r, await startFlow(server, provider, { purpose: 'connect', session: r.actor }));
    }),
    route(api.startProviderStepUp, async r => {
      const { loopback } = r.body;
      if (!loopback) rejectOtherSites(r);
      const { url, expiresIn, cookie } = await startStepUp(server, r, loopback);
      if (cookie !== null) r.setHeader('set-cookie', cookie);
      return { url, expiresIn };
    }),
    route(api.finishProviderStepUp, r => confirmStepUp(server, r, r.body)),
    route(api.listConnections, r => listConnections(server, r)),
    route(api.removeConnection, r => removeConnection(server, r, toKey(r.params.id))),
    route(api.signOutAtProvider, async r => ({ url: await findSignOutUrl(server, r) })),
    route(api.useSignInLink, r => {
      rejectOtherSites(r);
      return redeemSignInLink(server, r, r.body.code);
    }),
  ];
};

const programRoutes = (server: Dependencies): Route[] => {
  const { providers } = server;
  return [
    route(programApi.startLoopbackSignIn, r =>
      programs.startLoopback(server, r, providers.get(r.params.provider), r.body),
    ),
    plainRoute(programApi.continueSignIn, async r => {
      const { url, cookie } = await programs.continueLoopback(server, r.query.request);
      r.setHeader('set-cookie', cookie);
      return redirectTo(url);
    }),
    route(programApi.exchangeSignInCode, r => programs.exchangeCode(server, r, r.body)),
    route(programApi.startDeviceSignIn, r => programs.startDevice(server, r, providers.get(r.params.provider))),
    route(programApi.pollDeviceSignIn, r => programs.pollDevice(server, r, r.body.deviceCode)),
    route(programApi.findDeviceSignIn, r => {
      rejectOtherSites(r);
      return programs.findDevice(server, r.body.userCode);
    }),
    route(programApi.approveDeviceSignIn, async r => {
      rejectOtherSites(r);
      return toBrowser(r, await programs.approveDevice(server, r.body.userCode));
    }),
  ];
};

export const singleSignOnRoutes = (server: Dependencies): Route[] => [
  ...browserRoutes(server),
  ...programRoutes(server),
];
