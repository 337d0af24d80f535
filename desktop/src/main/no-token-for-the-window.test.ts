// Attacks of a compromised window: it sends every request that it can, and no answer or message contains a token.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { appHeader } from '@recordproof/shared/api/auth.ts';
import type { AnyEndpoint } from '@recordproof/shared/api/endpoint.ts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { startApp, type TestApp, testPassword } from '../../../test/support/app.ts';
import { findFreePort } from '../../../test/support/child-process.ts';
import { toRequests } from '../bridge/desktop/program.ts';
import { findEndpoint } from '../ipc/endpoints.ts';
import { nameRequests } from '../ipc/table.ts';
import type { Reply } from '../ipc/wire.ts';
import { keyring, openTestProgram, type TestProgram } from '../testing.ts';

let app: TestApp;
let desktop: TestProgram;
/** All messages to the window, as JSON. */
let seen: string[];

async function ask(name: string, input?: unknown): Promise<boolean> {
  const reply = await desktop.wire.request({ call: crypto.randomUUID(), name, input });
  seen.push(`${name} ${JSON.stringify(reply)}`);
  return (reply as Reply).ok;
}

const call = (endpoint: string, input: object) => ask('program.callServer', { endpoint, input });

const credentials = { username: 'ada', password: testPassword };

async function signIn(): Promise<void> {
  expect(await ask('shell.addServer', app.app.url)).toBe(true);
  expect(await ask('session.signIn', { ...credentials, stay: true })).toBe(true);
}

async function readKeptToken(): Promise<string> {
  const logins: unknown = JSON.parse(await readFile(join(desktop.folder, 'logins.json'), 'utf8'));
  const [kept] = z
    .record(z.string(), z.string())
    .transform(Object.values<string>)
    .parse(logins);
  const { token } = z
    .object({ token: z.string().startsWith('ey') })
    .parse(JSON.parse(keyring.decryptString(Buffer.from(kept ?? '', 'base64'))));
  return token;
}

async function listContract(): Promise<AnyEndpoint[]> {
  const folder = join(import.meta.dirname, '../../../shared/src/api');
  const files = (await readdir(folder)).filter(name => name.endsWith('.ts') && !name.endsWith('.test.ts'));
  const modules: Record<string, unknown>[] = await Promise.all(files.map(name => import(join(folder, name))));
  return modules.flatMap(module => Object.values(module)).filter(isEndpoint);
}

const isEndpoint = (value: unknown): value is AnyEndpoint =>
  typeof value === 'object' && value !== null && 'answerForm' in value && 'path' in value;

const withSession: readonly [endpoint: string, input: object][] = [
  ['login', { body: credentials }],
  ['refreshToken', {}],
  ['issueStreamToken', {}],
  ['keepSession', { body: { stay: true } }],
  ['resumeSession', { headers: { [appHeader]: '1' } }],
  ['changePassword', { body: { oldPassword: testPassword, newPassword: `${testPassword} 2` } }],
  ['setUp', { body: { setupCode: 'x', email: 'eve@example.test', ...credentials } }],
];

test('no endpoint available to the window returns a token', async () => {
  const contract = await listContract();
  expect(contract.length).toBeGreaterThan(150);
  const named = contract.filter(({ name, answer }) => findEndpoint(name) && answer);
  const options = { io: 'output', unrepresentable: 'any' } as const;
  const giving = named.filter(({ answer = z.null() }) =>
    /"\w*(token|jwt|cookie)\w*":/i.test(JSON.stringify(z.toJSONSchema(answer, options))),
  );
  expect(giving.map(({ name }) => name)).toEqual([]);
  const ofAuth = contract.filter(
    ({ name, feature, access }) => feature === 'auth' && access === 'anonymous' && findEndpoint(name),
  );
  expect(ofAuth.map(({ name }) => name).toSorted(), 'what a person without an account needs').toEqual([
    'beginEnrolment',
    'beginPasskeyEnrolment',
    'getRegistration',
    'register',
    'requestMailCode',
    'resetPassword',
  ]);
});

describe('a window with a session', () => {
  beforeEach(async () => {
    app = await startApp({ env: { RECORDPROOF_PORT: String(await findFreePort()) } });
    await app.person('ada');
    desktop = await openTestProgram();
    seen = [];
    desktop.wire.onPush(message => seen.push(JSON.stringify(message)));
  });
  afterEach(async () => {
    await desktop[Symbol.asyncDispose]();
    await app[Symbol.asyncDispose]();
  });

  test('calls that return a token are not available to the window', async () => {
    await signIn();
    for (const [endpoint, input] of withSession) {
      expect(await call(endpoint, input), endpoint).toBe(false);
      expect(seen.at(-1), endpoint).toContain(`unknown call \\"${endpoint}\\"`);
    }
  });

  test('no response or event sent to the window contains a token', async () => {
    await signIn();
    const token = await readKeptToken();
    const odd = { id: 'x', username: 'ada', password: 'wrong', stay: true };
    const names = [...nameRequests(toRequests(desktop.wire)).keys()];
    expect(names.length).toBeGreaterThan(20);
    const later = ['session.signOut', 'shell.removeServer', 'shell.addServer', 'program.callServer'];
    for (const name of names.filter(one => !later.includes(one))) {
      await ask(name, undefined);
      await ask(name, odd);
      await ask(name, 'x');
    }
    const changed = { oldPassword: testPassword, newPassword: `${testPassword} 2` };
    expect(await ask('session.changePassword', changed)).toBe(true);
    for (const { name } of await listContract()) await call(name, {});
    for (const name of ['session.restore', 'session.reload', 'program.snapshot'] as const)
      expect(await ask(name)).toBe(true);
    const tokens = [token, await readKeptToken()];
    expect(new Set(tokens).size).toBe(2);
    expect(await ask('session.signOut', { everywhere: true })).toBe(true);
    expect(seen.length).toBeGreaterThan(200);
    for (const text of seen) {
      expect(text).not.toMatch(/eyJ[\w-]{10,}/);
      for (const one of tokens) expect(text).not.toContain(one);
    }
  });
});
