import type { Clock } from '../../platform/clock.ts';
import type { KeyProvider, RecipientType } from '../../platform/crypto/envelope.ts';
import type { Database } from '../../platform/db/open-db.ts';
import type { Key, Tx } from '../../platform/db/tables.ts';
import type { SagaState } from '../../platform/saga/saga.ts';
import type { Log } from '../../platform/telemetry/log.ts';
import type { Origin } from '../audit/index.ts';
import type { FileRecords } from '../chain/index.ts';
import type { FileRow, Quota } from '../files/index.ts';

/** By whose gift a file is copied: a share's code, a friend share's id. Its envelope opens the original. */
export type Gift = { readonly type: Exclude<RecipientType, 'OWNER' | 'UPLOAD'>; readonly id: string };

export type Saver = { readonly userId: Key; readonly username: string };

export type SavedCopy = {
  readonly tenantId: Key;
  readonly giftId: string;
  readonly source: FileRow;
  readonly copy: FileRow;
  readonly saver: Saver;
  readonly origin: Origin;
  readonly userAgent: string | null;
};

/**
 * Asked in the transaction that makes a copy count, before anything else is locked in it. Throws ApiError when the gift
 * was withdrawn meanwhile, holds it until the commit when not, and may write what goes with it.
 */
export type ConfirmGift = (tx: Tx, saved: SavedCopy) => Promise<void>;

export type CopyPorts = {
  readonly database: Pick<Database, 'db' | 'kind'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Where every file is recorded. */
  readonly records: Pick<FileRecords, 'recordFile'>;
  readonly keyProvider: KeyProvider;
  readonly quota: Quota;
  /** From the features that give files to others. */
  readonly confirmGift: Readonly<Partial<Record<Gift['type'], ConfirmGift>>>;
  /** Drives a saga to its end, or waits for whoever does. */
  readonly runSaga: (id: Key, signal?: AbortSignal) => Promise<SagaState>;
};
