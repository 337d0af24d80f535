// The composition root: the only place that says what is made of what. Opens everything in order and closes it in
// reverse: no new requests, then the running ones, then the jobs, then what they stand on.
import type { KeyObject } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import * as authApi from '@recordproof/shared/api/auth.ts';
import type { FastifyInstance } from 'fastify';
import { type Config, ConfigError } from './config.ts';
import { localOrigin } from './features/audit/index.ts';
import {
  ensureConfiguredAdmin,
  ensureDefaultTenant,
  openAuthenticate,
  openTokens,
  renewSetupCode,
} from './features/auth/index.ts';
import { migrations, openFeatures } from './features.ts';
import { type Clock, systemClock } from './platform/clock.ts';
import { openCluster } from './platform/cluster/open-cluster.ts';
import { openServerKeys } from './platform/crypto/server-keys.ts';
import { migrate } from './platform/db/migrate.ts';
import { type Database, DatabaseUnavailable, openDatabase } from './platform/db/open-db.ts';
import type { Feature } from './platform/feature.ts';
import { buildHttp } from './platform/http/http-server.ts';
import { openRateLimiter } from './platform/http/rate-limit.ts';
import { checkInstallation, holdFolder, StartRefused } from './platform/installation.ts';
import { openWorker } from './platform/jobs/worker.ts';
import { openMail } from './platform/mail/open-mail.ts';
import { type Log, openLog } from './platform/telemetry/log.ts';

/** What tests replace at the door. */
export type Overrides = { readonly clock?: Clock; readonly log?: Log };

export type App = AsyncDisposable & {
  /** Where it listens, with the port that was really taken. */
  readonly url: string;
  /** For making the first administrator; null when there is one. */
  readonly setupCode: string | null;
  readonly database: Database;
  /** Runs every job, event and schedule that is due, to the end. */
  drain(): Promise<void>;
};

export async function openApp(config: Config, overrides: Overrides = {}): Promise<App> {
  await using opening = new AsyncDisposableStack();
  const clock = overrides.clock ?? systemClock;
  const log = overrides.log ?? (await openLog({ level: config.log.level, pretty: process.stderr.isTTY === true }));
  if (config.db.kind === 'sqlite') opening.use(await holdFolder(config.dataFolder));
  const keys = openServerKeys(config.keysFolder);
  const database = await openSchema(config, keys.fingerprint, clock, opening);
  const setupCode = await ensureAdministrator({ config, database, clock, pepper: keys.pepper });

  const cluster = opening.use(await openCluster(config.cluster, { clock, log }));
  const mail = opening.use(openMail(config.mail, { clock, log }));
  const limiter = openRateLimiter(cluster, config.ratesPerMinute, clock);
  const tokens = openTokens(keys.token, clock, config.accounts.tokenLifetimeSeconds);
  const authenticate = openAuthenticate(database.db, tokens, config.http.managementToken);
  const { pepper } = keys;
  const intervalSeconds = config.accounts.mailCodeIntervalSeconds;
  const features = openFeatures({
    db: database.db,
    database,
    clock,
    cluster,
    limiter,
    tokens,
    pepper,
    mail,
    intervalSeconds,
  });

  const worker = openWorker({ ...collect(features), db: database.db, engine: database.kind, clock, log });
  opening.defer(() => worker.stop(config.http.shutdownGraceSeconds * 1000));
  const routes = features.flatMap(feature => feature.routes ?? []);
  opening.defer(database.bell.listen(() => worker.wake()));
  const observe = () => {};
  const http = await buildHttp({ config: config.http, clock, log, limiter, authenticate, observe }, routes);
  const url = await listen(http, config.http);
  opening.defer(() => closeHttp(http, config.http.shutdownGraceSeconds * 1000));
  worker.start();

  const opened = opening.move();
  return { url, setupCode, database, drain: () => worker.drain(), [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

async function openSchema(
  config: Config,
  fingerprint: string,
  clock: Clock,
  opening: AsyncDisposableStack,
): Promise<Database> {
  const database = await openDatabase(config.db);
  opening.defer(() => database.close());
  const refusal = await database.probe();
  if (refusal !== null) throw new DatabaseUnavailable(`the database does not answer (${refusal}).`);
  await migrate(database.db, database.kind, migrations, clock.now());
  await checkInstallation(database.db, fingerprint, config.keysFolder, clock.now());
  return database;
}

type Ground = { config: Config; database: Database; clock: Clock; pepper: KeyObject };

/** The first administrator from the configuration, or a code for making one. */
async function ensureAdministrator({ config, ...ports }: Ground): Promise<string | null> {
  await ensureDefaultTenant(ports);
  const { firstAdmin } = config.accounts;
  if (!firstAdmin) return renewSetupCode(ports);
  const { username, email, password } = parseFirstAdmin(firstAdmin);
  const origin = localOrigin('configuration', ports.clock.now());
  await ensureConfiguredAdmin(ports, { username, email, password }, origin);
  return null;
}

function parseFirstAdmin(admin: NonNullable<Config['accounts']['firstAdmin']>) {
  const rules = { username: authApi.username, email: authApi.email, password: authApi.password };
  const values = { username: admin.username, email: admin.email, password: admin.password.reveal() };
  for (const field of ['username', 'email', 'password'] as const) {
    const result = rules[field].safeParse(values[field]);
    if (!result.success) {
      const env = {
        username: 'RECORDPROOF_ADMIN_USERNAME',
        email: 'RECORDPROOF_ADMIN_EMAIL',
        password: 'RECORDPROOF_ADMIN_PASSWORD',
      }[field];
      throw new ConfigError(`${env}: ${result.error.issues[0]?.message ?? 'not valid'}.`);
    }
  }
  return values;
}

const collect = (features: readonly Feature[]) => ({
  handlers: features.flatMap(feature => feature.jobs ?? []),
  schedules: features.flatMap(feature => feature.schedules ?? []),
});

async function listen(http: FastifyInstance, { host, port }: Config['http']): Promise<string> {
  try {
    await http.listen({ host, port });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE')
      throw new StartRefused(`port ${port} on ${host} is taken; choose another with --port, or 0 for any.`);
    if (code === 'EACCES')
      throw new StartRefused(`port ${port} may not be opened by this user; choose one above 1023 with --port.`);
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new StartRefused(`there is no address ${host} on this machine; choose another with --host.`);
    throw cause;
  }
  const address = http.server.address() as AddressInfo;
  const shown = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `http://${shown}:${address.port}`;
}

/** Running requests may finish; what takes longer than the grace time is cut off. */
async function closeHttp(http: FastifyInstance, graceMs: number): Promise<void> {
  const cutOff = setTimeout(() => http.server.closeAllConnections(), graceMs);
  try {
    await http.close();
  } finally {
    clearTimeout(cutOff);
  }
}
