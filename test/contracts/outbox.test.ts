import type { Engine } from '@recordproof/server/platform/db/open-db.ts';
import type { Db } from '@recordproof/server/platform/db/tables.ts';
import { jobMigrations } from '@recordproof/server/platform/jobs/migrations.ts';
import { openWorker } from '@recordproof/server/platform/jobs/worker.ts';
import { LocalTransport } from '@recordproof/server/platform/outbox/local-transport.ts';
import { outboxMigrations } from '@recordproof/server/platform/outbox/migrations.ts';
import {
  type Consumer,
  type Event,
  emit,
  type OutboxOptions,
  openOutbox,
  toConsumerGroups,
} from '@recordproof/server/platform/outbox/outbox.ts';
import { reviveExhausted } from '@recordproof/server/platform/outbox/queries.ts';
import { type OutboxEvent, TransportUnavailable } from '@recordproof/server/platform/outbox/transport.ts';
import { silentLog } from '@recordproof/server/platform/telemetry/log.ts';
import { expect, test } from 'vitest';
import { startChild } from '../support/child.ts';
import { movableClock } from '../support/clock.ts';
import { eachDatabase } from '../support/databases.ts';
import { effectMigrations, listEffects, noteEffect } from '../support/effects.ts';

const migrations = [...jobMigrations, ...outboxMigrations, ...effectMigrations];
const day = 24 * 3600 * 1000;

const consumer = (name: string, handle: Consumer['handle'], types: readonly string[] = ['#']): Consumer => ({
  name,
  types,
  handle,
});

const note = (name: string, types?: readonly string[]): Consumer =>
  consumer(name, (tx, event) => noteEffect(tx, name, event.payload.number), types);

async function openServer(db: Db, engine: Engine, consumers: readonly Consumer[], more: Partial<OutboxOptions> = {}) {
  const clock = movableClock();
  const retry = { maxAttempts: 1, firstDelayMs: 1, maxDelayMs: 1 };
  const transport = new LocalTransport({ groups: toConsumerGroups(consumers), retry });
  const options = { db, engine, clock, log: silentLog, transport, consumers, random: () => 0.5, ...more };
  const outbox = await openOutbox(options);
  const { pump, handlers, schedules } = outbox;
  const worker = openWorker({ ...options, handlers, schedules, pumps: [pump] });
  const add = (number: number, type = 'test.numbered', tenantId: number | null = 1) =>
    db.transaction().execute(tx => emit(tx, { type, tenantId, payload: { number } }, clock.now()));
  return { clock, outbox, worker, transport, add };
}

