// Test support: runs the real program in an empty home folder, against a small HTTP server that implements the contract
// of shared/src/api/auth.ts.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import * as auth from '@recordproof/shared/api/auth.ts';
import type { AnyEndpoint } from '@recordproof/shared/api/endpoint.ts';
import { ApiError, type ErrorKind, errorTable } from '@recordproof/shared/api/errors.ts';
import { getLiveness } from '@recordproof/shared/api/monitor.ts';
import { vi } from 'vitest';
import type { z } from 'zod';
import { runInThisProcess } from '../../test/support/command-line.ts';
import { installed, isPackaged } from '../../test/support/installed.ts';

// Each test starts several processes.
vi.setConfig({ testTimeout: 240_000 });

const { cli } = installed;
/** Shared by all tests: the cache changes only how fast a run starts. */
const compiled = join(tmpdir(), `recordproof-test-compiled-${process.getuid?.() ?? 0}`);

export type Ended = { code: number | null; stdout: string; stderr: string };
/** `onNote` is called with each part of standard error while the program runs. */
type RunOptions = { env?: Record<string, string>; input?: string; onNote?: (part: string) => void };

/** An answer may be computed from the output so far. */
type Dialogue = readonly (readonly [question: string, answer: string | ((shown: string) => string)])[];

export type Home = AsyncDisposable & {
  readonly path: string;
  readonly configFolder: string;
  run(args: readonly string[], options?: RunOptions): Promise<Ended>;
  /** In the process of the test, in a tenth of the time; packaged programs run as always. */
  runHere(args: readonly string[], options?: Omit<RunOptions, 'onNote'>): Promise<Ended>;
  /** As at a terminal: waits for each question, types each answer. `stdout` is all that the terminal shows. */
  type(args: readonly string[], dialogue: Dialogue, options?: Pick<RunOptions, 'env'>): Promise<Ended>;
  read(name: string): Promise<unknown>;
};

const ended = async (child: ChildProcess): Promise<Ended> => {
  const [code, stdout, stderr] = await Promise.all([
    new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve)),
    child.stdout ? text(child.stdout) : '',
    child.stderr ? text(child.stderr) : '',
  ]);
  return { code, stdout, stderr };
};

function answerAll(child: ChildProcess, dialogue: Dialogue): void {
  const waiting = [...dialogue];
  let shown = '';
  let all = '';
  child.stdout?.setEncoding('utf8').on('data', (part: string) => {
    shown += part;
    all += part;
    for (let at = waiting[0]; at !== undefined && shown.includes(at[0]); at = waiting[0]) {
      shown = shown.slice(shown.indexOf(at[0]) + at[0].length);
      child.stdin?.write(typeof at[1] === 'string' ? at[1] : at[1](all));
      waiting.shift();
    }
  });
}

const shellQuote = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

