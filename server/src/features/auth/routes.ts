import { createHash } from 'node:crypto';
import * as accountsApi from '@recordproof/shared/api/accounts.ts';
import * as api from '@recordproof/shared/api/auth.ts';
import { refuseOverLimit } from '../../platform/http/rate-limit.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { actorToProfile, foldName, toProfile } from '../accounts/index.ts';
import { originOf } from '../audit/index.ts';
import { changeEmail, changePassword, resetPassword } from './change-credentials.ts';
import { login } from './login.ts';
import type { AuthPorts } from './ports.ts';
import { register } from './register.ts';
import { requestMailCode } from './request-mail-code.ts';
import { logout, refreshToken } from './sessions.ts';
import { setUp } from './set-up.ts';

/** Counts by the name that is tried as well: many addresses guessing at one account share one allowance. */
async function limitByName({ limiter, clock }: AuthPorts, name: string): Promise<void> {
  const digest = createHash('sha256').update(foldName(name)).digest('base64url').slice(0, 22);
  refuseOverLimit(await limiter.count('auth', `name:${digest}`), clock.now());
}

export const authRoutes = (ports: AuthPorts): Route[] => [
  route(api.login, async r => {
    await limitByName(ports, r.body.username);
    return login(ports, r.body, originOf(r));
  }),
  route(api.register, async r => toProfile(await register(ports, r.body, originOf(r)))),
  route(api.requestMailCode, r => requestMailCode(ports, r.body, r.ip)),
  route(api.resetPassword, async r => {
    await limitByName(ports, r.body.email);
    return resetPassword(ports, r.body, originOf(r));
  }),
  route(api.logout, r => logout(ports, r.actor, r.body?.everywhere ?? false, originOf(r))),
  route(api.me, r => actorToProfile(r.actor)),
  route(api.refreshToken, r => refreshToken(ports, r.actor, originOf(r))),
  route(api.setUp, async r => toProfile(await setUp(ports, r.body, originOf(r)))),
  route(accountsApi.changePassword, r => changePassword(ports, r.actor, r.body, originOf(r))),
  route(accountsApi.changeEmail, async r => toProfile(await changeEmail(ports, r.actor, r.body, originOf(r)))),
];
