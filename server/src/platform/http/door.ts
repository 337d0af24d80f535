// What the HTTP door is built from, and what of it lives as long as the door does.
import type { Clock } from '../clock.ts';
import type { Log } from '../telemetry/log.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import type { BodyPace } from './body-pace.ts';
import type { Deadlines } from './deadlines.ts';
import type { FailureLog } from './failure-log.ts';
import type { HeldBodies } from './held-bodies.ts';
import type { IdentifyOptions } from './identify.ts';
import type { Proxies } from './proxies.ts';
import type { RateLimiter } from './rate-limit.ts';
import type { RefusedAct } from './refused-acts.ts';
import type { ShowError } from './show-error.ts';

export type HttpConfig = {
  readonly requestTimeoutSeconds: number;
  /** How long a file may stand still on its way in or out. */
  readonly stallTimeoutSeconds: number;
  /** The slowest pace at which a file may be taken. */
  readonly downloadMinBytesPerSecond: number;
  readonly uploads: {
    /** What an upload must bring in the time that it may stand still; 0 takes any pace. */
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
  readonly heldBodies: HeldBodies;
  readonly observe: (seen: Observation) => void;
  /** Told what the framework has really taken on, as `GET /path/:name`. */
  readonly onRoute?: (route: string) => void;
  /** Resolves when the refused act is in the audit log; never rejects. Absent: none is. */
  readonly recordRefused?: (act: RefusedAct) => Promise<void>;
  /** Absent: people too get the envelope. */
  readonly showError?: ShowError;
  /** Absent: requests carry their caller's trace on, but no spans are made. */
  readonly tracing?: Pick<Tracing, 'startRequest'> | undefined;
};

export type Observation = { method: string; path: string; status: number; seconds: number };

/** What is opened once for all requests. */
export type Door = HttpOptions & {
  readonly deadlines: Deadlines;
  readonly pace: BodyPace;
  readonly requestLog: Log;
  readonly failures: FailureLog;
};
