// Return from a provider: checks the response, finds the account, and completes the purpose of the sign-in. Errors
// become a redirect with an error name from a short list; details are in the log.

import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { SignInProblem } from '@recordproof/shared/api/single-sign-on.ts';
import { anonymousParty, callAs, type Origin } from '../../platform/call.ts';
import type { Time } from '../../platform/db/tables.ts';
import { newTokenId, randomBase62 } from '../../platform/ids.ts';
import type { Server } from '../../platform/server.ts';
import { type AccountRow, getDefaultTenant } from '../accounts/index.ts';
import { lockSession, type SignInRequest, startPersistentSession, toSessionCookie } from '../auth/index.ts';
import { connect, lockSubject, resolveAccount, type Subject } from './accounts.ts';
import { consumeReturned, type ProviderAnswer, redeemAnswer, toSpentCookie } from './flows.ts';
import { type Admission, hasClaims, listNeededClaims, mergeClaims, type SignInClaims, toAdmission } from './policy.ts';
import { decide } from './programs.ts';
import type { Provider, Providers } from './providers.ts';
import { type FlowRow, findIdentity } from './queries.ts';
import { beginSession, endSessions } from './sessions.ts';
import { finishStepUp, isFreshSignIn } from './step-up.ts';

type Dependencies = Pick<
  Server,
  'database' | 'clock' | 'keys' | 'baseUrl' | 'tokens' | 'passwords' | 'rejections' | 'config' | 'log'
> & { readonly providers: Providers };

type Landing = { readonly url: string; readonly cookies: readonly string[] };

/** Ends a sign-in with an error name for the person; `detail` is for the log. */
class SignInRejected extends Error {
  readonly problem: SignInProblem;
  constructor(problem: SignInProblem, detail?: string) {
    super(detail ?? problem);
    this.problem = problem;
  }
}

const toApp = (server: Dependencies, path: string, query: Readonly<Record<string, string>> = {}): string => {
  const text = new URLSearchParams(query).toString();
  return `${server.baseUrl()}/app/#/${path}${text === '' ? '' : `?${text}`}`;
};

export async function finishSignIn(
  server: Dependencies,
  asking: SignInRequest,
  id: string,
  answer: ProviderAnswer,
): Promise<Landing> {
  const provider = server.providers.get(id);
  const { state = '' } = answer;
  const returned = await consumeReturned(server, asking, { provider: id, state });
  if ('problem' in returned) {
    await noteRejection(server, asking, provider, new SignInRejected(returned.problem));
    return { url: toApp(server, '', { problem: returned.problem }), cookies: [] };
  }
  const { flow } = returned;
  const spent = toSpentCookie(server.baseUrl(), state);
  try {
    const person = await identify(server, provider, flow, { ...answer, state });
    const landing = await enter(server, asking, provider, flow, person);
    return { ...landing, cookies: [spent, ...landing.cookies] };
  } catch (error) {
    const rejected = toRejected(error);
    if (rejected === null) throw error;
    await noteRejection(server, asking, provider, rejected);
    return { url: await landRejected(server, flow, rejected.problem), cookies: [spent] };
  }
}

/** Maps thrown errors; for those of the library only the message, because causes contain codes and claims. */
function toRejected(error: unknown): SignInRejected | null {
  if (error instanceof SignInRejected) return error;
  if (error instanceof ApiError) {
    if (error.kind === 'SERVICE_UNAVAILABLE') return new SignInRejected('unreachable', error.message);
    return error.kind === 'PERMISSION_TOKEN_INVALID' ? new SignInRejected('session-ended') : null;
  }
  return null;
}

const signedInAgain = 'signed-in-again';

async function landRejected(server: Dependencies, flow: FlowRow, problem: SignInProblem): Promise<string> {
  if (flow.purpose === 'connect') return toApp(server, 'account', { problem });
  if (flow.purpose === 'step-up') return toApp(server, signedInAgain, { problem });
  if (flow.program_id === null) return toApp(server, '', { problem });
  const { program_id: id } = flow;
  const url = await server.database.db.transaction().execute(tx => decide(tx, server, id, { problem }));
  return url ?? toApp(server, '', { problem });
}

type Identified = Subject & { readonly admission: Admission; readonly authenticatedAt: Time };

async function identify(
  server: Dependencies,
  provider: Provider,
  flow: FlowRow,
  answer: ProviderAnswer & { state: string },
): Promise<Identified> {
  const { settings } = provider;
  const { issuer, claims } = await readClaims(server, provider, answer);
  if (flow.is_fresh === 1 && !isFreshSignIn(flow, claims.auth_time))
    throw new SignInRejected('not-fresh', 'auth_time is missing, or before the sign-in began');
  const subject = claims.sub;
  const admission = toAdmission(settings, claims);
  const authenticatedAt =
    typeof claims.auth_time === 'number' ? Math.floor(claims.auth_time * 1000) : server.clock.now();
  if (!('problem' in admission)) return { issuer, subject, admission, authenticatedAt };
  if (admission.problem === 'not-admitted') await endSessionsOf(server, { issuer, subject });
  throw new SignInRejected(admission.problem);
}

/** Ends the provider sessions of a person who is no longer admitted. */
const endSessionsOf = ({ database, tokens, clock }: Dependencies, { issuer, subject }: Subject): Promise<void> =>
  database.db.transaction().execute(async tx => {
    const identity = await findIdentity(tx, issuer, subject);
    if (identity === null) return;
    await endSessions(tx, { tokens }, { tenantId: identity.tenant_id, userId: identity.user_id }, clock.now());
  });

