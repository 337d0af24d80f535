// Composition root: opens all parts in order and closes them in reverse: no new requests, then running requests, then
// jobs, then database and stores.
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { type Config, ConfigError } from '../config/config.ts';
import { hasApiTokenPrefix } from '../features/api-tokens/index.ts';
import { toRejection } from '../features/audit/index.ts';
import {
  addFreshSetupCode,
  ensureConfiguredAdmin,
  ensureDefaultTenant,
  openAuthenticate,
  openRedeem,
} from '../features/auth/index.ts';
import { hasEnvelopes } from '../features/envelopes/index.ts';
import { findFilePaths } from '../features/files/index.ts';
import { declareHealthMetrics } from '../features/monitor/index.ts';
import { deletionsLock } from '../features/stored-objects/index.ts';
import { listUploadsOf } from '../features/upload-sessions/index.ts';
import { localOrigin } from '../platform/call.ts';
import type { Database } from '../platform/db/open-db.ts';
import type { Db } from '../platform/db/tables.ts';
import type { FeatureParts } from '../platform/feature-parts.ts';
import { type Authenticate, ownerOf } from '../platform/http/caller.ts';
import type { HttpOptions, RejectedAct } from '../platform/http/http-context.ts';
import { buildHttp } from '../platform/http/http-server.ts';
import type { FindFolders } from '../platform/http/narrow.ts';
import { toReachableUrl } from '../platform/http/networks.ts';
import { StartError } from '../platform/installation.ts';
import type { Platform, Server } from '../platform/server.ts';
import { observeRequests } from '../platform/telemetry/http-metrics.ts';
import { rejectUnusableKeys } from './check-keys.ts';
import { claims, migrations, openServer } from './features.ts';
import { type Background, openBackground } from './open-background.ts';
import { type Overrides, openPlatform } from './open-platform.ts';
import { platformHealth } from './platform-health.ts';

export type App = AsyncDisposable & {
  /** The address it listens at, with the actual port. */
  readonly url: string;
  /** For creating the first administrator; null if there is one. */
  readonly setupCode: string | null;
  readonly database: Database;
  /** All parts of the server. */
  readonly server: Server;
  /** Routes of the framework, as `GET /path/:name`. */
  readonly routes: readonly string[];
  /** Runs every due job, event and schedule to the end. */
  drain(): Promise<void>;
};

/** Late-bound value, set once, after its users were created. `get` throws before that: the start order is wrong. */
class Late<T> {
  readonly #name: string;
  #held: { readonly value: T } | undefined;

  constructor(name: string) {
    this.#name = name;
  }

