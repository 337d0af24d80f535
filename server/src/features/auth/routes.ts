import * as accountsApi from '@recordproof/shared/api/accounts.ts';
import * as api from '@recordproof/shared/api/auth.ts';
import { refuseOverLimit, toHeaders } from '../../platform/http/rate-limit.ts';
import { type Request, type Route, route } from '../../platform/http/route.ts';
import { actorToProfile, toProfile } from '../accounts/index.ts';
import { originOf } from '../audit/index.ts';
import { emailSubject } from './attempts.ts';
import { changeEmail, changePassword, resetPassword } from './change-credentials.ts';
import { findCandidate, login } from './login.ts';
import type { AuthPorts } from './ports.ts';
import { register } from './register.ts';
import { requestMailCode } from './request-mail-code.ts';
import { logout, refreshToken } from './sessions.ts';
import { setUp } from './set-up.ts';
import { issueStreamToken } from './stream-tokens.ts';

/** Counts by whom is tried as well: many addresses guessing at one account share one allowance, however they write it. */
async function limitBySubject({ limiter, clock }: AuthPorts, request: Request, subject: string): Promise<void> {
  const hit = await limiter.count('auth', subject);
  if (hit.allowed) return;
  for (const [name, value] of Object.entries(toHeaders(hit))) request.setHeader(name, value);
  refuseOverLimit(hit, clock.now());
}

export const authRoutes = (ports: AuthPorts): Route[] => [
  route(api.login, async r => {
    const candidate = await findCandidate(ports.db, r.body.username);
    await limitBySubject(ports, r, candidate.subject);
    return login(ports, { candidate, ...r.body, origin: originOf(r) });
  }),
  route(api.register, async r => toProfile(await register(ports, r.body, originOf(r)))),
  route(api.requestMailCode, r => requestMailCode(ports, r.body, r.ip)),
  route(api.resetPassword, async r => {
    await limitBySubject(ports, r, emailSubject(r.body.email));
    return resetPassword(ports, r.body, originOf(r));
  }),
  route(api.logout, r => logout(ports, r.actor, r.body?.everywhere ?? false, originOf(r))),
  route(api.me, r => actorToProfile(r.actor)),
  route(api.refreshToken, r => refreshToken(ports, r.actor, originOf(r))),
  route(api.issueStreamToken, r => issueStreamToken(ports.cluster, r.actor)),
  route(api.setUp, async r => toProfile(await setUp(ports, r.body, originOf(r)))),
  route(accountsApi.changePassword, r => changePassword(ports, r.actor, r.body, originOf(r))),
  route(accountsApi.changeEmail, async r => toProfile(await changeEmail(ports, r.actor, r.body, originOf(r)))),
];
