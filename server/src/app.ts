// The composition root: the only place that says what is made of what. Opens everything in order and closes it in
// reverse: no new requests, then the running ones, then the jobs, then what they stand on.
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Config } from './config.ts';
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
import { type Database, openDatabase } from './platform/db/open-db.ts';
import { buildHttp } from './platform/http/http-server.ts';
import { openRateLimiter } from './platform/http/rate-limit.ts';
import { checkInstallation, holdFolder } from './platform/installation.ts';
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
  const observe = ({ method }: { method: string }) => {
    if (method !== 'GET') worker.wake(); // what a request left to do begins as soon as it is answered
  };
  const http = await buildHttp({ config: config.http, clock, log, limiter, authenticate, observe }, routes);
  const url = await listen(http, config.http);
  opening.defer(() => closeHttp(http, config.http.shutdownGraceSeconds * 1000));
  worker.start();

  const opened = opening.move();
  return { url, setupCode, database, drain: () => worker.drain(), [Symbol.asyncDispose]: () => opened.disposeAsync() };
}