export async function openHome(server?: { url: string }): Promise<Home> {
  const path = await mkdtemp(join(tmpdir(), 'recordproof-home-'));
  const configFolder = join(path, '.config', 'recordproof');
  const base = {
    PATH: process.env.PATH ?? '',
    HOME: path,
    TERM: 'xterm',
    NODE_COMPILE_CACHE: compiled,
    ...(server && { RECORDPROOF_SERVER: server.url }),
  };
  const run: Home['run'] = (args, { env = {}, input = '', onNote } = {}) => {
    const child = spawn(cli.file, [...cli.args, ...args], { env: { ...base, ...env }, cwd: path });
    child.stdin.on('error', () => undefined).end(input);
    if (onNote) child.stderr.on('data', (part: Buffer) => onNote(part.toString()));
    return ended(child);
  };
  return {
    path,
    configFolder,
    run,
    runHere: (args, options = {}) =>
      isPackaged
        ? run(args, options)
        : runInThisProcess({ args, env: { ...base, ...options.env }, folder: path, input: options.input ?? '' }),
    type(args, dialogue, { env = {} } = {}) {
      const line = [cli.file, ...cli.args, ...args].map(shellQuote).join(' ');
      const child = spawn('script', ['-qefc', line, '/dev/null'], { env: { ...base, ...env }, cwd: path });
      answerAll(child, dialogue);
      return ended(child);
    },
    read: async name => JSON.parse(await readFile(join(configFolder, name), 'utf8')),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}

type Account = { password: string; profile: auth.Profile };
/** `meanwhile` runs before the error is returned. */
type Failing = { kind: ErrorKind; retryAfter?: number; meanwhile?: () => Promise<void> };

type TestServer = AsyncDisposable & {
  readonly url: string;
  /** Names of the endpoints called, in order. */
  readonly calls: string[];
  /** Valid tokens, and their accounts. */
  readonly tokens: Map<string, string>;
  tokenSeconds: number;
  /** Replacement answers of the next calls. */
  readonly failing: Failing[];
  addAccount(username: string, password: string): void;
};

const mailCode = '123456';
const setupCode = 'SETUP-CODE';

const toProfile = (username: string, email: string, role: auth.Role): auth.Profile => ({
  externalId: `U${username.padEnd(22, '0').slice(0, 22)}`,
  username,
  email,
  role,
  nickname: null,
  avatar: null,
  registerTime: '2026-01-31T12:00:00.000Z',
  permissions: ['file:read'],
});

type Handler = (body: unknown, token: string) => unknown;

/** The endpoints, each with the schema of its body in front. */
function toHandlers(server: TestServer, accounts: Map<string, Account>): [AnyEndpoint, Handler][] {
  const open = (username: string) => {
    const token = `token-${crypto.randomUUID()}`;
    server.tokens.set(token, username);
    return { token, expiresIn: server.tokenSeconds };
  };
  const create = (body: { username: string; email: string; password: string }, role: auth.Role) => {
    if (accounts.has(body.username)) throw new ApiError('USER_HAS_EXISTED');
    const account = { password: body.password, profile: toProfile(body.username, body.email, role) };
    accounts.set(body.username, account);
    return account.profile;
  };
  const checkCode = (input: string, right: string) => {
    if (input !== right) throw new ApiError('AUTH_CODE_ERROR');
  };
  const on = <E extends AnyEndpoint>(
    endpoint: E,
    handle: (body: z.output<NonNullable<E['body']>>, token: string) => unknown,
  ): [AnyEndpoint, Handler] => [endpoint, handle as Handler];

  return [
    on(auth.login, ({ username, password }) => {
      if (accounts.get(username)?.password !== password) throw new ApiError('USER_LOGIN_ERROR');
      return open(username);
    }),
    on(getLiveness, () => ({ status: 'UP' })),
    on(auth.requestMailCode, () => ({ expiresIn: 180, retryAfter: 60 })),
    on(auth.register, body => {
      checkCode(body.code, mailCode);
      return create(body, 'user');
    }),
    on(auth.setUp, body => {
      checkCode(body.setupCode, setupCode);
      return create(body, 'admin');
    }),
    on(auth.resetPassword, body => {
      checkCode(body.code, mailCode);
      const account = [...accounts.values()].find(({ profile }) => profile.email === body.email);
      if (account) account.password = body.password;
      return null;
    }),
    on(auth.me, (_body, token) => accounts.get(server.tokens.get(token) ?? '')?.profile),
    on(auth.refreshToken, (_body, token) => {
      const username = server.tokens.get(token) ?? '';
      server.tokens.delete(token);
      return open(username);
    }),
    on(auth.logout, (body, token) => {
      const username = server.tokens.get(token);
      for (const [other, owner] of server.tokens) {
        if (other === token || (body?.everywhere && owner === username)) server.tokens.delete(other);
      }
      return null;
    }),
  ];
}

async function readBody(request: IncomingMessage, endpoint: AnyEndpoint): Promise<unknown> {
  const body = await text(request);
  if (!endpoint.body) return undefined;
  const parsed = endpoint.body.safeParse(body === '' ? undefined : JSON.parse(body));
  if (!parsed.success) throw new ApiError('PARAM_IS_INVALID', parsed.error.message);
  return parsed.data;
}

function send(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', 'x-trace-id': 'ab'.repeat(16), ...headers });
  response.end(JSON.stringify(body));
}

function sendError(response: ServerResponse, error: ApiError): void {
  const retry = error.retryAfterSeconds;
  const body = { code: error.code, message: error.message, data: null };
  send(response, error.status, body, retry === undefined ? {} : { 'retry-after': String(retry) });
}

/** An address without a listener. */
export async function findDeadAddress(): Promise<string> {
  await using server = await openTestServer();
  return server.url;
}

export async function openTestServer(): Promise<TestServer> {
  const accounts = new Map<string, Account>();
  const http = createServer((request, response) => {
    answer(request).then(
      data => send(response, 200, request.url === getLiveness.path ? data : { code: 200, message: 'ok', data }),
      error => sendError(response, error instanceof ApiError ? error : new ApiError('INTERNAL', String(error))),
    );
  });
  await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve));
  const server: TestServer = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    calls: [],
    tokens: new Map(),
    tokenSeconds: 3600,
    failing: [],
    addAccount: (username, password) =>
      void accounts.set(username, { password, profile: toProfile(username, `${username}@example.org`, 'user') }),
    async [Symbol.asyncDispose]() {
      http.closeAllConnections();
      await new Promise(resolve => http.close(resolve));
    },
  };
  const handlers = toHandlers(server, accounts);

  async function answer(request: IncomingMessage): Promise<unknown> {
    const found = handlers.find(([{ method, path }]) => method === request.method && path === request.url);
    if (!found) throw new ApiError('NOT_FOUND');
    const [endpoint, handle] = found;
    const body = await readBody(request, endpoint);
    // Checks only whether a server is there.
    if (endpoint === getLiveness) return handle(undefined, '');
    server.calls.push(endpoint.name);
    const failing = server.failing.shift();
    if (failing) {
      const { retryAfter, meanwhile } = failing;
      await meanwhile?.();
      const extras = retryAfter === undefined ? {} : { retryAfterSeconds: retryAfter };
      throw new ApiError(failing.kind, errorTable[failing.kind].message, extras);
    }
    const token = (request.headers.authorization ?? '').replace(/^Bearer /, '');
    if (endpoint.access !== 'anonymous' && !server.tokens.has(token)) throw new ApiError('PERMISSION_TOKEN_EXPIRED');
    const data = handle(body, token);
    return endpoint.answer ? endpoint.answer.parse(data) : data;
  }

  return server;
}
