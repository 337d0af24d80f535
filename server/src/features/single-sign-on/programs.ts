// Sign-in of programs: the command line and the desktop app open a browser and wait, on a loopback port (with PKCE) or
// by polling with a device code. Codes are stored as digests, used once and short-lived.
import { randomInt } from 'node:crypto';
import type { AnswerOf } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { pollDeviceSignIn } from '@recordproof/shared/api/program-sign-in.ts';
import type { SignInProblem } from '@recordproof/shared/api/single-sign-on.ts';
import type { Origin } from '../../platform/call.ts';
import { toIso } from '../../platform/clock.ts';
import type { Time, Tx } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { newTokenId } from '../../platform/ids.ts';
import type { Server } from '../../platform/server.ts';
import { type AccountRow, findAccount } from '../accounts/index.ts';
import type { Session, SignInRequest } from '../auth/index.ts';
import { type Begun, digestOf, flowLifetimeMs, keyedDigestOf, newSecret, startFlow } from './flows.ts';
import type { Provider, Providers } from './providers.ts';
import { decideProgram, findProgram, insertProgram, type ProgramRow, takeProgram } from './queries.ts';
import { beginSession } from './sessions.ts';

type Dependencies = Pick<Server, 'database' | 'clock' | 'keys' | 'baseUrl' | 'tokens'> & {
  readonly providers: Providers;
};

const codeLifetimeMs = 60_000;
const pollSeconds = 3;
/** Without vowels, to avoid words and characters that look like digits. */
const letters = 'BCDFGHJKLMNPQRSTVWXZ';
const userCodeLength = 8;

const newUserCode = (): string =>
  Array.from({ length: userCodeLength }, () => letters[randomInt(letters.length)]).join('');

const invalidCode = (): ApiError =>
  new ApiError('AUTH_CODE_ERROR', 'the sign-in code is wrong, used or expired; begin the sign-in again');

type Waiting = Pick<ProgramRow, 'kind'> & Partial<ProgramRow>;

async function wait({ database, clock }: Dependencies, { settings }: Provider, origin: Origin, program: Waiting) {
  const request = newSecret();
  const now = clock.now();
  const row = {
    ...{ user_code_digest: null, port: null, code_challenge: null, client_state: null, is_step_up: 0 },
    ...{ problem: null, code_digest: null, tenant_id: null, user_id: null, proven_at: null },
    ...{ provider: settings.id, request_digest: digestOf(request), address: origin.ip, state: 'WAITING' },
    ...{ created_at: now, expires_at: now + flowLifetimeMs },
    ...program,
  };
  await database.db.transaction().execute(tx => insertProgram(tx, row));
  return request;
}

export type Loopback = { readonly port: number; readonly codeChallenge: string; readonly state: string };

/** `asker`: the signed-in account for a step-up. */
export async function startLoopback(
  server: Dependencies,
  origin: Origin,
  provider: Provider,
  body: Loopback,
  asker?: Pick<Actor, 'tenantId' | 'userId'>,
) {
  const { port, codeChallenge: code_challenge, state: client_state } = body;
  const stepUp = asker && { is_step_up: 1, tenant_id: asker.tenantId, user_id: asker.userId };
  const loopback = { kind: 'loopback', port, code_challenge, client_state, ...stepUp };
  const request = await wait(server, provider, origin, loopback);
  return { url: `${server.baseUrl()}/api/v1/auth/sso/continue?request=${request}`, expiresIn: flowLifetimeMs / 1000 };
}

/** The browser opened by the program. */
export async function continueLoopback(server: Dependencies, request: string): Promise<Begun> {
  const program = await findProgram(server.database.db, { request: digestOf(request) }, server.clock.now());
  if (program?.kind !== 'loopback' || program.state !== 'WAITING') throw invalidCode();
  const isStepUp = program.is_step_up === 1;
  const purpose = { purpose: 'program', programId: program.id, isStepUp } as const;
  return startFlow(server, server.providers.get(program.provider), purpose);
}

export async function startDevice(server: Dependencies, origin: Origin, provider: Provider) {
  const userCode = newUserCode();
  const user_code_digest = keyedDigestOf(server.keys.pepper, 'user code', userCode);
  const deviceCode = await wait(server, provider, origin, { kind: 'device', user_code_digest });
  return {
    deviceCode,
    userCode: `${userCode.slice(0, 4)}-${userCode.slice(4)}`,
    url: `${server.baseUrl()}/app/#/device`,
    expiresIn: flowLifetimeMs / 1000,
    interval: pollSeconds,
  };
}

async function getDevice({ database, clock, keys, providers }: Dependencies, userCode: string) {
  const digest = keyedDigestOf(keys.pepper, 'user code', userCode);
  const program = await findProgram(database.db, { userCode: digest }, clock.now());
  const provider = providers.find(program?.provider ?? '');
  if (!program || !provider || program.state !== 'WAITING') throw invalidCode();
  return { program, provider };
}

