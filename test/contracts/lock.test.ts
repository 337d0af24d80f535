// Named locks in the database: waiting, lease renewal, takeover, two processes and a killed holder.
import { LeaseLost } from '@recordproof/server/platform/db/claim.ts';
import type { Engine } from '@recordproof/server/platform/db/open-db.ts';
import type { Db } from '@recordproof/server/platform/db/tables.ts';
import { type HeldLock, lockMigrations, withLease } from '@recordproof/server/platform/lock.ts';
import { expect, test } from 'vitest';
import { startChild } from '../support/child.ts';
import { movableClock } from '../support/clock.ts';
import { eachDatabase } from '../support/databases.ts';
import { effectMigrations } from '../support/effects.ts';

const migrations = [...lockMigrations, ...effectMigrations];

/** Holds the lock until told to end. */
function holder(db: Db, engine: Engine, clock = movableClock(), leaseSeconds = 30) {
  const held = Promise.withResolvers<HeldLock>();
  const end = Promise.withResolvers<void>();
  const result = withLease({ db, engine, clock }, 'work', { leaseSeconds }, async lease => {
    held.resolve(lease);
    await end.promise;
    return 'done';
  });
  return { clock, held: held.promise, end: end.resolve, result };
}

eachDatabase((engine, open) => {
  // Rivals meet on PostgreSQL; on SQLite one writer waits for the other.
  const asRival = engine === 'sqlite' ? ({ tags: 'long' } as const) : {};
  test('a lock returns the result of its work, and is free afterwards', async () => {
    const { db } = await open(migrations);
    const context = { db, engine, clock: movableClock() };
    const fences: number[] = [];
    for (let round = 0; round < 3; round++) {
      const result = await withLease(context, 'work', { leaseSeconds: 30 }, async ({ fence }) => {
        fences.push(fence);
        return `round ${round}`;
      });
      expect(result).toBe(`round ${round}`);
    }
    expect(fences).toEqual([1, 3, 5]); // releasing the claim needs a fence, too
  });

  test('a lock is free after its work failed', async () => {
    const { db } = await open(migrations);
    const context = { db, engine, clock: movableClock() };
    const broken = withLease(context, 'work', { leaseSeconds: 30 }, async () => Promise.reject(new Error('no')));
    await expect(broken).rejects.toThrow('no');
    expect(await withLease(context, 'work', { leaseSeconds: 30 }, async () => 'next')).toBe('next');
  });

  test('a held lock returns null to callers that do not wait; a lock with another name is free', async () => {
    const { db, openAgain } = await open(migrations);
    const first = holder(db, engine);
    await first.held;
    const other = { db: (await openAgain()).db, engine, clock: movableClock() };
    expect(await withLease(other, 'work', { leaseSeconds: 30 }, async () => 'mine')).toBeNull();
    expect(await withLease(other, 'work', { leaseSeconds: 30, waitMs: 30 }, async () => 'mine')).toBeNull();
    expect(await withLease(other, 'other work', { leaseSeconds: 30 }, async () => 'mine')).toBe('mine');
    first.end();
    expect(await first.result).toBe('done');
  });

  test('a caller that waits gets the lock when it is released', async () => {
    const { db, openAgain } = await open(migrations);
    const first = holder(db, engine);
    await first.held;
    const other = { db: (await openAgain()).db, engine, clock: movableClock() };
    const waiting = withLease(other, 'work', { leaseSeconds: 30, waitMs: 30_000 }, async ({ fence }) => fence);
    first.end();
    expect(await waiting).toBe(3);
  });

  test('an expired lock is taken over; the old holder is aborted and can no longer write', async () => {
    const { db, openAgain } = await open(migrations);
    const old = holder(db, engine, movableClock(), 0.3);
    const lease = await old.held;
    await db.transaction().execute(tx => lease.assertFence(tx));
    const later = movableClock();
    later.advance(3_600_000);
    const next = holder((await openAgain()).db, engine, later);
    expect((await next.held).fence).toBe(lease.fence + 1);
    await expect(db.transaction().execute(tx => lease.assertFence(tx))).rejects.toThrow(LeaseLost);
    await expect.poll(() => lease.signal.aborted).toBe(true);
    old.end();
    await expect(old.result).rejects.toThrow(LeaseLost);
    await db.transaction().execute(async tx => (await next.held).assertFence(tx));
    next.end();
    expect(await next.result).toBe('done');
  });

  test('a lease is renewed while the work runs', async () => {
    const { db } = await open(migrations);
    const clock = movableClock();
    const first = holder(db, engine, clock, 0.15);
    await first.held;
    const heldUntil = async () => (await db.selectFrom('lease_lock').select('due_at').executeTakeFirst())?.due_at;
    clock.advance(100);
    while ((await heldUntil()) !== clock.now() + 150) await new Promise(setImmediate);
    first.end();
    expect(await first.result).toBe('done');
  });

  test('two processes that increment a counter under one lock lose no step', asRival, async () => {
    const { db, address } = await open(migrations);
    const children = [startChild('lock.ts', { address, rounds: 25 }), startChild('lock.ts', { address, rounds: 25 })];
    expect(await Promise.all(children.map(child => child.ended))).toEqual([0, 0]);
    const row = await db.selectFrom('counter').select('value').where('name', '=', 'left').executeTakeFirst();
    expect(row?.value).toBe(1050);
  });

  test('the lock of a process killed with -9 is free when its lease ends, not earlier', async () => {
    const { db, address } = await open(migrations);
    const child = startChild('lock.ts', { address, rounds: 0 });
    expect(await child.next()).toBe(1);
    await child.kill();
    const clock = movableClock(Date.now());
    const context = { db, engine, clock };
    expect(await withLease(context, 'work', { leaseSeconds: 30 }, async ({ fence }) => fence)).toBeNull();
    clock.advance(31_000);
    expect(await withLease(context, 'work', { leaseSeconds: 30 }, async ({ fence }) => fence)).toBe(2);
  });
});