  get(): T {
    if (this.#held === undefined) throw new Error(`${this.#name} is not there yet`);
    return this.#held.value;
  }

  set(value: T): T {
    this.#held = { value };
    return value;
  }
}

export async function openApp(config: Config, overrides: Overrides = {}): Promise<App> {
  await using opening = new AsyncDisposableStack();
  const address = new Late<string>('the address of this server');
  const background = new Late<Background>('what runs the sagas');
  const stopping = new AbortController();
  const grace = openGrace(config.http.shutdownGraceSeconds * 1000, stopping.signal);
  const baseUrl = () => config.http.publicUrl ?? address.get();
  const platform = await openPlatform(config, overrides, {
    opening,
    baseUrl,
    stopping: stopping.signal,
    migrations,
    claims,
    locks: [deletionsLock],
    hasLocalEnvelopes: db => hasEnvelopes(db, 'local'),
  });
  await rejectUnusableKeys(platform);
  const setupCode = await ensureAdministrator(platform);

  const parts: FeatureParts[] = [];
  const sagas: Server['sagas'] = {
    runNow: (id, signal) => background.get().sagas.runNow(id, signal),
    countEnd: (status, seconds) => background.get().sagas.countEnd(status, seconds),
  };
  const server = await openServer(platform, parts, sagas, opening);
  const running = background.set(await openBackground(server, parts, opening, () => grace.leftMs(1)));
  parts.push({ health: platformHealth(platform, running) });
  declareHealthMetrics(server);

  const taken: string[] = [];
  const http = await openHttp(server, route => void taken.push(route));
  const url = address.set(await listen(http, config.http));
  opening.defer(() => closeHttp(http, grace.leftMs(requestShare)));
  opening.defer(() => stopping.abort());
  running.worker.start();

  const opened = opening.move();
  return {
    url,
    setupCode,
    database: platform.database,
    server,
    routes: taken,
    drain: async () => {
      await server.downloads.flush();
      await running.worker.drain();
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Share of the grace period that requests get; jobs get the rest. */
const requestShare = 0.75;

/** One grace period for requests and jobs, from the shutdown signal on. */
function openGrace(graceMs: number, stopping: AbortSignal) {
  let startedAt: number | undefined;
  stopping.addEventListener('abort', () => {
    startedAt = performance.now();
  });
  /** Time until this share of it is over. */
  const leftMs = (share: number): number =>
    Math.max(0, share * graceMs - (startedAt === undefined ? 0 : performance.now() - startedAt));
  return { leftMs };
}

/** Creates the first administrator from the configuration, or a setup code. */
async function ensureAdministrator(platform: Platform): Promise<string | null> {
  await ensureDefaultTenant(platform);
  const { firstAdmin } = platform.config.accounts;
  if (!firstAdmin) return addFreshSetupCode(platform);
  const { username, email, password } = firstAdmin;
  const origin = localOrigin('configuration', platform.clock.now());
  await ensureConfiguredAdmin(platform, origin, { username, email, password: password.reveal() });
  return null;
}

/** The HTTP server with the routes of all features. */
function openHttp(server: Server, onRoute: (route: string) => void): Promise<FastifyInstance> {
  const { config, database, tokens, sessionUses, freshness } = server;
  const routes = server.parts.flatMap(part => part.routes ?? []);
  const authenticateSession = openAuthenticate(database, tokens, config.http.managementToken);
  const authenticate: Authenticate = (token, ip, beside) =>
    hasApiTokenPrefix(token) ? server.apiTokens.authenticate(token, ip) : authenticateSession(token, ip, beside);
  const redeemStreamToken = openRedeem(server, server.apiTokens.resume);
  const observe = observeRequests(
    server,
    routes.map(route => route.endpoint),
  );
  const recordRejected = (act: RejectedAct) => server.rejections.record(toRejection(act));
  const noteUse: HttpOptions['noteUse'] = (actor, ip) => {
    if (actor.apiToken === undefined) sessionUses.note(actor, ip); // API tokens record their own use
  };
  const callers = { authenticate, redeemStreamToken, noteUse, rejectStale: freshness.rejectStale };
  const findFolders = openFindFolders(database.db);
  const options = { ...server, config: config.http, ...callers, findFolders, recordRejected, observe, onRoute };
  return buildHttp(options, routes);
}

/** For the HTTP layer, which limits some callers to one folder. */
const openFindFolders =
  (db: Db): FindFolders =>
  async (actor, named) => {
    const owner = ownerOf(actor);
    const uploads = await listUploadsOf(db, owner, named.uploads);
    return {
      files: await findFilePaths(db, owner, named.files),
      uploads: new Map([...uploads].map(([clientId, { path }]) => [clientId, path])),
    };
  };

async function listen(http: FastifyInstance, { host, port }: Config['http']): Promise<string> {
  try {
    await http.listen({ host, port });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE')
      throw new StartError(`port ${port} on ${host} is in use; choose another with --port, or 0 for any free port.`);
    if (code === 'EACCES')
      throw new StartError(`no permission to listen on port ${port}; choose one above 1023 with --port.`);
    if (['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL'].includes(code ?? ''))
      throw new ConfigError(`this machine has no address ${host}; choose another with --host.`);
    throw cause;
  }
  const address = http.server.address() as AddressInfo;
  return toReachableUrl(address.address, address.port);
}

/** Lets running requests finish; those that exceed the grace period are cut off. */
async function closeHttp(http: FastifyInstance, graceMs: number): Promise<void> {
  const cutOff = setTimeout(() => http.server.closeAllConnections(), graceMs);
  try {
    await http.close();
  } finally {
    clearTimeout(cutOff);
  }
}
