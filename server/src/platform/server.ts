// The server as one object of parts. Code names the parts it uses, as in `Pick<Server, 'database' | 'clock'>`. Each
// part has one name and one meaning everywhere.
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
import type { DiskReserve } from './disk-reserve.ts';
import type { FeatureParts } from './feature-parts.ts';
import type { HookTable } from './hooks.ts';
import type { ConcurrentUploads } from './http/concurrent-uploads.ts';
import type { Proxies } from './http/proxies.ts';
import type { RateLimiter } from './http/rate-limit.ts';
import type { ReplaceableMail } from './mail/open-mail.ts';
import type { ObjectStore } from './objects/object-store.ts';
import type { Sagas } from './saga/open-sagas.ts';
import type { Goals } from './telemetry/goals.ts';
import type { Log } from './telemetry/log.ts';
import type { Metrics } from './telemetry/metrics.ts';
import type { Tracing } from './telemetry/tracing.ts';

export type ClusterServers = {
  /** Whether this server holds the lock that shows others that it runs. */
  isPresenceHeld(): boolean;
  /** Migrations that a newer version has applied since this server started. */
  listNewerSteps(): Promise<readonly string[]>;
};

/** The parts available before any feature. The configuration adds itself, as `config`. */
export interface Platform {
  readonly clock: Clock;
  readonly log: Log;
  readonly database: Database;
  /** State of the database file's integrity check. */
  readonly databaseCheck: DatabaseCheck;
  /** This database takes over the ledger, whichever wrote it before. */
  readonly isTakeOver: boolean;
  /** The other servers on this database. */
  readonly clusterServers: ClusterServers;
  readonly keys: ServerKeys;
  /** Hashes passwords of accounts and shares. */
  readonly passwords: Passwords;
  /** Wraps the data keys of files. */
  readonly keyProvider: KeyProvider;
  /** All providers, including the active one; each unwraps what it wrapped. */
  readonly keyProviders: readonly KeyProvider[];
  /** Short-lived state shared by the servers of one database. */
  readonly cluster: Cluster;
  /** Counts calls and attempts, even while the cluster is unavailable. */
  readonly counters: Counters;
  readonly limiter: RateLimiter;
  /** The trusted proxies. */
  readonly proxies: Proxies;
  /** Limits concurrent uploads. */
  readonly concurrentUploads: ConcurrentUploads;
  readonly mail: ReplaceableMail;
  readonly objects: ObjectStore;
  /** The disk reserve. */
  readonly reserve: DiskReserve;
  /** Stores chunks, on its own threads. */
  readonly intake: Intake;
  /** Reads stored objects, on its own threads. */
  readonly contents: ContentReader;
  readonly breakers: CircuitBreakers;
  readonly metrics: Metrics;
  /** Counters of the service level objectives. */
  readonly goals: Goals;
  readonly tracing: Tracing | undefined;
  /** Aborted when shutdown begins; running requests may still finish. */
  readonly stopping: AbortSignal;
  /** Where users reach this server; known once it listens. */
  readonly baseUrl: () => string;
}

/**
 * The complete server. Features add the parts that they `provide` by declaration merging:
 *   declare module '…/platform/server.ts' { interface Server { readonly hub: EventHub } }
 */
export interface Server extends Platform {
  /** The parts opened so far; while features are opened, those of earlier ones. */
  readonly parts: readonly FeatureParts[];
  readonly hooks: HookTable;
  readonly sagas: Pick<Sagas, 'runNow' | 'countEnd'>;
}