eachDatabase((engine, open) => {
  test('an event happens when and only when its transaction is committed', async () => {
    const { db } = await open(migrations);
    const events: Event[] = [];
    const { worker, add, clock } = await openServer(db, engine, [
      consumer('reader', async (_, event) => void events.push(event)),
    ]);
    const broken = db.transaction().execute(async tx => {
      await emit(tx, { type: 'test.lost', tenantId: 1, payload: {} }, clock.now());
      throw new Error('changed my mind');
    });
    await expect(broken).rejects.toThrow();
    const id = await add(7);
    await add(8, 'test.global', null);
    await worker.drain();
    const told = events.map(({ type, tenantId, payload }) => [type, tenantId, payload]);
    expect(told).toHaveLength(2); // in an order of their own: they are of different tenants
    expect(told).toContainEqual(['test.numbered', 1, { number: 7 }]);
    expect(told).toContainEqual(['test.global', null, { number: 8 }]);
    expect(events.find(event => event.id === id)).toMatchObject({ type: 'test.numbered', createdAt: clock.now() });
    expect(await db.selectFrom('outbox_event').selectAll().execute()).toEqual([]);
  });

  test('every consumer hears what it asked for, and the events of a tenant in their order', async () => {
    const { db } = await open(migrations);
    const { worker, add } = await openServer(db, engine, [note('all'), note('files', ['file.*'])]);
    for (let number = 0; number < 5; number++) await add(number, number % 2 ? 'file.stored' : 'friend.added');
    await worker.drain();
    const effects = await listEffects(db);
    expect(effects.filter(effect => effect.startsWith('all'))).toEqual(['all 0', 'all 1', 'all 2', 'all 3', 'all 4']);
    expect(effects.filter(effect => effect.startsWith('files'))).toEqual(['files 1', 'files 3']);
  });

  test('a burst is handled in few transactions, in its order, and one that fails keeps none of the others back', async () => {
    const { db } = await open(migrations);
    let broken = true;
    const transactions = new Set<unknown>();
    const picky = consumer('picky', async (tx, event) => {
      transactions.add(tx);
      await noteEffect(tx, 'picky', event.payload.number);
      if (broken && event.payload.number === 150) throw new Error('not this one');
    });
    const { worker, outbox, add, clock } = await openServer(db, engine, [picky]);
    const numbers = Array.from({ length: 200 }, (_, number) => number);
    for (const number of numbers) await add(number);
    await worker.drain();
    const others = numbers.filter(number => number !== 150);
    expect(await listEffects(db)).toEqual(others.map(number => `picky ${number}`));
    expect(transactions.size).toBeLessThan(100);
    broken = false;
    clock.advance(1000);
    await worker.drain();
    expect(await listEffects(db)).toEqual([...others, 150].map(number => `picky ${number}`));
    expect(await outbox.counters()).toMatchObject({ pending: 0, failed: 1, published: 200 });
  });

  test('what a consumer wrote before it failed is taken back, and others do not hear the event again', async () => {
    const { db } = await open(migrations);
    let broken = true;
    const fragile = consumer('fragile', async (tx, event) => {
      await noteEffect(tx, 'fragile', event.payload.number);
      if (broken) throw new Error('no');
    });
    const { worker, outbox, add, clock } = await openServer(db, engine, [note('steady'), fragile]);
    await add(1);
    await worker.drain();
    expect(await listEffects(db)).toEqual(['steady 1']);
    expect(await outbox.counters()).toMatchObject({ pending: 1, retrying: 1, failed: 1, published: 0 });
    broken = false;
    clock.advance(1000);
    await worker.drain();
    expect(await listEffects(db)).toEqual(['steady 1', 'fragile 1']);
    expect(await outbox.counters()).toMatchObject({ pending: 0, failed: 1, published: 1 });
  });

  test('an event that arrives twice, even at once, has its effects once', async () => {
    const { db } = await open(migrations);
    const { transport } = await openServer(db, engine, [note('noter')]);
    const event: OutboxEvent = {
      id: 'same',
      type: 'test.twice',
      tenantId: '1',
      payload: { number: 1 },
      createdAt: new Date().toISOString(),
    };
    await Promise.all([transport.publish(event), transport.publish(event)]);
    await transport.publish(event);
    expect(await listEffects(db)).toEqual(['noter 1']);
  });

  test('an event that fails too often is set aside, holds up no other, and can be revived', async () => {
    const { db } = await open(migrations);
    let broken = true;
    const picky = consumer('picky', async (tx, event) => {
      if (broken && event.payload.number === 1) throw new Error('not this one, password=hunter2');
      await noteEffect(tx, 'picky', event.payload.number);
    });
    const { worker, outbox, add, clock } = await openServer(db, engine, [picky], { maxAttempts: 3 });
    await add(1);
    await add(2);
    for (let round = 0; round < 4; round++) {
      await worker.drain();
      clock.advance(60_000);
    }
    expect(await listEffects(db)).toEqual(['picky 2']);
    expect(await outbox.counters()).toMatchObject({ pending: 0, exhausted: 1, published: 1, failed: 3 });
    const row = await db.selectFrom('outbox_event').select('last_error').executeTakeFirst();
    expect(row?.last_error).toContain('not this one');
    expect(row?.last_error).not.toContain('hunter2');
    broken = false;
    expect(await db.transaction().execute(tx => reviveExhausted(tx, clock.now()))).toBe(1);
    await worker.drain();
    expect(await listEffects(db)).toEqual(['picky 2', 'picky 1']);
  });

  test('while the transport is away nothing is given up, and little is tried', async () => {
    const { db } = await open(migrations);
    let away = true;
    let tries = 0;
    const seen: string[] = [];
    const transport: OutboxOptions['transport'] = {
      publish: async event => {
        tries += 1;
        if (away) throw new TransportUnavailable('nobody there');
        seen.push(event.id);
      },
      consume: async () => ({ [Symbol.asyncDispose]: async () => {} }),
    };
    const { worker, outbox, add, clock } = await openServer(db, engine, [], { transport, maxAttempts: 2 });
    for (let number = 0; number < 30; number++) await add(number);
    for (let round = 0; round < 10; round++) {
      await worker.drain();
      clock.advance(10_000);
    }
    expect(tries).toBe(30);
    expect(await outbox.counters()).toMatchObject({ pending: 30, exhausted: 0, failed: 0 });
    away = false;
    await worker.drain();
    expect(new Set(seen).size).toBe(30);
    expect(await outbox.counters()).toMatchObject({ pending: 0, published: 30 });
  });

  test('many publishers share the events: each is published once', async () => {
    const { db, openAgain } = await open(migrations);
    const published: string[] = [];
    const transport: OutboxOptions['transport'] = {
      publish: async event => void published.push(event.id),
      consume: async () => ({ [Symbol.asyncDispose]: async () => {} }),
    };
    const dbs = [db, (await openAgain()).db, (await openAgain()).db];
    const servers = await Promise.all(dbs.map(each => openServer(each, engine, [], { transport })));
    const ids: string[] = [];
    await db.transaction().execute(async tx => {
      for (let number = 0; number < 500; number++) {
        ids.push(await emit(tx, { type: 'test.many', tenantId: number % 7, payload: {} }, 0));
      }
    });
    await Promise.all(servers.map(server => server.worker.drain()));
    expect(published.sort()).toEqual(ids.sort());
  });

  // SQLite has one writer: nothing is committed out of order.
  test.runIf(engine === 'postgres')('an event whose transaction takes long is not passed over', async () => {
    const { db } = await open(migrations);
    const { worker, add, clock } = await openServer(db, engine, [note('noter')]);
    const entered = Promise.withResolvers<void>();
    const leave = Promise.withResolvers<void>();
    const slow = db.transaction().execute(async tx => {
      await emit(tx, { type: 'test.slow', tenantId: 1, payload: { number: 1 } }, clock.now());
      entered.resolve();
      await leave.promise;
    });
    await entered.promise;
    await add(2);
    await worker.drain();
    leave.resolve();
    await slow;
    await worker.drain();
    expect(await listEffects(db)).toEqual(['noter 2', 'noter 1']);
  });

  test('the time from commit to arrival is told', async () => {
    const { db } = await open(migrations);
    const seconds: number[] = [];
    const { worker, add, clock } = await openServer(db, engine, [note('noter')], {
      observeLatency: latency => seconds.push(latency),
    });
    await add(1);
    clock.advance(1500);
    await worker.drain();
    expect(seconds).toEqual([1.5]);
  });

  test('after a week the inbox forgets, but not what may come again', async () => {
    const { db } = await open(migrations);
    let broken = true;
    const fragile = consumer('fragile', async () => {
      if (broken) throw new Error('no');
    });
    const { worker, add, clock } = await openServer(db, engine, [note('steady'), fragile], { maxAttempts: 1 });
    await add(1);
    await worker.drain();
    broken = false;
    await add(2);
    await worker.drain();
    const remembered = () => db.selectFrom('inbox').select('consumer').orderBy('consumer').execute();
    clock.advance(6 * day);
    await worker.drain();
    expect(await remembered()).toHaveLength(3);
    clock.advance(day + 3_600_000);
    await worker.drain();
    expect(await remembered()).toEqual([{ consumer: 'steady' }]);
    await db.transaction().execute(tx => reviveExhausted(tx, clock.now()));
    await worker.drain();
    expect(await listEffects(db)).toEqual(['steady 1', 'steady 2']);
  });

  test('an event carries ids and has a proper type', async () => {
    const { db } = await open(migrations);
    const emitOne = (type: string, text: string) =>
      db.transaction().execute(tx => emit(tx, { type, tenantId: 1, payload: { text } }, 0));
    await expect(emitOne('test.large', 'x'.repeat(65_536))).rejects.toThrow('64 KiB');
    await expect(emitOne('not a type', '')).rejects.toThrow();
  });

  for (const at of [
    'before the commit',
    'before publishing',
    'within the consumer',
    'after the consumer',
    'after publishing',
  ]) {
    test(`killed with -9 ${at}: every acknowledged event has its effects exactly once`, async () => {
      const { db, place } = await open(migrations);
      const child = startChild('outbox.ts', { place, dieIn: 4, at });
      const acknowledged = at === 'before the commit' ? 4 : 10;
      for (let number = 0; number < acknowledged; number++) expect(await child.next()).toBe(number);
      expect(await child.ended).toBe('SIGKILL');
      const { worker, outbox, clock } = await openServer(db, engine, [note('noter')]);
      clock.advance(Date.now() - clock.now() + 120_000);
      await worker.drain();
      const numbers = (await listEffects(db)).map(effect => Number(effect.replace('noter ', ''))).sort();
      expect(numbers).toEqual(Array.from({ length: acknowledged }, (_, number) => number));
      expect(await outbox.counters()).toMatchObject({ pending: 0, exhausted: 0 });
    });
  }
});
