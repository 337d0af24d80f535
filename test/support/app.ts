// A real server for a test: on a free port, in a temporary folder, with a clock that the test moves. No part of it is
// replaced; tests use it over HTTP through the typed client, which checks every answer against its contract.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as authApi from '@recordproof/shared/api/auth.ts';
import { type CallInput, type Client, openClient } from '@recordproof/shared/api/client.ts';
import type { AnyEndpoint } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { stepUp } from '@recordproof/shared/api/factors.ts';
import PostalMime from 'postal-mime';
import { type App, openApp } from '../../server/src/compose/app.ts';
import { type Config, readConfig } from '../../server/src/config/config.ts';
import { createAccount, findTenant, getDefaultTenant, insertTenant } from '../../server/src/features/accounts/index.ts';
import { openTokens } from '../../server/src/features/auth/index.ts';
import { localOrigin } from '../../server/src/platform/call.ts';
import type { Clock } from '../../server/src/platform/clock.ts';
import { hashPassword } from '../../server/src/platform/crypto/password-text.ts';
import { openServerKeys } from '../../server/src/platform/crypto/server-keys.ts';
import type { Engine } from '../../server/src/platform/db/open-db.ts';
import type { Server } from '../../server/src/platform/server.ts';
import { type Log, silentLog } from '../../server/src/platform/telemetry/log.ts';
import { copySqliteTemplate, dropDatabaseOf, settingsOf } from './app-database.ts';
import { engines, watchesSecrets } from './engines.ts';
import { openSecretWatch } from './secret-watch.ts';

export type MovableClock = Clock & { advance(milliseconds: number): void };

export const startOfTests = Date.UTC(2026, 0, 31, 12, 0, 0);

/** Fixed at noon until it is moved; each read adds a millisecond, so that orders by time are strict. */
export function openMovableClock(start: number = startOfTests): MovableClock {
  let now = start;
  const advance = (milliseconds: number): void => {
    now += milliseconds;
  };
  return {
    now: () => {
      advance(1);
      return now;
    },
    advance,
  };
}

export const testPassword = 'correct horse battery';
let passwordHash: Promise<string> | undefined;

/** An HTTP client: anonymous, or with a token. */
export class Person {
  readonly name: string;
  readonly baseUrl: string;
  readonly client: Client;
  token: string | undefined;

  constructor(name: string, baseUrl: string, token?: string) {
    this.name = name;
    this.baseUrl = baseUrl;
    this.token = token;
    // Long enough for a busy machine, where a thousand calls wait for each other.
    this.client = openClient({ baseUrl, token: () => this.token, timeoutMs: 240_000 });
  }

  /** Calls and returns the data; a rejection fails the test. Sends the password again where the server asks for it. */
  call: Client['call'] = async (endpoint, ...input) => {
    try {
      return await this.client.call(endpoint, ...input);
    } catch (error) {
      if (!(error instanceof ApiError) || error.kind !== 'STEP_UP_REQUIRED') throw error;
      await this.client.call(stepUp, { body: { proof: { kind: 'password', password: testPassword } } });
      return this.client.call(endpoint, ...input);
    }
  };

  /** Calls and returns the error; a successful answer fails the test. */
  async expectError<E extends AnyEndpoint>(endpoint: E, input?: CallInput<E>): Promise<ApiError> {
    try {
      await (this.client.call as (endpoint: AnyEndpoint, input: unknown) => Promise<unknown>)(endpoint, input);
    } catch (error) {
      if (error instanceof ApiError) return error;
      throw error;
    }
    throw new Error(`${this.name} should have been refused ${endpoint.name}`);
  }

  /** A raw request that the typed client would never send. */
  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    if (this.token && !headers.has('authorization')) headers.set('authorization', `Bearer ${this.token}`);
    return fetch(this.baseUrl + path, { ...init, headers });
  }

  async login(username: string, password: string): Promise<void> {
    this.token = (await this.call(authApi.login, { body: { username, password } })).token;
  }
}

export type TestApp = AsyncDisposable & {
  readonly app: App;
  readonly config: Config;
  readonly folder: string;
  readonly clock: MovableClock;
  readonly anonymous: Person;
  /** A signed-in account; created in the default tenant unless another is named. */
  person(name: string, wanted?: PersonOptions): Promise<Person>;
  /** The newest six-digit code that was mailed to the address. */
  mailedCode(address: string): Promise<string>;
  mailsTo(address: string): Promise<{ subject: string; text: string }[]>;
  drain(): Promise<void>;
};

