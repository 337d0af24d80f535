// Model test of the list of transfers: every interleaving of user actions, reports of the runner and changes of the
// session.
import { expect, test } from 'vitest';
import type { Outcome } from '../bridge/bridge.ts';
import { openTransfer, type Transfer, type TransferPorts, TransferQueue } from './transfer-queue.ts';

const mostAtOnce = 2;
const failed: Outcome = { kind: 'failed', failure: { code: 'unreachable', message: '' } };
const done: Outcome = { kind: 'done', fileHash: 'f', verified: true, rejected: [] };

/** A task is the number of files of a set. */
function openWorld() {
  const runs = new Map<string, 'started' | 'pause' | 'cancel'>();
  const stored = new Map<string, Transfer<number>>();
  const faults = new Set<string>();
  let hasToken = true;
  const put = async (transfers: readonly Transfer<number>[]) => {
    for (const one of transfers) stored.set(one.id, one);
  };
  const ports: TransferPorts<number> = {
    mostAtOnce,
    mostListed: 10,
    runner: {
      start({ id, state }) {
        if (runs.has(id)) faults.add('a transfer was started twice');
        if (state.kind === 'waiting' && !hasToken) faults.add('a transfer was started without a token');
        runs.set(id, 'started');
      },
      stop: (id, mode) =>
        void (runs.has(id) ? runs.set(id, mode) : faults.add('something was stopped that does not run')),
    },
    storage: {
      add: put,
      change: async one => put([one]),
      remove: async transfers => {
        for (const { id } of transfers) stored.delete(id);
      },
    },
    mayRun: () => hasToken,
    split: (files, rejected) => ({
      rest: files === rejected.length ? null : files - rejected.length,
      apart: rejected.map(() => 1),
    }),
    onChange: () => undefined,
  };
  const transfers = new TransferQueue(ports);
  return {
    ...{ transfers, runs, stored, faults, ports },
    report(id: string, outcome: Outcome) {
      runs.delete(id);
      transfers.end(id, outcome);
    },
    signIn(isSignedIn: boolean) {
      hasToken = isSignedIn;
      transfers.adjust();
    },
    loseRunner() {
      runs.clear();
      transfers.loseRunner();
      transfers.adjust();
    },
    hasToken: () => hasToken,
  };
}

type World = ReturnType<typeof openWorld>;
type Action = { readonly name: string; readonly run: (world: World) => void };

const names = ['a', 'b', 'c'];

function listActions({ transfers, runs, hasToken }: World): Action[] {
  const ofTransfer = transfers.list().flatMap(({ id }): Action[] => [
    { name: `pause ${id}`, run: world => world.transfers.pause(id) },
    { name: `resume ${id}`, run: world => world.transfers.resume(id) },
    { name: `cancel ${id}`, run: world => world.transfers.cancel(id) },
  ]);
  const ofRunner = [...runs].flatMap(([id, mode]): Action[] => {
    const report = (outcome: Outcome) => ({
      name: `${outcome.kind} ${id}`,
      run: (world: World) => world.report(id, outcome),
    });
    // A stop and the end of the work may cross: every outcome is possible after a stop.
    const stopped = { pause: [report({ kind: 'paused' })], cancel: [report({ kind: 'cancelled' })], started: [] };
    return [report(done), report(failed), ...stopped[mode]];
  });
  return [
    ...ofTransfer,
    ...ofRunner,
    { name: 'sign', run: world => world.signIn(!hasToken()) },
    { name: 'lose', run: world => world.loseRunner() },
    { name: 'outage', run: world => world.transfers.retryAfterOutage('ada') },
  ];
}

function judge({ transfers, runs, stored, faults, hasToken }: World): string[] {
  const list = transfers.list();
  const started = [...runs].filter(([, mode]) => mode === 'started').map(([id]) => id);
  const isStartable = (one: Transfer<number>) => one.state.kind === 'waiting' && !runs.has(one.id) && hasToken();
  const isOver = (one: Transfer<number>) => one.state.kind === 'done' || one.state.kind === 'failed';
  const check = (isFault: boolean, fault: string) => (isFault ? [fault] : []);
  const modes = new Map(runs);
  return [
    ...faults,
    ...check(started.length > mostAtOnce, 'too many run'),
    ...check(runs.size < mostAtOnce && list.some(isStartable), 'a slot is free and a transfer waits'),
    ...check(started.length > 0 && !hasToken(), 'a transfer runs without a token'),
    ...check(
      started.some(id => transfers.find(id)?.state.kind !== 'waiting'),
      'a paused or ended transfer runs',
    ),
    ...check(
      list.some(one => isOver(one) && modes.has(one.id)),
      'a transfer is over and runs',
    ),
    ...check(list.length !== stored.size || list.some(one => stored.get(one.id)?.state !== one.state), 'not stored'),
  ];
}

