// Transactions, isolation, types, ids and durability on both databases, with processes killed in between.
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockInTransaction } from '@recordproof/server/platform/db/lock.ts';
import { migrate } from '@recordproof/server/platform/db/migrate.ts';
import type { Engine } from '@recordproof/server/platform/db/open-db.ts';
import type { Db, Tx } from '@recordproof/server/platform/db/tables.ts';
import { announceWork } from '@recordproof/server/platform/db/work-notifications.ts';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { startChild } from '../support/child.ts';
import { openTestDatabase } from '../support/database-address.ts';
import { eachDatabase } from '../support/databases.ts';
import { effectMigrations, listEffects, noteEffect } from '../support/effects.ts';
import { startPostgres } from '../support/postgres.ts';

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

async function getValue(db: Db, name: string): Promise<number> {
  const row = await db.selectFrom('counter').select('value').where('name', '=', name).executeTakeFirstOrThrow();
  return row.value;
}

const add = (tx: Tx, name: string, value: number) =>
  tx
    .updateTable('counter')
    .set(eb => ({ value: eb('value', '+', value) }))
    .where('name', '=', name)
    .execute();

async function moveOne(db: Db, engine: Engine): Promise<void> {
  await db.transaction().execute(async tx => {
    await lockInTransaction(tx, engine, 'counters');
    const left = await getValue(tx, 'left');
    await tx
      .updateTable('counter')
      .set({ value: left - 1 })
      .where('name', '=', 'left')
      .execute();
    await add(tx, 'right', 1);
  });
}

