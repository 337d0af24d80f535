// What the server is made of: one object that everything is handed, of which everything names the few parts it uses, as
// in `Pick<Server, 'database' | 'clock'>`. Each part has one name and one meaning everywhere.
import type { CircuitBreakers } from './circuit-breaker.ts';
import type { Clock } from './clock.ts';
import type { Cluster } from './cluster/cluster.ts';
import type { Counters } from './cluster/counters.ts';
import type { ContentReader } from './content/content-digest.ts';
import type { Intake } from './content/intake.ts';
import type { KeyProvider } from './crypto/envelope.ts';
import type { Passwords } from './crypto/passwords.ts';
import type { ServerKeys } from './crypto/server-keys.ts';
import type { DatabaseCheck } from './db/database-check.ts';
import type { Database } from './db/open-db.ts';
import type { HookTable } from './hooks.ts';
import type { HeldBodies } from './http/held-bodies.ts';
import type { Proxies } from './http/proxies.ts';
import type { RateLimiter } from './http/rate-limit.ts';
import type { Mail } from './mail/mail.ts';
import type { ObjectStore } from './objects/object-store.ts';
import type { Parts } from './parts.ts';
import type { Reserve } from './reserve.ts';
import type { Sagas } from './saga/open-sagas.ts';
import type { Goals } from './telemetry/goals.ts';
import type { Log } from './telemetry/log.ts';
import type { Metrics } from './telemetry/metrics.ts';
import type { Tracing } from './telemetry/tracing.ts';

export type Company = {
  /** Whether others can know of this one. */
  isTold(): boolean;
  /** Steps of the schema that a newer version has taken since this one started. */
  listNewerSteps(): Promise<readonly string[]>;
};

/** What is there before the first feature. The configuration adds itself, as `config`. */
export interface Platform {
  readonly clock: Clock;
  readonly log: Log;
  readonly database: Database;
  /** Whether its file is damaged. */
  readonly databaseCheck: DatabaseCheck;
  /** The other servers on this database. */
  readonly company: Company;
  readonly keys: ServerKeys;
  /** Those of accounts and shares. */
  readonly passwords: Passwords;
  /** Wraps the data keys of files. */
  readonly keyProvider: KeyProvider;
  /** Each opens what it wrapped, the one that wraps now among them. */
  readonly keyProviders: readonly KeyProvider[];
  /** What servers of one database agree on. */
  readonly cluster: Cluster;
  /** Where calls and guesses are counted, also while the cluster is away. */
  readonly counters: Counters;
  readonly limiter: RateLimiter;
  /** Whose word counts about where a request comes from. */
  readonly proxies: Proxies;
  /** Bodies that are coming in. */
  readonly heldBodies: HeldBodies;
  readonly mail: Mail;
  readonly objects: ObjectStore;
  /** Whether there is room for what comes in. */
  readonly reserve: Reserve;
  /** Takes chunks in on threads of its own. */
  readonly intake: Intake;
  /** Reads stored objects back on threads of its own. */
  readonly contents: ContentReader;
  readonly breakers: CircuitBreakers;
  readonly metrics: Metrics;
  /** What the service level objectives judge. */
  readonly goals: Goals;
  readonly tracing: Tracing | undefined;
  /** Aborted when a shutdown begins; running requests may still finish. */
  readonly stopping: AbortSignal;
  /** Where users reach this server; known once it listens. */
  readonly baseUrl: () => string;
}

/**
 * The whole. What a feature opens for others it adds here, and brings with its `provide`:
 *   declare module '…/platform/server.ts' { interface Server { readonly hub: EventHub } }
 */
export interface Server extends Platform {
  /** Of what is open; whoever asks while features are opened sees those before. */
  readonly parts: readonly Parts[];
  readonly hooks: HookTable;
  readonly sagas: Pick<Sagas, 'runNow' | 'countEnd'>;
}