async function readClaims(server: Dependencies, provider: Provider, answer: ProviderAnswer & { state: string }) {
  try {
    const { issuer, claims, findMore } = await redeemAnswer(server, provider, answer);
    const own: SignInClaims = { ...claims };
    if (hasClaims(own, listNeededClaims(provider.settings)) || findMore === null) return { issuer, claims: own };
    return { issuer, claims: mergeClaims(own, await findMore()) };
  } catch (error) {
    throw toProviderProblem(error);
  }
}

/** The error and its causes. Causes that are no errors contain codes and claims, and are omitted. */
function listErrors(error: Error): readonly Error[] {
  const errors = [error];
  for (let { cause } = error; cause instanceof Error && errors.length < 4; cause = cause.cause) errors.push(cause);
  return errors;
}

const isNetworkError = ({ name, message }: Error): boolean =>
  name === 'TimeoutError' || name === 'AbortError' || message === 'fetch failed';

/** Maps library errors for responses of a provider that are invalid or unavailable. */
function toProviderProblem(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof ApiError) return error;
  const { error: answered } = error as { error?: unknown };
  if (answered === 'access_denied') return new SignInRejected('cancelled');
  const errors = listErrors(error);
  const named = typeof answered === 'string' ? [answered] : [];
  const detail = [...errors.map(({ message }) => message), ...named].join(': ');
  return new SignInRejected(errors.some(isNetworkError) ? 'unreachable' : 'provider', detail);
}

async function enter(
  server: Dependencies,
  asking: SignInRequest,
  provider: Provider,
  flow: FlowRow,
  person: Identified,
): Promise<Landing> {
  if (flow.purpose === 'connect') return connectAccount(server, asking, provider, flow, person);
  if (flow.is_fresh === 1) return enterAgain(server, asking, flow, person);
  const { database, clock, passwords } = server;
  const unknownPassword = await passwords.hash(randomBase62(64), asking.ip);
  const { db, kind } = database;
  const found = await db.transaction().execute(async tx => {
    const signIn = { ...person, provider: provider.settings, origin: asking, unknownPassword, now: clock.now() };
    const resolved = await resolveAccount(tx, kind, signIn);
    if ('problem' in resolved || flow.program_id === null) return { ...resolved, programUrl: null };
    const { authenticatedAt } = person;
    return { ...resolved, programUrl: await decide(tx, server, flow.program_id, { ...resolved, authenticatedAt }) };
  });
  if ('problem' in found) throw new SignInRejected(found.problem);
  if (flow.program_id === null) return keepInBrowser(server, asking, flow, { ...person, account: found.account });
  if (found.programUrl === null) throw new SignInRejected('expired');
  return { url: found.programUrl, cookies: [] };
}

async function enterAgain(
  server: Dependencies,
  asking: SignInRequest,
  flow: FlowRow,
  person: Identified,
): Promise<Landing> {
  const doneUrl = toApp(server, signedInAgain, { done: '1' });
  const outcome = await server.database.db
    .transaction()
    .execute(tx => finishStepUp(tx, server, asking, { flow, person, doneUrl }));
  if ('problem' in outcome) throw new SignInRejected(outcome.problem);
  return { url: outcome.url, cookies: [] };
}

type Entered = { readonly account: AccountRow; readonly authenticatedAt: Time };

/** The app gets its token through the cookie, as after a reload. */
async function keepInBrowser(
  server: Dependencies,
  asking: SignInRequest,
  { provider, stays, return_to: path }: FlowRow,
  { account, authenticatedAt }: Entered,
): Promise<Landing> {
  const tokenId = newTokenId();
  await beginSession(server, asking, { account, provider, authenticatedAt, tokenId });
  const { id: userId, tenant_id: tenantId, username, auth_version: authVersion } = account;
  const call = callAs(asking, { tenantId, userId, username, authVersion, tokenId });
  const { secret, expiresIn } = await startPersistentSession(server, call, stays === 1);
  return { url: toApp(server, path), cookies: [toSessionCookie(server, secret, stays === 1 ? expiresIn : undefined)] };
}

async function connectAccount(
  server: Dependencies,
  asking: SignInRequest,
  { settings }: Provider,
  flow: FlowRow,
  person: Identified,
): Promise<Landing> {
  const { database, clock } = server;
  const { kind } = database;
  const { tenant_id: tenantId, user_id: userId, auth_version: authVersion, token_id: tokenId } = flow;
  if (tenantId === null || userId === null || authVersion === null || tokenId === null)
    throw new SignInRejected('session-ended');
  await database.db.transaction().execute(async tx => {
    await lockSubject(tx, kind, person);
    const account = await lockSession(tx, { tenantId, userId, authVersion, tokenId });
    const identity = await findIdentity(tx, person.issuer, person.subject);
    if (identity !== null && identity.user_id !== account.id) throw new SignInRejected('linked-elsewhere');
    if (identity !== null) return;
    const connecting = { ...person, provider: settings, origin: asking, now: clock.now() };
    await connect(tx, connecting, account, { isOrigin: false, how: 'the account itself' });
  });
  return { url: toApp(server, 'account', { connected: settings.id }), cookies: [] };
}

/** Rejections of a kind are counted in one audit row of the first tenant, because the person is unknown. */
async function noteRejection(
  { rejections, database, log }: Dependencies,
  origin: Origin,
  { settings: { id } }: Provider,
  { problem, message }: SignInRejected,
): Promise<void> {
  log.info({ provider: id, problem, detail: message }, `sign-in through ${id} rejected: ${message}`);
  const call = callAs(origin, anonymousParty(await getDefaultTenant(database.db)));
  const entry = {
    module: 'single-sign-on',
    operation: 'sign-in',
    description: `sign-in through ${id} rejected`,
    errorMessage: problem,
  };
  await rejections.record({ call, entry, subject: `single-sign-on:${id}:${problem}` });
}
