// Sagas: stored steps, retries, compensation, takeover by another server, retention.
import { LeaseLost } from '@recordproof/server/platform/db/claim.ts';
import { JobReschedule } from '@recordproof/server/platform/jobs/jobs.ts';
import { getSagaState } from '@recordproof/server/platform/saga/queries.ts';
import { defineSaga, SagaAbort, type SagaRun, startSaga } from '@recordproof/server/platform/saga/saga.ts';
import { expect, test } from 'vitest';
import { eachDatabase } from '../support/databases.ts';
import { listEffects } from '../support/effects.ts';
import { sagaTestMigrations as migrations, openServer } from '../support/saga-server.ts';
import { type TransferData, transferSaga } from '../support/transfer-saga.ts';

const day = 24 * 3600 * 1000;

eachDatabase((engine, open) => {
  test('a saga runs its steps in order and stores the data of each', async () => {
    const { db } = await open(migrations);
    const seen: unknown[] = [];
    type Counted = { readonly count: number };
    const step = (name: string) => ({
      name,
      run: async ({ data }: SagaRun<Counted>) => {
        seen.push([name, data.count]);
        return { count: data.count + 1 };
      },
    });
    const saga = defineSaga<Counted>({ kind: 'count', steps: [step('a'), step('b'), step('c')] });
    const { worker, sagas, clock } = openServer(db, engine, transferSaga(db), { sagas: [saga] });
    const { id } = await db
      .transaction()
      .execute(tx => startSaga(tx, saga, { key: 'k', data: { count: 0 }, now: clock.now() }));
    await worker.drain();
    expect(seen).toEqual([
      ['a', 0],
      ['b', 1],
      ['c', 2],
    ]);
    expect(await getSagaState(db, id)).toEqual({
      id,
      status: 'COMPLETED',
      step: null,
      data: { count: 3 },
      lastError: null,
    });
    expect(await sagas.counters()).toEqual({ running: 0, compensating: 0, failed: 0, ended: { COMPLETED: 1 } });
    expect(await db.selectFrom('job').selectAll().execute()).toEqual([]);
  });

  test('repeated starts with one kind and key create one saga', async () => {
    const { db } = await open(migrations);
    const { worker, begin } = openServer(db, engine, transferSaga(db));
    const starts = await Promise.all([begin(), begin(), begin()]);
    expect(starts.filter(start => start.started)).toHaveLength(1);
    expect(new Set(starts.map(start => start.id)).size).toBe(1);
    await worker.drain();
    expect((await begin()).started).toBe(false);
    await worker.drain();
    expect(await listEffects(db)).toEqual(['take', 'carry', 'give']);
  });

  test('a saga exists when and only when its transaction is committed', async () => {
    const { db } = await open(migrations);
    const saga = transferSaga(db);
    const { worker } = openServer(db, engine, saga);
    const broken = db.transaction().execute(async tx => {
      await startSaga(tx, saga, { key: 'lost', data: {}, now: 0 });
      throw new Error('changed my mind');
    });
    await expect(broken).rejects.toThrow();
    await worker.drain();
    expect(await listEffects(db)).toEqual([]);
  });

  test('runNow runs a saga to its end within a request', async () => {
    const { db } = await open(migrations);
    const seconds: number[] = [];
    const { sagas, begin, clock } = openServer(
      db,
      engine,
      transferSaga(db, step => step === 'give' && clock.advance(250)),
      { observeEnd: (_status, duration) => seconds.push(duration) },
    );
    const { id } = await begin();
    const states = await Promise.all([sagas.runNow(id), sagas.runNow(id)]);
    expect(states.map(state => state.status)).toEqual(['COMPLETED', 'COMPLETED']);
    expect(await listEffects(db)).toEqual(['take', 'carry', 'give']);
    expect(seconds).toEqual([0.5]);
    expect((await sagas.runNow(id)).status).toBe('COMPLETED');
  });

  test('runNow waits for another server that runs the saga', async () => {
    const { db, openAgain } = await open(migrations);
    const entered = Promise.withResolvers<void>();
    const leave = Promise.withResolvers<void>();
    const slow = defineSaga<TransferData>({
      kind: 'transfer',
      steps: [
        {
          name: 'wait',
          run: async () => {
            entered.resolve();
            await leave.promise;
          },
        },
      ],
    });
    const first = openServer(db, engine, slow);
    const { id } = await first.begin();
    const draining = first.worker.drain();
    await entered.promise;
    const second = openServer((await openAgain()).db, engine, slow);
    const watching = second.sagas.runNow(id);
    leave.resolve();
    expect((await watching).status).toBe('COMPLETED');
    await draining;
    expect((await second.sagas.counters()).ended).toEqual({});
  });

  test('a failed step is retried after a pause, with the data that was saved before', async () => {
    const { db } = await open(migrations);
    let failures = 2;
    const saga = transferSaga(
      db,
      (step, crashPoint) => {
        if (step === 'carry' && crashPoint === 'after' && failures-- > 0) throw new Error('not now');
      },
      { backoffSeconds: attempt => attempt * 10 },
    );
    const { worker, sagas, begin, clock } = openServer(db, engine, saga);
    const { id } = await begin();
    expect(await sagas.runNow(id)).toMatchObject({ status: 'RUNNING', lastError: 'not now' });
    expect((await sagas.counters()).running).toBe(1);
    clock.advance(9_999);
    await worker.drain();
    expect(failures).toBe(1);
    clock.advance(1);
    await worker.drain();
    clock.advance(20_000);
    await worker.drain();
    expect((await getSagaState(db, id)).status).toBe('COMPLETED');
    expect(await listEffects(db)).toEqual(['take', 'carry', 'give']);
  });

  test('a step without attempts left starts compensation in reverse order', async () => {
    const { db } = await open(migrations);
    const saga = transferSaga(
      db,
      (step, crashPoint) => {
        if (step === 'give' && crashPoint === 'after') throw new Error('no, Bearer hunter2');
      },
      { maxAttempts: 3, backoffSeconds: () => 1 },
    );
    const { worker, sagas, begin, clock } = openServer(db, engine, saga);
    const { id } = await begin();
    for (let round = 0; round < 3; round++) {
      await worker.drain();
      clock.advance(1000);
    }
    expect(await listEffects(db)).toEqual(['take', 'carry', 'give', 'undo give', 'undo carry', 'undo take']);
    expect(await getSagaState(db, id)).toMatchObject({ status: 'FAILED', lastError: 'no, Bearer (cut)' });
    expect(await sagas.counters()).toMatchObject({ running: 0, compensating: 0, failed: 1, ended: { FAILED: 1 } });
  });

  test('a step that aborts starts compensation immediately', async () => {
    const { db } = await open(migrations);
    const saga = transferSaga(db, (step, crashPoint) => {
      if (step === 'carry' && crashPoint === 'before') throw new SagaAbort('the digest differs');
    });
    const { sagas, begin } = openServer(db, engine, saga);
    const { id } = await begin();
    expect(await sagas.runNow(id)).toMatchObject({ status: 'ABORTED', lastError: 'the digest differs' });
    expect(await listEffects(db)).toEqual(['take', 'undo take']);
    expect((await sagas.counters()).failed).toBe(0);
  });

  test('compensation is retried until it succeeds, and is counted as pending', async () => {
    const { db } = await open(migrations);
    let failures = 20;
    const saga = transferSaga(
      db,
      (step, crashPoint) => {
        if (step === 'carry') throw new SagaAbort('refused');
        if (step === 'undo take' && crashPoint === 'before' && failures-- > 0) throw new Error('the store is away');
      },
      { maxAttempts: 2, backoffSeconds: () => 60 },
    );
    const { worker, sagas, begin, clock } = openServer(db, engine, saga);
    const { id } = await begin();
    for (let round = 0; round < 20; round++) {
      await worker.drain();
      expect(await sagas.counters()).toMatchObject({ compensating: 1, failed: 0 });
      clock.advance(60_000);
    }
    await worker.drain();
    expect(await getSagaState(db, id)).toMatchObject({ status: 'ABORTED', lastError: 'refused' });
    expect(await listEffects(db)).toEqual(['take', 'undo take']);
  });

  test('a step may take a day, as the check of a very large file does', async () => {
    const { db } = await open(migrations);
    const { sagas } = openServer(db, engine, transferSaga(db));
    expect(sagas.handlers.find(({ kind }) => kind === 'saga')?.maxSeconds).toBe(24 * 3600);
  });

  test('a postponed step does not use up its attempts', async () => {
    const { db } = await open(migrations);
    let waits = 8;
    const saga = transferSaga(db, step => {
      if (step === 'take' && waits-- > 0) throw new JobReschedule(60);
    });
    const { worker, begin, clock } = openServer(db, engine, saga);
    const { id } = await begin();
    for (let round = 0; round < 9; round++) {
      await worker.drain();
      clock.advance(60_000);
    }
    expect((await getSagaState(db, id)).status).toBe('COMPLETED');
  });

  test('a run that was taken over can no longer write', async () => {
    const { db, openAgain } = await open(migrations);
    const entered = Promise.withResolvers<SagaRun<TransferData>>();
    const leave = Promise.withResolvers<void>();
    const stuck = defineSaga<TransferData>({
      kind: 'transfer',
      steps: [
        {
          name: 'take',
          run: async run => {
            entered.resolve(run);
            await leave.promise;
            return { done: ['too late'] };
          },
        },
      ],
    });
    const first = openServer(db, engine, stuck);
    const { id } = await first.begin();
    const draining = first.worker.drain();
    const old = await entered.promise;
    const quick = defineSaga<TransferData>({
      kind: 'transfer',
      steps: [
        { name: 'take', run: async () => ({ done: ['in time'] }) },
        { name: 'wait', run: async () => Promise.reject(new JobReschedule(3600)) },
      ],
    });
    const second = openServer((await openAgain()).db, engine, quick);
    second.clock.advance(31_000);
    await second.worker.drain();
    await expect(db.transaction().execute(tx => old.save(tx, { done: ['stolen'] }))).rejects.toThrow(LeaseLost);
    leave.resolve();
    await draining;
    expect(await getSagaState(db, id)).toMatchObject({ status: 'RUNNING', data: { done: ['in time'] } });
    expect((await first.sagas.counters()).ended).toEqual({});
  });

  test('data that a step saved in a rolled back transaction is discarded', async () => {
    const { db } = await open(migrations);
    const saga = defineSaga<TransferData>({
      kind: 'transfer',
      steps: [
        {
          name: 'take',
          run: async run => {
            await db
              .transaction()
              .execute(async tx => {
                await run.save(tx, { done: ['never'] });
                throw new Error('taken back');
              })
              .catch(() => {});
            await db.transaction().execute(tx => run.save(tx, { undone: ['kept'] }));
          },
        },
      ],
    });
    const { sagas, begin } = openServer(db, engine, saga);
    expect((await sagas.runNow((await begin()).id)).data).toEqual({ undone: ['kept'] });
  });

  test('a saga whose server dies in every attempt is compensated', async () => {
    const { db } = await open(migrations);
    const { worker, begin, clock } = openServer(db, engine, transferSaga(db));
    const { id } = await begin();
    await db.updateTable('job').set({ state: 'RUNNING', attempt: 10 }).execute();
    clock.advance(31_000);
    await worker.drain();
    expect((await getSagaState(db, id)).status).toBe('FAILED');
    expect(await listEffects(db)).toEqual([]);
  });

  test('a saga of a kind unknown to this version waits for a server that knows it', async () => {
    const { db } = await open(migrations);
    const saga = transferSaga(db);
    const old = openServer(db, engine, saga, { sagas: [] });
    const { id } = await old.begin();
    await old.worker.drain();
    expect((await getSagaState(db, id)).status).toBe('RUNNING');
    const next = openServer(db, engine, saga);
    next.clock.advance(60_000);
    await next.worker.drain();
    expect((await getSagaState(db, id)).status).toBe('COMPLETED');
  });

  test('completed sagas are deleted after a week, failed ones after a month', async () => {
    const { db } = await open(migrations);
    let broken = true;
    const saga = transferSaga(
      db,
      () => {
        if (broken) throw new Error('no');
      },
      { maxAttempts: 1, steps: [{ name: 'only', run: async () => {} }] },
    );
    const failing = { ...saga, steps: [{ name: 'only', run: async () => Promise.reject(new Error('no')) }] };
    const first = openServer(db, engine, failing);
    await first.begin('failed');
    await first.worker.drain();
    broken = false;
    const { worker, begin, clock } = openServer(db, engine, saga);
    await begin('fine');
    await worker.drain();
    const keys = async () => (await db.selectFrom('saga').select('key').orderBy('key').execute()).map(row => row.key);
    expect(await keys()).toEqual(['failed', 'fine']);
    clock.advance(7 * day + 3_600_000);
    await worker.drain();
    expect(await keys()).toEqual(['failed']);
    clock.advance(24 * day);
    await worker.drain();
    expect(await keys()).toEqual([]);
  });
});

test('duplicate step names and a saga without steps are rejected', () => {
  const step = { name: 'a', run: async () => {} };
  expect(() => defineSaga({ kind: 'x', steps: [step, step] })).toThrow('one name');
  expect(() => defineSaga({ kind: 'x', steps: [] })).toThrow('no steps');
});