const keyOf = ({ transfers, runs, hasToken }: World): string =>
  JSON.stringify([transfers.list().map(({ id, state }) => [id, state.kind]), [...runs], hasToken()]);

async function replay(path: readonly Action[]): Promise<World> {
  const world = openWorld();
  const transfers = names.map(id => ({ ...openTransfer('ada', 1), id }));
  await world.transfers.add(transfers);
  for (const action of path) action.run(world);
  return world;
}

test('in every order of actions at most two transfers run, none twice, and none waits beside a free slot', async () => {
  const known = new Set<string>();
  let todo: (readonly Action[])[] = [[]];
  const faults: string[] = [];
  while (todo.length > 0 && faults.length === 0) {
    const next: (readonly Action[])[] = [];
    for (const path of todo) {
      const world = await replay(path);
      const key = keyOf(world);
      if (known.has(key)) continue;
      known.add(key);
      faults.push(...judge(world).map(fault => `${fault}: ${path.map(({ name }) => name).join(', ')}`));
      next.push(...listActions(world).map(action => [...path, action]));
    }
    todo = next;
  }
  expect(faults).toEqual([]);
  expect(known.size).toBeGreaterThan(1000);
});

test('a cancelled transfer is removed however its run ends, also after the runner was lost', async () => {
  for (const outcome of [done, failed, { kind: 'paused' }, { kind: 'cancelled' }] as const) {
    const world = await replay([]);
    for (const id of names) world.transfers.cancel(id);
    expect([...world.runs.values()], 'the runner undoes them').toEqual(names.map(() => 'cancel'));
    world.loseRunner();
    for (const id of names) world.report(id, outcome);
    expect([world.transfers.list(), world.stored.size, world.runs.size]).toEqual([[], 0, 0]);
  }
});

test('rejected files of a set become transfers of their own; a set without stored files is removed', async () => {
  const world = openWorld();
  const [some, all] = [openTransfer('ada', 3), openTransfer('ada', 2)];
  await world.transfers.add([some, all]);
  const { failure } = failed as Extract<Outcome, { kind: 'failed' }>;
  const rejecting = (...members: number[]): Outcome => ({
    ...(done as Extract<Outcome, { kind: 'done' }>),
    rejected: members.map(at => ({ at, failure })),
  });
  world.report(some.id, rejecting(1));
  world.report(all.id, rejecting(0, 1));
  const summary = (transfers: Iterable<Transfer<number>>) => [...transfers].map(one => [one.task, one.state.kind]);
  const apart = [1, 'failed'];
  expect(summary(world.transfers.list())).toEqual([[2, 'done'], apart, apart, apart]);
  expect(summary(world.stored.values())).toEqual(summary(world.transfers.list()));
});

test('many transfers that cannot start fail one after the other', async () => {
  const world = openWorld();
  const ids = Array.from({ length: 2500 }, (_, at) => `t${at}`);
  const transfers: TransferQueue<number> = new TransferQueue<number>({
    ...world.ports,
    mostListed: ids.length,
    runner: { start: ({ id }) => transfers.end(id, failed), stop: () => undefined },
  });
  await transfers.add(ids.map(id => ({ ...openTransfer('ada', 1), id })));
  expect(transfers.list().filter(({ state }) => state.kind === 'failed')).toHaveLength(ids.length);
  await expect(transfers.add([openTransfer('ada', 1)])).rejects.toMatchObject({ failure: 'list-full' });
});

test('a closed list keeps its running transfers for the next start', async () => {
  const world = await replay([]);
  world.transfers.close();
  for (const id of [...world.runs.keys()]) world.report(id, { kind: 'paused' });
  expect(world.runs.size).toBe(0);
  expect([...world.stored.values()].map(({ state }) => state.kind)).toEqual(names.map(() => 'waiting'));
});

test('a transfer is shown as done only once it is stored as done', async () => {
  const { ports } = openWorld();
  const { promise: stored, resolve } = Promise.withResolvers<void>();
  const transfers = new TransferQueue<number>({ ...ports, storage: { ...ports.storage, change: () => stored } });
  const one = openTransfer('ada', 1);
  await transfers.add([one]);
  transfers.end(one.id, done);
  const shown = () => transfers.list().map(transfers.shownState);
  expect(shown()).toEqual([{ kind: 'running' }]);
  resolve();
  await expect.poll(shown).toEqual([{ kind: 'done', fileHash: 'f' }]);
});
