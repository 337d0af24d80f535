// Two copies of one database that begin to write a ledger, or renew, concurrently: in every order of their calls to the
// object store exactly one writes, and the other one is told.
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrations } from '@recordproof/server/compose/features.ts';
import { ensureLog, getLog } from '@recordproof/server/features/chain/ledger/queries.ts';
import { findWriter, WriterFence } from '@recordproof/server/features/chain/ledger/writer-fence.ts';
import { migrate } from '@recordproof/server/platform/db/migrate.ts';
import { type Database, openDatabase } from '@recordproof/server/platform/db/open-db.ts';
import type { ObjectStore } from '@recordproof/server/platform/objects/object-store.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestStore } from '../support/ledgers.ts';

const now = Date.UTC(2026, 0, 31);
const beat = 5;
const first = '11111111-1111-4111-8111-111111111111';
const sides = [0, 1] as const;

const opened = new AsyncDisposableStack();
let databases: Database[] = [];
let store: ObjectStore;

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'recordproof-fence-'));
  opened.defer(() => rmSync(folder, { recursive: true, force: true }));
  store = opened.use(await openTestStore(folder));
  databases = await Promise.all(
    sides.map(async side => {
      const database = await openDatabase({ kind: 'sqlite', path: join(folder, `copy-${side}.db`) });
      opened.defer(() => database.close());
      await migrate(database.db, database.kind, migrations, now);
      await ensureLog(database.db, 'fence', '00');
      return database;
    }),
  );
});
afterAll(() => opened.disposeAsync());

async function writeRecord(identity: string, isReleased: boolean): Promise<void> {
  const renewedAt = new Date(now).toISOString();
  const about = { beat, nonce: first, database: 'of before', identity, renewedAt, isReleased };
  const bytes = Buffer.from(JSON.stringify({ format: 'recordproof-writer', formatVersion: 1, ...about }));
  await store.put('ledger/writer', [bytes], { size: bytes.length });
}

/** Both databases are copies of the one that wrote the record. */
async function restoreCopies(): Promise<void> {
  for (const { db } of databases)
    await db.updateTable('ledger_log').set({ writer_beat: beat, writer_nonce: first, fenced_at: null }).execute();
}

const openFence = (side: number, objects: ObjectStore, isTakeOver = false): WriterFence =>
  new WriterFence({
    db: (databases[side] as Database).db,
    objects,
    clock: { now: () => now },
    database: `copy ${side}`,
    identity: `copy-${side}`,
    isTakeOver,
    recover: () => Promise.reject(new Error('nothing was lost')),
    isAhead: async () => false,
  });

type Work = (objects: ObjectStore) => Promise<unknown>;

/** One call of the store at a time: `order` selects the side, bit by bit. */
async function interleave(works: readonly Work[], order: number): Promise<PromiseSettledResult<unknown>[]> {
  const waiting: ((() => void) | undefined)[] = [];
  const isDone: boolean[] = [];
  let changed = Promise.withResolvers<void>();
  const runs = works.map(async (work, side) => {
    const turn = () =>
      new Promise<void>(resolve => {
        waiting[side] = resolve;
        changed.resolve();
      });
    try {
      return await work(inTurns(store, turn));
    } finally {
      isDone[side] = true;
      changed.resolve();
    }
  });
  const settled = Promise.allSettled(runs);
  for (let step = 0; ; step += 1) {
    for (;;) {
      changed = Promise.withResolvers();
      if (sides.every(side => isDone[side] || waiting[side])) break;
      await changed.promise;
    }
    const wanted = (order >> step) & 1;
    const side = waiting[wanted] ? wanted : 1 - wanted;
    const go = waiting[side];
    if (go === undefined) return settled;
    waiting[side] = undefined;
    go();
  }
}

const calls: ReadonlySet<string | symbol> = new Set(['get', 'put', 'create', 'delete']);

const inTurns = (objects: ObjectStore, turn: () => Promise<void>): ObjectStore =>
  new Proxy(objects, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return calls.has(name)
        ? async (...input: unknown[]) => {
            await turn();
            return value.apply(target, input);
          }
        : value.bind(target);
    },
  });

const orders = Array.from({ length: 2 ** 6 }, (_, order) => order);

async function checkOneWriter(settled: readonly PromiseSettledResult<unknown>[], order: number): Promise<void> {
  const winners = sides.filter(side => settled[side]?.status === 'fulfilled');
  expect(winners, `order ${order}`).toHaveLength(1);
  expect(await findWriter(store), `order ${order}`).toMatchObject({ identity: `copy-${winners[0]}`, beat: beat + 1 });
  for (const side of sides.filter(one => one !== winners[0]))
    expect(await getLog((databases[side] as Database).db)).toMatchObject({ writer_beat: beat });
  expect((await Array.fromAsync(store.list('ledger/writers/'))).map(({ key }) => key)).toEqual([]);
}

/** Many short trials, each with synced writes. */
const patience = { timeout: 300_000 };

test('of two servers that start on two copies concurrently exactly one starts', {
  ...patience,
  tags: 'long',
}, async () => {
  for (const order of orders) {
    await restoreCopies();
    await writeRecord('of before', true);
    const works = sides.map(
      (side): Work =>
        objects =>
          openFence(side, objects).claim(),
    );
    await checkOneWriter(await interleave(works, order), order);
  }
});

test('a takeover concurrent with a renewal leaves one writer', patience, async () => {
  for (const order of orders) {
    await restoreCopies();
    await writeRecord('copy-0', false);
    const works: Work[] = [objects => openFence(0, objects).renew(), objects => openFence(1, objects, true).claim()];
    await interleave(works, order);
    const problems = await Promise.all(sides.map(side => openFence(side, store).findProblem()));
    expect(
      problems.filter(problem => problem === null),
      `order ${order}: ${problems.join(' | ')}`,
    ).toHaveLength(1);
  }
});
