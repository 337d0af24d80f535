// Step-up at a provider: signing in again at the provider of the session, which states when it authenticated the
// person. Marks the requesting session of the same account as fresh.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { SignInProblem } from '@recordproof/shared/api/single-sign-on.ts';
import { type Call, callAs, type Origin } from '../../platform/call.ts';
import { toIso } from '../../platform/clock.ts';
import type { Time, Tx } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import { type AccountRow, findAccount } from '../accounts/index.ts';
import { recordAudit } from '../audit/index.ts';
import { freshForMs, markSessionFresh } from '../auth/index.ts';
import type { Subject } from './accounts.ts';
import { flowLifetimeMs, startFlow } from './flows.ts';
import { type CodeWithVerifier, decide, exchangeStepUpCode, type Loopback, startLoopback } from './programs.ts';
import type { Provider, Providers } from './providers.ts';
import { type FlowRow, findIdentity, findProgram } from './queries.ts';
import { findOwnSession } from './sessions.ts';

type Dependencies = Pick<Server, 'database' | 'clock' | 'keys' | 'baseUrl' | 'tokens'> & {
  readonly providers: Providers;
};

async function getProviderOf(server: Dependencies, { actor }: Call): Promise<Provider> {
  const session = await findOwnSession(server.database, actor);
  const provider = server.providers.find(session?.provider ?? '');
  if (provider) return provider;
  throw new ApiError('CONFLICT', 'this session did not begin at a provider: give its password or second factor');
}

/** With a cookie for the browser; a program binds the sign-in by its code. */
export async function startStepUp(server: Dependencies, call: Call, loopback: Loopback | undefined) {
  const provider = await getProviderOf(server, call);
  if (loopback) return { ...(await startLoopback(server, call, provider, loopback, call.actor)), cookie: null };
  const begun = await startFlow(server, provider, { purpose: 'step-up', session: call.actor });
  return { ...begun, expiresIn: flowLifetimeMs / 1000 };
}

/** Allowed clock difference. */
const toleranceMs = 60_000;

/** Whether the provider authenticated the person after the sign-in began. */
export const isFreshSignIn = ({ created_at }: FlowRow, authTime: unknown): boolean =>
  typeof authTime === 'number' && authTime * 1000 >= created_at - toleranceMs;

type Person = Subject & { readonly authenticatedAt: Time };
type Outcome = { readonly url: string } | { readonly problem: SignInProblem };

async function findAsker(tx: Tx, flow: FlowRow, now: Time): Promise<Pick<FlowRow, 'tenant_id' | 'user_id'> | null> {
  return flow.program_id === null ? flow : findProgram(tx, { id: flow.program_id }, now);
}

/** The return of the browser. `doneUrl` is for a step-up started in the browser itself. */
export async function finishStepUp(
  tx: Tx,
  server: Dependencies,
  origin: Origin,
  { flow, person, doneUrl }: { readonly flow: FlowRow; readonly person: Person; readonly doneUrl: string },
): Promise<Outcome> {
  const now = server.clock.now();
  const asker = await findAsker(tx, flow, now);
  if (asker === null) return { problem: 'expired' };
  const identity = await findIdentity(tx, person.issuer, person.subject);
  if (identity === null || identity.tenant_id !== asker.tenant_id || identity.user_id !== asker.user_id)
    return { problem: 'other-person' };
  const account = await findAccount(tx, identity.tenant_id, identity.user_id);
  if (account?.status !== 'ACTIVE') return { problem: 'suspended' };
  const authenticatedAt = Math.min(now, person.authenticatedAt);
  if (flow.program_id !== null) {
    const url = await decide(tx, server, flow.program_id, { account, authenticatedAt });
    return url === null ? { problem: 'expired' } : { url };
  }
  const { auth_version: authVersion, token_id: tokenId } = flow;
  if (authVersion === null || tokenId === null) return { problem: 'session-ended' };
  const session = { tenantId: account.tenant_id, userId: account.id, authVersion, tokenId };
  await markSessionFresh(tx, session, authenticatedAt);
  await audit(tx, origin, account, flow.provider, now);
  return { url: doneUrl };
}

const audit = (
  tx: Tx,
  origin: Origin,
  { tenant_id: tenantId, id: userId, username }: Pick<AccountRow, 'tenant_id' | 'id' | 'username'>,
  provider: string,
  now: Time,
): Promise<void> => {
  const call = callAs(origin, { tenantId, userId, username });
  return recordAudit(tx, call, now, 'single-sign-on.step-up', `signed in again through ${provider}`, { provider });
};

/** For a program. */
export async function confirmStepUp(
  server: Dependencies,
  call: Call,
  body: CodeWithVerifier,
): Promise<{ freshUntil: string }> {
  const { provider, authenticatedAt } = await exchangeStepUpCode(server, call.actor, body);
  const { tenantId, userId, username } = call.actor;
  await server.database.db.transaction().execute(async tx => {
    await markSessionFresh(tx, call.actor, authenticatedAt);
    await audit(tx, call, { tenant_id: tenantId, id: userId, username }, provider, server.clock.now());
  });
  return { freshUntil: toIso(authenticatedAt + freshForMs) };
}