const generous = Object.fromEntries(
  ['AUTH', 'UPLOAD', 'DOWNLOAD', 'CHUNK', 'SHARE', 'PUBLIC_PROOF', 'LEDGER', 'PROBE', 'OTHER'].map(name => [
    `RECORDPROOF_RATE_LIMIT_${name}`,
    '1000000',
  ]),
);

export type TestAppOptions = {
  /** The database engine where `env` names no database; the project's first by default. */
  readonly engine?: Engine;
  readonly env?: Readonly<Record<string, string>>;
  readonly folder?: string;
  readonly clock?: MovableClock;
  /** None by default. */
  readonly log?: Log;
};

export async function startApp(options: TestAppOptions = {}): Promise<TestApp> {
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'recordproof-')));
  const clock = options.clock ?? openMovableClock();
  const { engine = engines[0] } = options;
  const env = {
    ...generous,
    RECORDPROOF_DATA: folder,
    RECORDPROOF_PORT: '0',
    RECORDPROOF_MAIL_CODE_INTERVAL_SECONDS: '0',
    RECORDPROOF_RESERVE_BYTES: '0',
    ACCOUNTS_REGISTRATION: 'open',
    ...(options.env?.DATABASE_URL === undefined && (await settingsOf(folder, engine))),
    ...options.env,
  };
  const config = await readConfig([], env);
  if (options.folder === undefined && config.db.kind === 'sqlite') await copySqliteTemplate(config.db.path);
  const watch = options.log === undefined && watchesSecrets ? openSecretWatch() : undefined;
  const people: Person[] = [];
  const app = await openApp(config, { clock, log: options.log ?? watch?.log ?? silentLog });
  const keys = openServerKeys(config.keysFolder, { create: false });
  const tokens = openTokens(keys.token, clock, config.accounts.tokenLifetimeSeconds);

  const mailsTo = async (address: string) => {
    const all = await readdir(join(folder, 'mail')).catch(() => []);
    const names = all.filter(name => name.endsWith('.eml')).sort();
    const mails = await Promise.all(
      names.map(async name => PostalMime.parse(await readFile(join(folder, 'mail', name)))),
    );
    return mails
      .filter(mail => mail.to?.some(to => to.address === address))
      .map(mail => ({ subject: mail.subject ?? '', text: mail.text ?? '' }));
  };

  return {
    app,
    config,
    folder,
    clock,
    anonymous: new Person('anonymous', app.url),
    person: async (name, wanted = {}) => {
      const person = await makePerson({ app, clock, tokens }, name, wanted);
      people.push(person);
      return person;
    },
    mailsTo,
    mailedCode: async address => {
      await app.drain();
      const code = /\b\d{6}\b/.exec((await mailsTo(address)).at(-1)?.text ?? '')?.[0];
      if (code === undefined) throw new Error(`no code was mailed to ${address}`);
      return code;
    },
    drain: () => app.drain(),
    [Symbol.asyncDispose]: async () => {
      const secrets = [testPassword, app.setupCode ?? '', ...people.flatMap(({ token }) => token ?? [])];
      try {
        watch?.write((await app.server.metrics.scrape()).body);
        await watch?.assertKept({ db: app.database.db, keysFolder: config.keysFolder }, secrets);
      } finally {
        await app[Symbol.asyncDispose]();
        if (options.folder === undefined) {
          await dropDatabaseOf(folder);
          await rm(folder, { recursive: true, force: true });
        }
      }
    },
  };
}

type TestServer = { readonly app: App; readonly clock: Clock; readonly tokens: Server['tokens'] };
type PersonOptions = {
  readonly role?: authApi.Role;
  readonly tenant?: string;
  /** Is an administrator of the installation as well. */
  readonly isInstallationAdmin?: boolean;
};

/** Gets a token as a sign-in would, without the deliberately slow password hash. */
async function makePerson({ app, clock, tokens }: TestServer, name: string, wanted: PersonOptions): Promise<Person> {
  passwordHash ??= hashPassword(testPassword);
  const hash = await passwordHash;
  const { isInstallationAdmin = false, tenant } = wanted;
  const role = wanted.role ?? (isInstallationAdmin ? 'admin' : 'user');
  const account = await app.database.db.transaction().execute(async tx => {
    const tenantId =
      tenant === undefined
        ? await getDefaultTenant(tx)
        : ((await findTenant(tx, tenant))?.id ?? (await insertTenant(tx, tenant, clock.now())));
    const identity = { tenantId, username: name, email: `${name}@example.org` };
    const request = { ...identity, role, isInstallationAdmin, passwordHash: hash };
    return createAccount(tx, localOrigin('test', clock.now()), request, clock.now());
  });
  return new Person(name, app.url, (await tokens.issue(account)).token);
}
