import type { Clock } from '../../platform/clock.ts';
import type { KeyProvider } from '../../platform/crypto/envelope.ts';
import type { ServerKeys } from '../../platform/crypto/server-keys.ts';
import type { Database } from '../../platform/db/open-db.ts';
import type { Key } from '../../platform/db/tables.ts';
import type { RateLimiter } from '../../platform/http/rate-limit.ts';
import type { ObjectStore } from '../../platform/objects/object-store.ts';
import type { SagaState } from '../../platform/saga/saga.ts';
import type { Log } from '../../platform/telemetry/log.ts';
import type { Ledger } from '../chain/index.ts';
import type { Quota } from '../files/index.ts';
import type { TellProgress } from './tell-owner.ts';

export type UploadLimits = {
  readonly maxFileBytes: number;
  readonly maxChunkBytes: number;
  readonly sessionHours: number;
  readonly urlHours: number;
};

export type UploadPorts = {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly objects: ObjectStore;
  /** Where every file is recorded. */
  readonly ledger: Pick<Ledger, 'append'>;
  readonly keys: Pick<ServerKeys, 'transfer'>;
  readonly keyProvider: KeyProvider;
  readonly limiter: RateLimiter;
  readonly quota: Quota;
  readonly limits: UploadLimits;
  /** Drives a saga to its end, or waits for whoever does. */
  readonly runSaga: (id: Key, signal?: AbortSignal) => Promise<SagaState>;
  readonly tellProgress: TellProgress;
  /** Where a chunk waits whose form names its session only after it. */
  readonly spoolFolder: string;
};
