import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/open-db.ts';
import type { Key, Time, Tx } from '../../platform/db/tables.ts';

export type Pair = { readonly tenantId: Key; readonly people: readonly [Key, Key] };

export type FriendPorts = {
  readonly database: Pick<Database, 'db' | 'kind'>;
  readonly clock: Clock;
  /** Ends what the two have shared with each other, either way; from the feature above that shares between friends. */
  readonly endSharesBetween: (tx: Tx, pair: Pair, now: Time) => Promise<void>;
};
