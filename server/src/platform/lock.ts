// Named locks that outlive a transaction: a claimed row whose lease is renewed while the work runs. Losing it aborts a
// signal and invalidates the fence, so guard every write with `assertFence`. Rows are never deleted, so names must be
// few.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from './clock.ts';
import { assertClaim, type Claim, claim, endClaim } from './db/claim.ts';
import { Lease } from './db/lease.ts';
import type { Migration } from './db/migrate.ts';
import type { Engine } from './db/open-db.ts';
import { selectWhere } from './db/rows.ts';
import type { Db, Time, Tx } from './db/tables.ts';

declare module './db/tables.ts' {
  interface Tables {
    lease_lock: { id: NewKey; name: string; fence: number; due_at: Time };
  }
}

export const lockMigrations: readonly Migration[] = [
  {
    name: 'V2.0.4 tables of lease locks',
    statements: types => [
      `create table lease_lock (
        id ${types.key},
        name text not null unique,
        fence ${types.integer} not null,
        due_at ${types.integer} not null
      ) ${types.strict}`,
      // Its name in databases from before V2, where the table replaced another one.
      ...(types.engine === 'postgres' ? ['alter index lease_lock_pkey rename to lease_lock_pkey1'] : []),
    ],
  },
];

/** Maximum clock difference between servers. */
const skewMs = 60_000;

export type LockContext = { readonly db: Db; readonly engine: Engine; readonly clock: Clock };

export type HeldLock = {
  /** Higher than that of every earlier holder. */
  readonly fence: number;
  /** Aborted when the lease is lost. */
  readonly signal: AbortSignal;
  /** First statement of a transaction that only the holder may commit; throws `LeaseLost`. */
  assertFence(tx: Tx): Promise<void>;
};

type LeaseOptions = {
  readonly leaseSeconds: number;
  /** How long to wait for another holder; default: not at all. */
  readonly waitMs?: number;
};

/**
 * Runs the work while no server runs other work under this name. Null if another holder kept the lock for `waitMs`.
 * Throws `LeaseLost` if the lock was lost before the work ended.
 */
export async function withLease<T>(
  { db, engine, clock }: LockContext,
  name: string,
  { leaseSeconds, waitMs = 0 }: LeaseOptions,
  work: (lock: HeldLock) => Promise<T>,
): Promise<T | null> {
  const leaseMs = leaseSeconds * 1000;
  const held = await acquire({ db, engine, clock }, name, leaseMs, waitMs);
  if (held === null) return null;
  const lease = new Lease({ db, engine, clock, leaseMs }, { table: 'lease_lock', claim: held });
  try {
    const assertFence = (tx: Tx) => assertClaim(tx, engine, 'lease_lock', held);
    const result = await work({ fence: held.fence, signal: lease.lost, assertFence });
    lease.lost.throwIfAborted();
    return result;
  } finally {
    lease[Symbol.dispose]();
    await endClaim(db, 'lease_lock', held, { due_at: 0 }).catch(() => {}); // otherwise it is free when the lease ends
  }
}

/** Whether the lock is held, by this server's clock. */
export async function isLeased(db: Db, name: string, now: Time): Promise<boolean> {
  const held = db.selectFrom('lease_lock').select('id').where('name', '=', name).where('due_at', '>', now);
  return (await held.executeTakeFirst()) !== undefined;
}

/** Only where no other server can run: holders are dead, except commands that run at the same time as a server. */
export async function freeLocks(db: Db, ofCommands: readonly string[]): Promise<void> {
  const held = db.updateTable('lease_lock').set({ due_at: 0 }).where('due_at', '>', 0);
  await held.where('name', 'not in', ofCommands).execute();
}

/** End of the lease: when the lock is free if its holder has died. */
export async function findLockEnd(db: Db, name: string): Promise<Time> {
  const row = await db.selectFrom('lease_lock').select('due_at').where('name', '=', name).executeTakeFirst();
  return row?.due_at ?? 0;
}

async function acquire(context: LockContext, name: string, leaseMs: number, waitMs: number): Promise<Claim | null> {
  const until = performance.now() + waitMs;
  for (let pauseMs = 5; ; pauseMs = Math.min(pauseMs * 2, 250)) {
    const held = (await tryAcquire(context, name, leaseMs)) ?? (await tryFirst(context, name, leaseMs));
    if (held !== null) return held;
    const left = until - performance.now();
    if (left <= 0) return null;
    await sleep(Math.min(left, pauseMs * (0.5 + Math.random() / 2)));
  }
}

async function tryAcquire({ db, engine, clock }: LockContext, name: string, leaseMs: number): Promise<Claim | null> {
  const now = clock.now();
  const due = selectWhere(db, 'lease_lock', { name })
    .select('id')
    // Also a lease longer than any real one: its holder's clock was ahead, and a live holder renews it.
    .where(eb => eb.or([eb('due_at', '<=', now), eb('due_at', '>', now + 2 * leaseMs + skewMs)]));
  const [held] = await claim(db, engine, 'lease_lock', { due, until: now + leaseMs });
  return held ?? null;
}

/** Creates the row of a name that was never locked. */
async function tryFirst(context: LockContext, name: string, leaseMs: number): Promise<Claim | null> {
  const { numInsertedOrUpdatedRows } = await context.db
    .insertInto('lease_lock')
    .values({ name, fence: 0, due_at: 0 })
    .onConflict(conflict => conflict.column('name').doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows ? tryAcquire(context, name, leaseMs) : null;
}
