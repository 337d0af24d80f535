// A lock for work that is longer than a transaction: a row with a lease that is renewed while the work goes on. Whoever
// loses it is told by a signal, and its fence is stale: guard every write of the work with `assertFence`. A row stays for
// every name, so names are few.
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Clock } from './clock.ts';
import type { Migration } from './db/migrate.ts';
import type { Engine } from './db/open-db.ts';
import type { Db, Tx } from './db/tables.ts';
import { LeaseLost } from './jobs/jobs.ts';

declare module './db/tables.ts' {
  interface Tables {
    lease_lock: { name: string; fence: number; held_until: number };
  }
}

export const lockMigrations: readonly Migration[] = [
  {
    name: 'V1.0.4 lease locks',
    statements: types => [
      `create table lease_lock (
        name text primary key,
        fence ${types.integer} not null,
        held_until ${types.integer} not null
      ) ${types.strict}`,
    ],
  },
];

export type LockContext = { readonly db: Db; readonly engine: Engine; readonly clock: Clock };

export type Lease = {
  /** Greater than that of every earlier holder. */
  readonly fence: number;
  /** Aborted when the lease is lost. */
  readonly signal: AbortSignal;
  /** The first statement of a transaction that only the holder may write; throws `LeaseLost`. */
  assertFence(tx: Tx): Promise<void>;
};

export type LeaseOptions = {
  readonly leaseSeconds: number;
  /** How long to wait for another holder; not at all when left out. */
  readonly waitMs?: number;
};

/**
 * Does the work while nobody else does work of this name, on any server. Null when somebody else held the lock for as
 * long as we were ready to wait. Throws `LeaseLost` when the lock was lost before the work ended.
 */
export async function withLease<T>(
  context: LockContext,
  name: string,
  { leaseSeconds, waitMs = 0 }: LeaseOptions,
  work: (lease: Lease) => Promise<T>,
): Promise<T | null> {
  const leaseMs = leaseSeconds * 1000;
  const fence = await acquire(context, name, leaseMs, waitMs);
  if (fence === null) return null;
  const lost = new AbortController();
  const heartbeat = keepRenewing(context, { name, fence, leaseMs }, lost);
  try {
    const result = await work({
      fence,
      signal: lost.signal,
      assertFence: tx => assertHeld(tx, context.engine, name, fence),
    });
    lost.signal.throwIfAborted();
    return result;
  } finally {
    clearInterval(heartbeat);
    await release(context.db, name, fence).catch(() => {}); // then it is free when the lease ends
  }
}

async function acquire(context: LockContext, name: string, leaseMs: number, waitMs: number): Promise<number | null> {
  const until = performance.now() + waitMs;
  for (let pauseMs = 5; ; pauseMs = Math.min(pauseMs * 2, 250)) {
    const fence = await tryAcquire(context, name, leaseMs);
    if (fence !== null) return fence;
    const left = until - performance.now();
    if (left <= 0) return null;
    await sleep(Math.min(left, pauseMs * (0.5 + Math.random() / 2)));
  }
}

async function tryAcquire({ db, clock }: LockContext, name: string, leaseMs: number): Promise<number | null> {
  const now = clock.now();
  const row = await db
    .insertInto('lease_lock')
    .values({ name, fence: 1, held_until: now + leaseMs })
    .onConflict(conflict =>
      conflict
        .column('name')
        .doUpdateSet({ fence: sql<number>`lease_lock.fence + 1`, held_until: now + leaseMs })
        .where('lease_lock.held_until', '<=', now),
    )
    .returning('fence')
    .executeTakeFirst();
  return row?.fence ?? null;
}

type Held = { readonly name: string; readonly fence: number; readonly leaseMs: number };

function keepRenewing({ db, clock }: LockContext, { name, fence, leaseMs }: Held, lost: AbortController) {
  let heldUntil = clock.now() + leaseMs;
  const renew = async () => {
    const next = clock.now() + leaseMs;
    try {
      const { numUpdatedRows } = await db
        .updateTable('lease_lock')
        .set({ held_until: next })
        .where('name', '=', name)
        .where('fence', '=', fence)
        .executeTakeFirst();
      if (numUpdatedRows === 0n) lost.abort(new LeaseLost(`the lock "${name}" was taken over`));
      else heldUntil = next;
    } catch {
      // The database does not answer: the lock is ours until the lease we know of has ended.
      if (clock.now() >= heldUntil) lost.abort(new LeaseLost(`the lock "${name}" could not be renewed`));
    }
  };
  return setInterval(() => void renew(), leaseMs / 3).unref();
}

async function assertHeld(tx: Tx, engine: Engine, name: string, fence: number): Promise<void> {
  const row = await tx
    .selectFrom('lease_lock')
    .select('fence')
    .where('name', '=', name)
    .where('fence', '=', fence)
    .$if(engine === 'postgres', query => query.forUpdate())
    .executeTakeFirst();
  if (!row) throw new LeaseLost(`the lock "${name}" was taken over`);
}

/** The row stays, so that the next fence is greater. Of a lock that was lost nothing is changed. */
async function release(db: Db, name: string, fence: number): Promise<void> {
  await db
    .updateTable('lease_lock')
    .set({ held_until: 0 })
    .where('name', '=', name)
    .where('fence', '=', fence)
    .execute();
}
