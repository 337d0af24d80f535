// The composition root: the only place that says what is made of what. Opens everything in order and closes it in
// reverse: no new requests, then the running ones, then the jobs, then what they stand on.
import type { KeyObject } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { type Config, ConfigError } from './config.ts';
import { localOrigin } from './features/audit/index.ts';
import {
  addFreshSetupCode,
  ensureConfiguredAdmin,
  ensureDefaultTenant,
  openAuthenticate,
  openRedeem,
  openTokens,
} from './features/auth/index.ts';
import { openEventHub } from './features/events/index.ts';
import { openLocalSigningKeys } from './features/proofs/index.ts';
import { migrations, openFeatures, type RunSaga } from './features.ts';
import { type Background, openBackground } from './open-background.ts';
import { openChainsOf } from './open-chains.ts';
import { openMonitor, openSite } from './open-monitor.ts';
import { type Overrides, openPlatform } from './open-platform.ts';
import type { Clock } from './platform/clock.ts';
import type { Database } from './platform/db/open-db.ts';
import { buildHttp } from './platform/http/http-server.ts';
import { openRateLimiter } from './platform/http/rate-limit.ts';
import { StartRefused } from './platform/installation.ts';
import { observeRequests } from './platform/telemetry/http-metrics.ts';

export type App = AsyncDisposable & {
  /** Where it listens, with the port that was really taken. */
  readonly url: string;
  /** For making the first administrator; null when there is one. */
  readonly setupCode: string | null;
  readonly database: Database;
  /** What the framework serves, as `GET /path/:name`. */
  readonly routes: readonly string[];
  /** Runs every job, event and schedule that is due, to the end. */
  drain(): Promise<void>;
};

export async function openApp(config: Config, overrides: Overrides = {}): Promise<App> {
  await using opening = new AsyncDisposableStack();
  const address = { url: '' };
  const platform = await openPlatform(config, overrides, { opening, address, migrations });
  const { clock, log, database, limits, tracing } = platform;
  const graceMs = config.http.shutdownGraceSeconds * 1000;
  const setupCode = await ensureAdministrator({ config, database, clock, pepper: platform.keys.pepper });
  // Here, so that a key file that is missing or not our own stops the start.
  await openLocalSigningKeys({ db: database.db, folder: config.keysFolder, now: () => clock.now() }).current();

  const limiter = openRateLimiter(limits, config.ratesPerMinute, clock);
  const tokens = openTokens(platform.keys.token, clock, config.accounts.tokenLifetimeSeconds);
  const authenticate = openAuthenticate(database, tokens, config.http.managementToken);
  const runSaga: RunSaga = (id, signal) => background.sagas.runNow(id, signal);
  const redeemStreamToken = openRedeem(platform);
  const chains = opening.use(await openChainsOf(platform, config));
  const hub = opening.use(await openEventHub({ ...platform, ...config.events }));
  const baseUrl = () => config.http.publicUrl ?? address.url;
  const features = openFeatures(platform, config, { limiter, tokens, runSaga, baseUrl }, { chains, hub });
  const background: Background = await openBackground(platform, config, features, opening);
  const stopping = { yet: false };
  const watched = openMonitor(platform, config, background, () => stopping.yet);

  const routes = [...features, watched].flatMap(feature => feature.routes ?? []);
  const site = openSite(routes, database, baseUrl);
  const served = [...routes, ...(site.routes ?? [])];
  const observe = observeRequests(
    platform.metrics,
    served.map(route => route.endpoint),
  );
  const taken: string[] = [];
  const onRoute = (route: string) => void taken.push(route);
  const door = { config: config.http, clock, log, limiter, authenticate, redeemStreamToken, observe, onRoute, tracing };
  const http = await buildHttp(door, served);
  address.url = await listen(http, config.http);
  opening.defer(() => closeHttp(http, graceMs));
  opening.defer(() => hub.endAll());
  opening.defer(() => {
    stopping.yet = true;
  });
  background.worker.start();

  const opened = opening.move();
  return {
    url: address.url,
    setupCode,
    database,
    routes: taken,
    drain: () => background.worker.drain(),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

type Ground = { config: Config; database: Database; clock: Clock; pepper: KeyObject };

/** The first administrator from the configuration, or a code for making one. */
async function ensureAdministrator({ config, ...ports }: Ground): Promise<string | null> {
  await ensureDefaultTenant(ports);
  const { firstAdmin } = config.accounts;
  if (!firstAdmin) return addFreshSetupCode(ports);
  const { username, email, password } = firstAdmin;
  const origin = localOrigin('configuration', ports.clock.now());
  await ensureConfiguredAdmin(ports, { username, email, password: password.reveal() }, origin);
  return null;
}

async function listen(http: FastifyInstance, { host, port }: Config['http']): Promise<string> {
  try {
    await http.listen({ host, port });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE')
      throw new StartRefused(`port ${port} on ${host} is taken; choose another with --port, or 0 for any.`);
    if (code === 'EACCES')
      throw new StartRefused(`port ${port} may not be opened by this user; choose one above 1023 with --port.`);
    if (['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL'].includes(code ?? ''))
      throw new ConfigError(`there is no address ${host} on this machine; choose another with --host.`);
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
