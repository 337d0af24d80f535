// Routes of authentication.
import * as accountsApi from '@recordproof/shared/api/accounts.ts';
import * as api from '@recordproof/shared/api/auth.ts';
import * as factorsApi from '@recordproof/shared/api/factors.ts';
import * as codesApi from '@recordproof/shared/api/one-time-codes.ts';
import * as passkeysApi from '@recordproof/shared/api/passkeys.ts';
import * as sessionsApi from '@recordproof/shared/api/sessions.ts';
import { toIso } from '../../platform/clock.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { applyHit } from '../../platform/http/rate-limit.ts';
import { type Request, type Route, route } from '../../platform/http/route.ts';
import { toKey, toWireId } from '../../platform/ids.ts';
import type { Server } from '../../platform/server.ts';
import { openProfiles } from '../accounts/index.ts';
import { changeEmail, changePassword, resetPassword } from './change-credentials.ts';
import {
  beginEnrolment,
  beginPasskeyEnrolment,
  completeEnrolment,
  completePasskeyEnrolment,
} from './enrol-at-sign-in.ts';
import { giveSecondFactor } from './give-second-factor.ts';
import { endOneSession, endOtherSessions, listSessions } from './list-sessions.ts';
import { emailSubject, findSubject } from './lockout.ts';
import { findCandidate, login } from './login.ts';
import { requestMailCode } from './mail-codes.ts';
import { forgetSession, resumeSession, startPersistentSession, toSessionCookie } from './persistent-sessions.ts';
import { checkLocalSignIn, checkRegistration, register } from './registration.ts';
import { logout, refreshToken } from './sessions.ts';
import { setUp } from './set-up.ts';
import { signInWithPasskey } from './sign-in-with-passkey.ts';
import { stepUp } from './step-up.ts';
import { issueStreamToken } from './stream-tokens.ts';

/** Also counts by the tried account: many addresses guessing at it share one rate limit, in any spelling. */
export async function limitBySubject(
  { limiter }: Pick<Server, 'limiter'>,
  request: Request,
  subject: string,
): Promise<void> {
  const hit = await limiter.count('auth', subject);
  if (!hit.allowed) applyHit(request, hit); // otherwise the headers report the limit of the HTTP layer
}

export const authRoutes = (server: Server): Route[] => {
  const profiles = openProfiles(server.database.db);
  return [
    route(api.login, async r => {
      checkLocalSignIn(server.config.accounts);
      const candidate = await findCandidate(server.database.db, r.body.username);
      const guarded = await findSubject(server.database.db, candidate, r, server.clock.now());
      await limitBySubject(server, r, guarded.tried);
      return login(server, r, { ...r.body, candidate, guarded });
    }),
    route(api.register, async r => profiles.ofRow(await register(server, r, r.body))),
    route(api.getRegistration, () => {
      const { mode, domains } = server.config.accounts.registration;
      return { mode, domains: [...domains] };
    }),
    route(api.requestMailCode, r => {
      if (r.body.type === 'reset') checkLocalSignIn(server.config.accounts);
      if (r.body.type === 'register') checkRegistration(server.config.accounts.registration, r.body.email);
      return requestMailCode(server, r, r.body);
    }),
    route(api.resetPassword, async r => {
      checkLocalSignIn(server.config.accounts);
      await limitBySubject(server, r, emailSubject(r.body.email));
      return resetPassword(server, r, r.body);
    }),
    route(api.logout, r => logout(server, r, r.body.everywhere)),
    route(api.me, async r => ({ ...(await profiles.ofActor(r.actor)), apiToken: toActingToken(r.actor) })),
    route(api.refreshToken, r => refreshToken(server, r)),
    route(api.issueStreamToken, r => issueStreamToken(server, r)),
    route(factorsApi.giveSecondFactor, r => giveSecondFactor(server, r, r.body)),
    route(passkeysApi.signInWithPasskey, r => {
      checkLocalSignIn(server.config.accounts);
      return signInWithPasskey(server, r, r.body.credential);
    }),
    route(codesApi.beginEnrolment, r => beginEnrolment(server, r, r.body.challenge)),
    route(codesApi.completeEnrolment, r => completeEnrolment(server, r, r.body)),
    route(passkeysApi.beginPasskeyEnrolment, r => beginPasskeyEnrolment(server, r, r.body.challenge)),
    route(passkeysApi.completePasskeyEnrolment, r => completePasskeyEnrolment(server, r, r.body)),
    route(factorsApi.stepUp, r => stepUp(server, r, r.body.proof)),
    ...persistentSessionRoutes(server),
    route(sessionsApi.listSessions, r => listSessions(server, r)),
    route(sessionsApi.endOneSession, r => endOneSession(server, r, toKey(r.params.id))),
    route(sessionsApi.endOtherSessions, r => endOtherSessions(server, r)),
    route(api.setUp, async r => profiles.ofRow(await setUp(server, r, r.body))),
    route(accountsApi.changePassword, r => changePassword(server, r, r.body)),
    route(accountsApi.changeEmail, async r => profiles.ofRow(await changeEmail(server, r, r.body))),
  ];
};

const toActingToken = ({ apiToken, tokenExpiresAt }: Actor) =>
  apiToken && {
    id: toWireId(apiToken.id),
    name: apiToken.name,
    folder: apiToken.folder,
    expiresAt: toIso(tokenExpiresAt),
  };

const persistentSessionRoutes = (server: Server): Route[] => [
  route(api.keepSession, async r => {
    const { secret, expiresIn } = await startPersistentSession(server, r, r.body.stay);
    r.setHeader('set-cookie', toSessionCookie(server, secret, r.body.stay ? expiresIn : undefined));
    return { expiresIn };
  }),
  route(api.resumeSession, async r => {
    const { session, secret, maxAge } = await resumeSession(server, r);
    r.setHeader('set-cookie', toSessionCookie(server, secret, maxAge));
    return session;
  }),
  route(api.forgetSession, async r => {
    await forgetSession(server, r);
    r.setHeader('set-cookie', toSessionCookie(server, '', 0));
  }),
];