export async function findDevice(server: Dependencies, userCode: string) {
  const { program, provider } = await getDevice(server, userCode);
  const { id, title } = provider.settings;
  return { provider: id, title, address: program.address, startedAt: toIso(program.created_at) };
}

export async function approveDevice(server: Dependencies, userCode: string): Promise<Begun> {
  const { program, provider } = await getDevice(server, userCode);
  return startFlow(server, provider, { purpose: 'program', programId: program.id, isStepUp: false });
}

/** The redirect after sign-in or rejection; null if no program is waiting any more. */
export async function decide(
  tx: Tx,
  { clock, baseUrl }: Pick<Dependencies, 'clock' | 'baseUrl'>,
  programId: number,
  outcome: { readonly account: AccountRow; readonly authenticatedAt: Time } | { readonly problem: SignInProblem },
): Promise<string | null> {
  const now = clock.now();
  const program = await findProgram(tx, { id: programId }, now);
  if (!program) return null;
  const isLoopback = program.kind === 'loopback';
  const code = newSecret();
  const isDecided =
    'problem' in outcome
      ? await decideProgram(tx, program.id, { state: 'REJECTED', problem: outcome.problem }, program.expires_at)
      : await decideProgram(
          tx,
          program.id,
          {
            state: 'APPROVED',
            tenant_id: outcome.account.tenant_id,
            user_id: outcome.account.id,
            proven_at: outcome.authenticatedAt,
            code_digest: isLoopback ? digestOf(code) : null,
          },
          isLoopback ? now + codeLifetimeMs : program.expires_at,
        );
  if (!isDecided) return null;
  const result = 'problem' in outcome ? { problem: outcome.problem } : isLoopback ? { code } : { done: '1' };
  if (!isLoopback) return `${baseUrl()}/app/#/device?${new URLSearchParams(result)}`;
  return `http://127.0.0.1:${program.port}/?${new URLSearchParams({ ...result, state: program.client_state ?? '' })}`;
}

export type CodeWithVerifier = { readonly code: string; readonly codeVerifier: string };

/** One attempt: a code with a wrong verifier is consumed. */
async function takeCode(server: Dependencies, { code, codeVerifier }: CodeWithVerifier): Promise<ProgramRow> {
  const taken = await server.database.db
    .transaction()
    .execute(tx => takeProgram(tx, { code: digestOf(code) }, server.clock.now()));
  if (taken?.state !== 'APPROVED' || digestOf(codeVerifier) !== taken.code_challenge) throw invalidCode();
  return taken;
}

export async function exchangeCode(
  server: Dependencies,
  asking: SignInRequest,
  body: CodeWithVerifier,
): Promise<Session> {
  const taken = await takeCode(server, body);
  if (taken.is_step_up === 1) throw invalidCode();
  return issue(server, asking, taken);
}

/** Where and when the person signed in again; for the requesting account only. */
export async function exchangeStepUpCode(
  server: Dependencies,
  { tenantId, userId }: Pick<Actor, 'tenantId' | 'userId'>,
  body: CodeWithVerifier,
): Promise<{ readonly provider: string; readonly authenticatedAt: Time }> {
  const { is_step_up, tenant_id, user_id, proven_at, provider } = await takeCode(server, body);
  if (is_step_up !== 1 || tenant_id !== tenantId || user_id !== userId || proven_at === null) throw invalidCode();
  return { provider, authenticatedAt: proven_at };
}

export async function pollDevice(
  server: Dependencies,
  asking: SignInRequest,
  deviceCode: string,
): Promise<AnswerOf<typeof pollDeviceSignIn>> {
  const { database, clock } = server;
  const request = digestOf(deviceCode);
  const waiting = await findProgram(database.db, { request }, clock.now());
  if (waiting?.kind !== 'device') throw invalidCode();
  if (waiting.state === 'WAITING') return { state: 'waiting' };
  const taken = await database.db.transaction().execute(tx => takeProgram(tx, { request }, clock.now()));
  if (!taken) throw invalidCode();
  if (taken.state === 'REJECTED') return { state: 'rejected', problem: taken.problem as SignInProblem };
  return { state: 'signed-in', ...(await issue(server, asking, taken)) };
}

async function issue(server: Dependencies, asking: SignInRequest, program: ProgramRow): Promise<Session> {
  const { tenant_id: tenantId, user_id: userId, provider } = program;
  const account = await findAccount(server.database.db, tenantId ?? 0, userId ?? 0);
  if (account?.status !== 'ACTIVE') throw invalidCode();
  const authenticatedAt = program.proven_at ?? 0;
  return beginSession(server, asking, { account, provider, authenticatedAt, tokenId: newTokenId() });
}
