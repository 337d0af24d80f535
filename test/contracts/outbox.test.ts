// Delivery of outbox events: order per tenant, exactly-once effects, dead events, the message broker, killed servers.
import type { Engine } from '@recordproof/server/platform/db/open-db.ts';
import type { Db, Tx } from '@recordproof/server/platform/db/tables.ts';
import { reviveDeadJob } from '@recordproof/server/platform/jobs/dead-jobs.ts';
import { jobMigrations } from '@recordproof/server/platform/jobs/migrations.ts';
import { claimDue } from '@recordproof/server/platform/jobs/queries.ts';
import { openWorker } from '@recordproof/server/platform/jobs/worker.ts';
import { type EventExporter, ExporterUnavailable } from '@recordproof/server/platform/outbox/exporter.ts';
import { type OutboxOptions, openOutbox } from '@recordproof/server/platform/outbox/open-outbox.ts';
import { type Consumer, type Event, emit } from '@recordproof/server/platform/outbox/outbox.ts';
import { silentLog } from '@recordproof/server/platform/telemetry/log.ts';
import { expect, test } from 'vitest';
import { startChild } from '../support/child.ts';
import { movableClock } from '../support/clock.ts';
import { eachDatabase } from '../support/databases.ts';
import { effectMigrations, listEffects, noteEffect } from '../support/effects.ts';
import { listDead } from '../support/job-server.ts';

const migrations = [...jobMigrations, ...effectMigrations];
const numbered = ['test.numbered'];

const consumer = (
  name: string,
  handleOne: (tx: Tx, event: Event) => Promise<void>,
  types: readonly string[] = numbered,
): Consumer => ({
  name,
  types,
  handle: async (tx, events) => {
    for (const event of events) await handleOne(tx, event);
  },
});

const note = (name: string, types?: readonly string[]): Consumer =>
  consumer(name, (tx, event) => noteEffect(tx, name, event.payload.number), types);

function openServer(db: Db, engine: Engine, consumers: readonly Consumer[], more: Partial<OutboxOptions> = {}) {
  const clock = movableClock();
  const options = { db, engine, clock, log: silentLog, consumers, random: () => 0.5, ...more };
  const outbox = openOutbox(options);
  const worker = openWorker({ ...options, handlers: [], setHandlers: outbox.setHandlers });
  const add = (number: number, type = 'test.numbered', tenantId: number | null = 1) =>
    db.transaction().execute(tx => emit(tx, { type, tenantId, payload: { number } }, clock.now()));
  return { clock, outbox, worker, add };
}

/** A consumer that accepts every event unless it is away. */
function openExporter(isAway = () => false) {
  const seen: string[] = [];
  const tries = { count: 0 };
  const exporter: EventExporter = {
    publish: async event => {
      tries.count += 1;
      if (isAway()) throw new ExporterUnavailable('nobody there');
      seen.push(event.type);
    },
    probe: async () => ({ mode: 'rabbitmq', connected: !isAway() }),
    [Symbol.asyncDispose]: async () => {},
  };
  return { exporter, seen, tries };
}

async function reviveAll(db: Db, now: number): Promise<number> {
  const dead = await listDead(db);
  for (const job of dead) await db.transaction().execute(tx => reviveDeadJob(tx, job, now));
  return dead.length;
}