eachDatabase((engine, open) => {
  test('the writes of a rolled back transaction are discarded', async () => {
    const { db } = await open(effectMigrations);
    const broken = db.transaction().execute(async tx => {
      await noteEffect(tx, 'lost');
      throw new Error('changed my mind');
    });
    await expect(broken).rejects.toThrow('changed my mind');
    expect(await listEffects(db)).toEqual([]);
  });

  test('"in" with an empty list matches no row, and "not in" matches every row', async () => {
    const { db } = await open(effectMigrations);
    const names: string[] = [];
    const counters = db.selectFrom('counter').select('name').orderBy('name');
    expect(await counters.where('name', 'in', names).execute()).toEqual([]);
    expect(await counters.where('name', 'not in', names).execute()).toHaveLength(2);
    expect(await counters.where(eb => eb.not(eb('name', 'in', names))).execute()).toHaveLength(2);
    const chosen = counters.where(eb => eb.or([eb('name', '=', 'left'), eb('name', 'in', names)]));
    expect(await chosen.execute()).toEqual([{ name: 'left' }]);
    await db.deleteFrom('counter').where('name', 'in', names).execute();
    await db.updateTable('counter').set({ value: 0 }).where('name', 'in', names).execute();
    expect([await getValue(db, 'left'), await getValue(db, 'right')]).toEqual([1000, 1000]);
  });

  test('200 concurrent transactions lose no update, and concurrent reads see only complete transactions', async () => {
    const { db } = await open(effectMigrations);
    const totals: number[] = [];
    const read = async () => {
      const { rows } = await sql<{ total: number }>`select sum(value) as total from counter`.execute(db);
      totals.push(rows[0]?.total ?? -1);
    };
    await Promise.all(range(200).flatMap(() => [moveOne(db, engine), read()]));
    expect(new Set(totals)).toEqual(new Set([2000]));
    expect([await getValue(db, 'left'), await getValue(db, 'right')]).toEqual([800, 1200]);
  });

  test('concurrent write transactions of two servers wait for each other without blocking the event loop', async () => {
    const { db, openAgain } = await open(effectMigrations);
    const other = await openAgain();
    const entered = Promise.withResolvers<void>();
    const leave = Promise.withResolvers<void>();
    const holding = db.transaction().execute(async tx => {
      await lockInTransaction(tx, engine, 'counters');
      entered.resolve();
      await leave.promise; // a blocked event loop would never come here
      await noteEffect(tx, 'first');
    });
    await entered.promise;
    const waiting = other.db.transaction().execute(async tx => {
      await lockInTransaction(tx, engine, 'counters');
      await noteEffect(tx, 'second');
    });
    setImmediate(leave.resolve);
    await Promise.all([holding, waiting]);
    expect(await listEffects(db)).toEqual(['first', 'second']);
    await Promise.all(range(60).map(index => moveOne(index % 2 ? db : other.db, engine)));
    expect(await getValue(db, 'left')).toBe(940);
  });

  test('a read does not wait for a long write transaction, and sees the state before it', async () => {
    const { db } = await open(effectMigrations);
    const entered = Promise.withResolvers<void>();
    const leave = Promise.withResolvers<void>();
    const long = db.transaction().execute(async tx => {
      await add(tx, 'left', 1);
      entered.resolve();
      await leave.promise;
    });
    await entered.promise;
    expect(await getValue(db, 'left')).toBe(1000);
    leave.resolve();
    await long;
    expect(await getValue(db, 'left')).toBe(1001);
  });

  test('a transaction reads its own writes', async () => {
    const { db } = await open(effectMigrations);
    const seen = await db.transaction().execute(async tx => {
      await add(tx, 'left', 5);
      return getValue(tx, 'left');
    });
    expect(seen).toBe(1005);
  });

  test('a savepoint rolls back a part of a transaction', async () => {
    const { db } = await open(effectMigrations);
    const tx = await db.startTransaction().execute();
    await noteEffect(tx, 'kept');
    const inner = await tx.savepoint('inner').execute();
    await noteEffect(inner, 'taken back');
    await inner.rollbackToSavepoint('inner').execute();
    await noteEffect(tx, 'kept too');
    await tx.commit().execute();
    expect(await listEffects(db)).toEqual(['kept', 'kept too']);
  });

  test('a failed commit leaves nothing behind, and the next transaction succeeds', async () => {
    const { db } = await open([
      ...effectMigrations,
      {
        name: 'V9.1 a reference checked at commit',
        statements: types => [
          `create table child (id ${types.key}, counter text not null references counter (name) deferrable initially deferred) ${types.strict}`,
        ],
      },
    ]);
    const rejected = () =>
      db.transaction().execute(async tx => {
        await noteEffect(tx, 'lost');
        await sql`insert into child (counter) values ('nobody')`.execute(tx);
      });
    const results = await Promise.allSettled([rejected(), moveOne(db, engine), rejected(), moveOne(db, engine)]);
    expect(results.map(result => result.status)).toEqual(['rejected', 'fulfilled', 'rejected', 'fulfilled']);
    expect(await listEffects(db)).toEqual([]);
    expect(await getValue(db, 'left')).toBe(998);
  });

  test('numbers are exact up to 2^53 - 1, and larger ones are rejected', async () => {
    const { db } = await open(effectMigrations);
    const set = (text: string) => sql`update counter set value = ${sql.raw(text)} where name = 'left'`.execute(db);
    await db.updateTable('counter').set({ value: Number.MAX_SAFE_INTEGER }).where('name', '=', 'left').execute();
    expect(await getValue(db, 'left')).toBe(9007199254740991);
    await set('-9007199254740991');
    expect(await getValue(db, 'left')).toBe(-9007199254740991);
    await set('9007199254740993');
    await expect(getValue(db, 'left')).rejects.toThrow(RangeError);
    await set('1001');
    const { rows } = await sql`select sum(value) as sum, avg(value) as mean, count(*) as n from counter`.execute(db);
    expect(rows).toEqual([{ sum: 2001, mean: 1000.5, n: 2 }]);
  });

  test('a column accepts only values of its type, and a reference needs an existing row', async () => {
    const { db } = await open([
      ...effectMigrations,
      {
        name: 'V9.1 a reference',
        statements: types => [
          `create table child (id ${types.key}, counter text not null references counter (name)) ${types.strict}`,
        ],
      },
    ]);
    await expect(sql`update counter set value = 'many'`.execute(db)).rejects.toThrow();
    await expect(sql`insert into child (counter) values ('nobody')`.execute(db)).rejects.toThrow();
    await sql`insert into child (counter) values ('left')`.execute(db);
    await expect(sql`delete from counter where name = 'left'`.execute(db)).rejects.toThrow();
  });

  test('a statement that begins with "with" can write', async () => {
    const { db } = await open(effectMigrations);
    await sql`with half as (select 500 as value) update counter set value = (select value from half)`.execute(db);
    const { rows } = await sql`with pair as (select * from counter) select sum(value) as sum from pair`.execute(db);
    expect(rows).toEqual([{ sum: 1000 }]);
  });

  test('ids are never reused', async () => {
    const { db } = await open(effectMigrations);
    const insert = () =>
      db.insertInto('effect').values({ name: 'one', detail: '' }).returning('id').executeTakeFirstOrThrow();
    const first = await insert();
    await db.deleteFrom('effect').execute();
    expect((await insert()).id).toBeGreaterThan(first.id);
  });

  test('listeners are notified only after a commit that announced work, once per kind', async () => {
    const { db, workNotifier } = await open(effectMigrations);
    const rings: string[] = [];
    workNotifier.listen(({ now }) => rings.push(...now));
    await db.transaction().execute(tx => noteEffect(tx, 'no work'));
    const broken = db.transaction().execute(async tx => {
      await announceWork(tx, 'note');
      throw new Error('no');
    });
    await expect(broken).rejects.toThrow('no');
    await db.transaction().execute(tx => noteEffect(tx, 'no work'));
    expect(rings).toEqual([]);
    await db.transaction().execute(async tx => {
      await announceWork(tx, 'note');
      await announceWork(tx, 'event');
      await announceWork(tx, 'note');
      expect(rings).toEqual([]);
    });
    expect(rings).toEqual(['note', 'event']);
  });

  test('a process killed within a transaction leaves only complete pairs, and all that were acknowledged', {
    tags: 'long',
  }, async () => {
    const { db, address } = await open(effectMigrations);
    const child = startChild('pairs.ts', { address, dieInPair: 25 });
    expect(await child.ended).toBe('SIGKILL');
    const effects = await listEffects(db);
    expect(effects).toEqual(range(25).flatMap(pair => [`first half ${pair}`, `second half ${pair}`]));
    await moveOne(db, engine);
  });

  test('a process killed at a random time loses no acknowledged write', { tags: 'long' }, async () => {
    const { db, address } = await open(effectMigrations);
    const child = startChild('pairs.ts', { address, dieInPair: -1 });
    for (const pair of range(30)) expect(await child.next()).toBe(pair);
    await child.kill();
    const effects = await listEffects(db);
    expect(effects.length).toBeGreaterThanOrEqual(60);
    expect(effects).toEqual(range(effects.length / 2).flatMap(pair => [`first half ${pair}`, `second half ${pair}`]));
  });
});

