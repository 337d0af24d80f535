// Options and shared state of the HTTP layer.
import type { AnyEndpoint } from '@recordproof/shared/api/endpoint.ts';
import type { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Awaitable } from '../awaitable.ts';
import type { Call } from '../call.ts';
import type { Clock } from '../clock.ts';
import type { Log } from '../telemetry/log.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import type { BodyPace } from './body-pace.ts';
import type { Actor } from './caller.ts';
import type { ConcurrentUploads } from './concurrent-uploads.ts';
import type { Deadlines } from './deadlines.ts';
import type { IdentifyOptions } from './identify.ts';
import type { FindMaintenance } from './in-maintenance.ts';
import type { FindFolders } from './narrow.ts';
import type { Proxies } from './proxies.ts';
import type { RateLimiter } from './rate-limit.ts';
import type { FailureLog } from './request-log.ts';
import type { ShowError } from './show-error.ts';

export type HttpConfig = {
  readonly requestTimeoutSeconds: number;
  /** How long a transfer may make no progress, in either direction. */
  readonly stallTimeoutSeconds: number;
  /** Minimum download rate. */
  readonly downloadMinBytesPerSecond: number;
  readonly uploads: {
    /** Minimum upload rate, measured over the stall timeout; 0: no limit. */
    readonly minBytesPerSecond: number;
    readonly mostPerAccount: number;
    readonly mostPerAddress: number;
  };
};

export type HttpOptions = IdentifyOptions & {
  readonly config: HttpConfig;
  readonly clock: Clock;
  readonly log: Log;
  readonly limiter: RateLimiter;
  readonly proxies: Pick<Proxies, 'clientAddress'>;
  readonly concurrentUploads: ConcurrentUploads;
  /** Finds the folders of files and uploads, for callers limited to a folder. */
  readonly findFolders: FindFolders;
  readonly observe: (observation: Observation) => void;
  /** Rejects a session that needs a fresh factor for this call, before the body is read. Absent: no check. */
  readonly rejectStale?: (actor: Actor) => Awaitable<void>;
  /** Called on every request of an account. */
  readonly noteUse?: (actor: Actor, ip: string) => void;
  /** Called with each route of the framework, as `GET /path/:name`. */
  readonly onRoute?: (route: string) => void;
  /** Resolves when the rejected operation is in the audit log; never rejects. Absent: not recorded. */
  readonly recordRejected?: (act: RejectedAct) => Promise<void>;
  /** Absent: there is no maintenance mode. */
  readonly findMaintenance?: FindMaintenance;
  /** Absent: people get the envelope too. */
  readonly showError?: ShowError;
  /** Absent: the caller's trace is passed on, but no spans are recorded. */
  readonly tracing?: Pick<Tracing, 'startRequest'> | undefined;
};

/**
 * An operation that an account is not allowed, or not allowed now, for the audit log: the endpoint and the ids in the
 * path, because URLs and bodies may contain secrets.
 */
export type RejectedAct = {
  readonly call: Call;
  readonly endpoint: AnyEndpoint;
  readonly error: ApiError;
  /** Ids from the path. */
  readonly ids: Readonly<Record<string, string>>;
};

export type Observation = { method: string; path: string; status: number; seconds: number };

/** Opened once for all requests. */
export type HttpContext = HttpOptions & {
  readonly deadlines: Deadlines;
  readonly pace: BodyPace;
  readonly requestLog: Log;
  readonly failures: FailureLog;
};
