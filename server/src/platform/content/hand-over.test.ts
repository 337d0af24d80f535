// The hand-over state machine of chunks: every order of steps, invalid calls, and random interleavings.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HandOver, type HandOverState, step } from './hand-over.ts';

const batches = 3;

/** A caller with so many batches, and a writer that opens a file, reads, and closes it; each may end early. */
type World = {
  readonly state: HandOverState;
  readonly given: number;
  readonly caller: 'giving' | 'broken off' | 'done';
  readonly writer: 'opening' | 'reading' | 'closing' | 'ended';
};

const isWith = ({ state }: World, ...kinds: readonly HandOverState['kind'][]): boolean => kinds.includes(state.kind);

/** What each side may do next, in the steps that intake-thread.ts makes of it. */
function nextWorlds(world: World): World[] {
  const next: World[] = [];
  const { state, given, caller, writer } = world;
  if (caller === 'giving') {
    next.push({ ...world, caller: 'broken off', state: step(state, { kind: 'breakOff' }) });
    if (isWith(world, 'empty') && given < batches) {
      next.push({ ...world, given: given + 1, state: step(state, { kind: 'give', isLast: given + 1 === batches }) });
    }
    if (isWith(world, 'ended')) next.push({ ...world, caller: 'done' });
  }
  if (writer === 'opening') next.push({ ...world, writer: 'reading' });
  if (writer === 'opening' || writer === 'reading') next.push({ ...world, writer: 'closing' }); // the disk fails
  if (writer === 'reading' && isWith(world, 'full', 'taking'))
    next.push({ ...world, state: step(state, { kind: 'pull' }) });
  if (writer === 'reading' && isWith(world, 'broken', 'drained')) next.push({ ...world, writer: 'closing' });
  if (writer === 'closing') next.push({ ...world, writer: 'ended', state: step(state, { kind: 'end' }) });
  return next;
}

test('in every order of steps both sides end, and the writer closes what it opened', () => {
  const seen = new Map<string, World>();
  const open: World[] = [{ state: { kind: 'empty' }, given: 0, caller: 'giving', writer: 'opening' }];
  for (let world = open.pop(); world; world = open.pop()) {
    const name = JSON.stringify(world);
    if (seen.has(name)) continue;
    seen.set(name, world);
    open.push(...nextWorlds(world));
  }
  const stuck = [...seen.values()].filter(world => nextWorlds(world).length === 0);
  expect(
    stuck.every(({ writer, caller, state }) => writer === 'ended' && caller !== 'giving' && state.kind === 'ended'),
  ).toBe(true);
  expect(seen.size).toBeGreaterThan(30);
});

test('a batch given before the previous one was taken, and a pull without a batch, are rejected', () => {
  expect(() => step({ kind: 'full', isLast: false }, { kind: 'give', isLast: true })).toThrow('full cannot give');
  expect(() => step({ kind: 'drained' }, { kind: 'give', isLast: true })).toThrow('drained cannot give');
  expect(() => step({ kind: 'empty' }, { kind: 'pull' })).toThrow('empty cannot pull');
});

type Plan = { readonly give: number; readonly failAt: number };

/** One chunk through a hand-over: `give` batches of two blocks, the last one if all are given, else the caller breaks off. */
async function transfer(scheduler: fc.Scheduler, { give, failAt }: Plan) {
  const handOver = new HandOver();
  const held = { files: 0, bytes: 0, answers: 0 };
  const pause = () => scheduler.schedule(Promise.resolve());
  const write = async () => {
    await pause(); // a file is opened
    held.files += 1;
    try {
      for await (const block of handOver.blocks()) {
        await pause();
        held.bytes += block.length;
        if (held.bytes > failAt) throw new Error('the disk failed');
      }
    } finally {
      await pause();
      held.files -= 1;
    }
    return 'stored';
  };
  const outcome = write()
    .finally(() => handOver.end())
    .catch((error: Error) => error.message);
  for (let batch = 1; batch <= give; batch += 1) {
    const giving = handOver.give([new Uint8Array(1), new Uint8Array(1)], batch === batches);
    giving.then(() => {
      held.answers += 1;
    });
    if (batch < give) await giving; // the last one may be on its way when the caller breaks off
    await pause();
  }
  if (give < batches) handOver.breakOff();
  return { held, outcome: await outcome };
}

test('over random interleavings no chunk hangs, every batch is answered and every file is closed', {
  tags: 'long',
}, async () => {
  const plan = fc.record({ give: fc.nat(batches), failAt: fc.constantFrom(0, 1, 3, 100) });
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.array(plan, { minLength: 1, maxLength: 3 }), async (scheduler, plans) => {
      const ended: { plan: Plan; held: object; outcome: string }[] = [];
      for (const plan of plans) void transfer(scheduler, plan).then(result => ended.push({ plan, ...result }));
      await scheduler.waitIdle();
      expect(ended).toHaveLength(plans.length);
      for (const { plan, held, outcome } of ended) {
        expect(held).toMatchObject({ files: 0, answers: plan.give });
        const mayBe = plan.give < batches ? ['the caller cancelled this transfer'] : ['stored'];
        if (plan.failAt < 2 * plan.give) mayBe.push('the disk failed');
        expect(mayBe).toContain(outcome);
      }
    }),
    { numRuns: 2000 },
  );
});