test('the files of the embedded database are readable by their owner only', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'recordproof-mode-'));
  const path = join(folder, 'test.db');
  await using database = await openDisposable(() => openTestDatabase({ kind: 'sqlite', at: path }));
  await migrate(database.db, 'sqlite', effectMigrations, 0);
  const modes = ['', '-wal', '-shm'].map(suffix => statSync(`${path}${suffix}`).mode & 0o777);
  expect(modes).toEqual([0o600, 0o600, 0o600]);
  rmSync(folder, { recursive: true });
});

test('PostgreSQL killed with -9 keeps acknowledged writes, and the server reconnects after a restart', {
  tags: 'long',
}, async () => {
  await using server = await startPostgres();
  const { url } = await server.freshDatabase();
  await using database = await openDisposable(() => openTestDatabase({ kind: 'postgres', at: url }));
  await migrate(database.db, 'postgres', effectMigrations, 0);
  for (const index of range(20)) await database.db.transaction().execute(tx => noteEffect(tx, 'kept', index));
  await server.crash();
  await expect.poll(() => database.probe()).not.toBeNull(); // a backend outlives its postmaster for a short time
  await server.restart();
  expect(await database.probe()).toBeNull();
  expect(await listEffects(database.db)).toEqual(range(20).map(index => `kept ${index}`));
});

async function openDisposable<T extends { close(): Promise<void> }>(open: () => Promise<T>) {
  const opened = await open();
  return { ...opened, [Symbol.asyncDispose]: () => opened.close() };
}
