import * as accountsApi from '@recordproof/shared/api/accounts.ts';
import * as api from '@recordproof/shared/api/auth.ts';
import { applyHit } from '../../platform/http/rate-limit.ts';
import { type Request, type Route, route } from '../../platform/http/route.ts';
import type { Server } from '../../platform/server.ts';
import { actorToProfile, toProfile } from '../accounts/index.ts';
import { emailSubject, findSubject } from './attempts.ts';
import { changeEmail, changePassword, resetPassword } from './change-credentials.ts';
import { forgetSession, keepSession, resumeSession, toSessionCookie } from './kept-sessions.ts';
import { findCandidate, login } from './login.ts';
import { register } from './register.ts';
import { checkRegistration } from './registration.ts';
import { requestMailCode } from './request-mail-code.ts';
import { logout, refreshToken } from './sessions.ts';
import { setUp } from './set-up.ts';
import { issueStreamToken } from './stream-tokens.ts';

type Limiting = Pick<Server, 'limiter'>;

/** Counts by the account that is tried as well: many addresses guessing at it share one rate limit, however they write it. */
async function limitBySubject({ limiter }: Limiting, request: Request, subject: string): Promise<void> {
  const hit = await limiter.count('auth', subject);
  if (!hit.allowed) applyHit(request, hit); // else what the door has counted is told
}

type Needed = Limiting &
  Pick<
    Server,
    'refusals' | 'database' | 'clock' | 'cluster' | 'counters' | 'config' | 'keys' | 'passwords' | 'tokens' | 'baseUrl'
  >;

export const authRoutes = (server: Needed): Route[] => [
  route(api.login, async r => {
    const candidate = await findCandidate(server.database.db, r.body.username);
    const guarded = await findSubject(server.database.db, candidate, r, server.clock.now());
    await limitBySubject(server, r, guarded.tried);
    return login(server, r, { ...r.body, candidate, guarded });
  }),
  route(api.register, async r => toProfile(await register(server, r, r.body))),
  route(api.getRegistration, () => {
    const { mode, domains } = server.config.accounts.registration;
    return { mode, domains: [...domains] };
  }),
  route(api.requestMailCode, r => {
    if (r.body.type === 'register') checkRegistration(server.config.accounts.registration, r.body.email);
    return requestMailCode(server, r, r.body);
  }),
  route(api.resetPassword, async r => {
    await limitBySubject(server, r, emailSubject(r.body.email));
    return resetPassword(server, r, r.body);
  }),
  route(api.logout, r => logout(server, r, r.body.everywhere)),
  route(api.me, r => actorToProfile(r.actor)),
  route(api.refreshToken, r => refreshToken(server, r)),
  route(api.issueStreamToken, r => issueStreamToken(server, r)),
  ...keptSessionRoutes(server),
  route(api.setUp, async r => toProfile(await setUp(server, r, r.body))),
  route(accountsApi.changePassword, r => changePassword(server, r, r.body)),
  route(accountsApi.changeEmail, async r => toProfile(await changeEmail(server, r, r.body))),
];

const keptSessionRoutes = (server: Needed): Route[] => [
  route(api.keepSession, async r => {
    const { secret, expiresIn } = await keepSession(server, r, r.body.stay);
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
    return null;
  }),
];