eachDatabase((engine, open) => {
  test('an event is delivered when and only when its transaction is committed', async () => {
    const { db } = await open(migrations);
    const events: Event[] = [];
    const types = [...numbered, 'test.lost', 'test.global'];
    const reader = consumer('reader', async (_, event) => void events.push(event), types);
    const { worker, add, clock } = openServer(db, engine, [reader]);
    const broken = db.transaction().execute(async tx => {
      await emit(tx, { type: 'test.lost', tenantId: 1, payload: {} }, clock.now());
      throw new Error('changed my mind');
    });
    await expect(broken).rejects.toThrow();
    await add(7);
    await add(8, 'test.global', null);
    await worker.drain();
    const told = events.map(({ type, tenantId, payload }) => [type, tenantId, payload]);
    expect(told).toHaveLength(2); // in independent order: they belong to different tenants
    expect(told).toContainEqual(['test.numbered', 1, { number: 7 }]);
    expect(told).toContainEqual(['test.global', null, { number: 8 }]);
    expect(new Set(events.map(({ id }) => id)).size).toBe(2);
    expect(events[0]?.createdAt).toBe(clock.now());
    expect(await db.selectFrom('job').selectAll().execute()).toEqual([]);
  });

  test('every consumer receives the events of its types, and the events of a tenant in order', async () => {
    const { db } = await open(migrations);
    const all = note('all', ['file.stored', 'friend.added']);
    const { worker, add } = openServer(db, engine, [all, note('files', ['file.stored'])]);
    for (let number = 0; number < 5; number++) await add(number, 'file.stored');
    await add(5, 'nobody.listens');
    await worker.drain();
    await add(6, 'friend.added');
    await worker.drain();
    const effects = await listEffects(db);
    const ofAll = effects.filter(effect => effect.startsWith('all'));
    expect(ofAll).toEqual(['all 0', 'all 1', 'all 2', 'all 3', 'all 4', 'all 6']);
    expect(effects.filter(effect => effect.startsWith('files'))).toHaveLength(5);
    expect(await db.selectFrom('job').selectAll().execute()).toEqual([]);
  });

  test('a burst is handled in few transactions, in order; a failing event does not block the others', async () => {
    const { db } = await open(migrations);
    let broken = true;
    const transactions = new Set<unknown>();
    const picky = consumer('picky', async (tx, event) => {
      transactions.add(tx);
      await noteEffect(tx, 'picky', event.payload.number);
      if (broken && event.payload.number === 150) throw new Error('not this one');
    });
    const { worker, outbox, add, clock } = openServer(db, engine, [picky]);
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

  test('the writes of a failed consumer are rolled back, and other consumers get the event once', async () => {
    const { db } = await open(migrations);
    let broken = true;
    const fragile = consumer('fragile', async (tx, event) => {
      await noteEffect(tx, 'fragile', event.payload.number);
      if (broken) throw new Error('no');
    });
    const { worker, outbox, add, clock } = openServer(db, engine, [note('steady'), fragile]);
    await add(1);
    await worker.drain();
    expect(await listEffects(db)).toEqual(['steady 1']);
    expect(await outbox.counters()).toMatchObject({ pending: 1, retrying: 1, failed: 1, published: 1 });
    broken = false;
    clock.advance(1000);
    await worker.drain();
    expect(await listEffects(db)).toEqual(['steady 1', 'fragile 1']);
    expect(await outbox.counters()).toMatchObject({ pending: 0, failed: 1, published: 2 });
  });

  test('an event claimed by two servers in turn has its effects once', async () => {
    const { db, openAgain } = await open(migrations);
    const first = openServer(db, engine, [note('noter')]);
    const second = openServer((await openAgain()).db, engine, [note('noter')]);
    await first.add(1);
    const [handler] = first.outbox.setHandlers;
    const [sleeper] = second.outbox.setHandlers;
    if (!handler || !sleeper) throw new Error('nobody handles events');
    const handlers = new Map([[handler.kind, handler]]);
    const hour = 3_600_000;
    const stale = await claimDue({ db, engine, handlers }, 10, first.clock.now());
    const fresh = await claimDue({ db, engine, handlers }, 10, first.clock.now() + hour);
    expect([stale.length, fresh.length]).toEqual([1, 1]);
    const { signal } = new AbortController();
    await Promise.all([sleeper.runSet(stale, signal), handler.runSet(fresh, signal)]);
    await sleeper.runSet(stale, signal);
    expect(await listEffects(db)).toEqual(['noter 1']);
    expect((await first.outbox.counters()).published).toBe(1);
    expect(await second.outbox.counters()).toMatchObject({ published: 0, failed: 0, pending: 0 });
  });

  test('a stopping server returns events it has not begun immediately, without counting an attempt', async () => {
    const { db } = await open(migrations);
    const { outbox, add, clock } = openServer(db, engine, [note('noter')]);
    await add(1);
    const [handler] = outbox.setHandlers;
    if (!handler) throw new Error('nobody handles events');
    const jobs = await claimDue({ db, engine, handlers: new Map([[handler.kind, handler]]) }, 10, clock.now());
    await handler.runSet(jobs, AbortSignal.abort());
    expect(await listEffects(db)).toEqual([]);
    const row = await db.selectFrom('job').select(['state', 'attempt', 'due_at']).executeTakeFirst();
    expect(row).toEqual({ state: 'WAITING', attempt: 0, due_at: clock.now() });
  });

  test('an event that fails too often is marked dead, blocks no other, and can be revived', async () => {
    const { db } = await open(migrations);
    let broken = true;
    const picky = consumer('picky', async (tx, event) => {
      if (broken && event.payload.number === 1) throw new Error('not this one, password=hunter2');
      await noteEffect(tx, 'picky', event.payload.number);
    });
    const { worker, outbox, add, clock } = openServer(db, engine, [picky], { maxAttempts: 3 });
    await add(1);
    await add(2);
    for (let round = 0; round < 4; round++) {
      await worker.drain();
      clock.advance(60_000);
    }
    expect(await listEffects(db)).toEqual(['picky 2']);
    expect(await outbox.counters()).toMatchObject({ pending: 0, exhausted: 1, published: 1, failed: 3 });
    const [dead] = await listDead(db);
    expect(dead?.last_error).toContain('not this one');
    expect(dead?.last_error).not.toContain('hunter2');
    broken = false;
    expect(await reviveAll(db, clock.now())).toBe(1);
    await worker.drain();
    expect(await listEffects(db)).toEqual(['picky 2', 'picky 1']);
  });

  test('an event whose server dies in each attempt is marked dead', async () => {
    const { db } = await open(migrations);
    const { worker, outbox, add, clock } = openServer(db, engine, [note('noter')], { maxAttempts: 3 });
    await add(1);
    await db.updateTable('job').set({ attempt: 3 }).execute();
    await worker.drain();
    expect(await listEffects(db)).toEqual([]);
    expect(await outbox.counters()).toMatchObject({ exhausted: 1, failed: 1 });
    expect((await listDead(db))[0]?.last_error).toContain('as after a crash of the server');
    await reviveAll(db, clock.now());
    await worker.drain();
    expect(await listEffects(db)).toEqual(['noter 1']);
  });

  test('every event is also published to the broker, in order, and none comes back', async () => {
    const { db } = await open(migrations);
    const { exporter, seen } = openExporter();
    const { worker, outbox, add } = openServer(db, engine, [note('noter')], { exporter });
    const types = Array.from({ length: 100 }, (_, number) => `test.at-${number}`);
    for (const type of types) await add(0, type);
    await add(1);
    await worker.drain();
    expect(seen).toEqual([...types, 'test.numbered']);
    expect(await listEffects(db)).toEqual(['noter 1']);
    expect(await outbox.counters()).toMatchObject({ pending: 0, published: 102, failed: 0 });
  });

  test('while the broker is down local consumers continue, and events wait with few attempts', async () => {
    const { db } = await open(migrations);
    let away = true;
    const { exporter, seen, tries } = openExporter(() => away);
    const { worker, outbox, add, clock } = openServer(db, engine, [note('noter')], { exporter, maxAttempts: 2 });
    const numbers = Array.from({ length: 30 }, (_, number) => number);
    for (const number of numbers) await add(number);
    for (let round = 0; round < 10; round++) {
      await worker.drain();
      clock.advance(10_000);
    }
    expect(await listEffects(db)).toEqual(numbers.map(number => `noter ${number}`));
    expect(tries.count).toBeLessThan(60); // of 300
    expect(await outbox.counters()).toMatchObject({ pending: 30, exhausted: 0, failed: 0, published: 30 });
    away = false;
    await worker.drain();
    expect(seen).toHaveLength(30);
    expect(await outbox.counters()).toMatchObject({ pending: 0, published: 60 });
  });

  test('an event that the broker rejects permanently is marked dead, and the others are published', async () => {
    const { db } = await open(migrations);
    const { exporter, seen } = openExporter();
    const picky: EventExporter = {
      ...exporter,
      publish: async event => {
        if (event.type === 'test.bad') throw new Error('not this one');
        await exporter.publish(event);
      },
    };
    const { worker, outbox, add, clock } = openServer(db, engine, [], { exporter: picky, maxAttempts: 2 });
    for (const type of ['test.bad', 'test.good', 'test.better']) await add(1, type);
    for (let round = 0; round < 3; round++) {
      await worker.drain();
      clock.advance(60_000);
    }
    expect(seen).toEqual(['test.good', 'test.better']);
    expect(await outbox.counters()).toMatchObject({ pending: 0, exhausted: 1, failed: 2, published: 2 });
  });

  test('many servers share the events, and each event is handled once', async () => {
    const { db, openAgain } = await open(migrations);
    const dbs = [db, (await openAgain()).db, (await openAgain()).db];
    const servers = dbs.map(each => openServer(each, engine, [note('noter')]));
    const numbers = Array.from({ length: 500 }, (_, number) => number);
    await db.transaction().execute(async tx => {
      for (const number of numbers)
        await emit(tx, { type: 'test.numbered', tenantId: number % 7, payload: { number } }, 0);
    });
    await Promise.all(servers.map(server => server.worker.drain()));
    expect((await listEffects(db)).sort()).toEqual(numbers.map(number => `noter ${number}`).sort());
  });

  // SQLite has one writer: commits are in order.
  test.runIf(engine === 'postgres')('an event of a long transaction is not skipped', async () => {
    const { db } = await open(migrations);
    const { worker, add, clock } = openServer(db, engine, [note('noter', [...numbered, 'test.slow'])]);
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

  test('the latency from commit to delivery is reported', async () => {
    const { db } = await open(migrations);
    const seconds: number[] = [];
    const { worker, add, clock } = openServer(db, engine, [note('noter')], {
      observeLatency: latency => seconds.push(latency),
    });
    await add(1);
    clock.advance(1500);
    await worker.drain();
    expect(seconds).toEqual([1.5]);
  });

  test('a payload above 64 KiB and a malformed type are rejected', async () => {
    const { db } = await open(migrations);
    const emitOne = (type: string, text: string) =>
      db.transaction().execute(tx => emit(tx, { type, tenantId: 1, payload: { text } }, 0));
    await expect(emitOne('test.large', 'x'.repeat(65_536))).rejects.toThrow('64 KiB');
    await expect(emitOne('not a type', '')).rejects.toThrow();
  });

  for (const at of ['before the commit', 'before the effects', 'within the effects', 'after the effects']) {
    test(`killed with -9 ${at}: every acknowledged event has its effects exactly once`, { tags: 'long' }, async () => {
      const { db, address } = await open(migrations);
      const child = startChild('outbox.ts', { address, dieIn: 4, at });
      const acknowledged = at === 'before the commit' ? 4 : 10;
      for (let number = 0; number < acknowledged; number++) expect(await child.next()).toBe(number);
      expect(await child.ended).toBe('SIGKILL');
      const { worker, outbox, clock } = openServer(db, engine, [note('noter')]);
      clock.advance(Date.now() - clock.now() + 120_000);
      const listNumbers = async () => {
        await worker.drain(); // retries until PostgreSQL has noticed that the holder of the rows is gone
        return (await listEffects(db)).map(effect => Number(effect.replace('noter ', ''))).sort();
      };
      await expect.poll(listNumbers).toEqual(Array.from({ length: acknowledged }, (_, number) => number));
      expect(await outbox.counters()).toMatchObject({ pending: 0, exhausted: 0 });
    });
  }
});
