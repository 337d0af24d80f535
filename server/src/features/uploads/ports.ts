import type { Clock } from '../../platform/clock.ts';
import type { ContentReader } from '../../platform/content/content-digest.ts';
import type { KeyProvider } from '../../platform/crypto/envelope.ts';
import type { ServerKeys } from '../../platform/crypto/server-keys.ts';
import type { Database } from '../../platform/db/open-db.ts';
import type { Key, Time, Tx } from '../../platform/db/tables.ts';
import type { RateLimiter } from '../../platform/http/rate-limit.ts';
import type { ObjectStore } from '../../platform/objects/object-store.ts';
import type { SagaState } from '../../platform/saga/saga.ts';
import type { Log } from '../../platform/telemetry/log.ts';
import type { FileRecords } from '../chain/index.ts';
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
  /** Reads back what was staged in them. */
  readonly contents: ContentReader;
  /** Where every file is recorded. */
  readonly records: Pick<FileRecords, 'recordFile'>;
  readonly keys: Pick<ServerKeys, 'transfer'>;
  readonly keyProvider: KeyProvider;
  readonly limiter: RateLimiter;
  readonly quota: Quota;
  readonly limits: UploadLimits;
  /** Drives a saga to its end, or waits for whoever does. */
  readonly runSaga: (id: Key, signal?: AbortSignal) => Promise<SagaState>;
  /** Ends what held for the versions before this one; called under the lock of their chain. */
  readonly supersedeOlder: (
    tx: Tx,
    newest: { readonly versionGroupId: Key; readonly version: number },
    now: Time,
  ) => Promise<void>;
  readonly tellProgress: TellProgress;
  /** Where a chunk waits whose form names its session only after it. */
  readonly spoolFolder: string;
};
