// Witness protocol: cosigning of growing logs, status per rejection, and state that survives kills and power cuts.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { noteVerifiers, postQuantumSigner, testSigner } from '../../../test/support/note-keys.ts';
import { type MemoryLog, memoryLog } from '../../../test/support/witness-requests.ts';
import { signCosignatureLine, verifyCosignature } from './cosignature.ts';
import { parseUtf8, toHex, toUtf8 } from './digest.ts';
import { addSignatureLines, parseSignedNote } from './signed-note.ts';
import { addCheckpoint, type WitnessAnswer, type WitnessParts } from './witness.ts';
import { FileWitnessStore, parseWitnessState, type StateFile, writeWitnessState } from './witness-state.ts';

const logSigner = testSigner('ED25519', 'ledger.example/log');
const witness = testSigner('COSIGNATURE', 'witness.example');
const log = memoryLog(logSigner);
const fork = memoryLog(logSigner, 1, 3);
const empty = writeWitnessState({ name: witness.name, logs: new Map() });
const start = 1_790_000_000;

function openWitness(more: Partial<WitnessParts> = {}) {
  let content = empty;
  const file: StateFile = {
    read: async () => content,
    write: async written => {
      content = written;
    },
  };
  const clock = { seconds: start };
  const parts: WitnessParts = {
    logs: new Map([[log.origin, [logSigner]]]),
    signers: [witness],
    verifiers: noteVerifiers,
    store: new FileWitnessStore(file),
    nowSeconds: () => clock.seconds,
    ...more,
  };
  const ask = (body: Uint8Array) => addCheckpoint(body, parts);
  return { clock, ask, submit: async (of: MemoryLog, old: number, size: number) => ask(await of.request(old, size)) };
}

const statusOf = (answer: WitnessAnswer) => (answer.kind === 'COSIGNED' ? 200 : answer.status);

test('a witness cosigns a growing log, from empty and in steps of any size', async () => {
  const { submit, clock } = openWitness();
  let old = 0;
  for (const size of [0, 1, 1, 2, 7, 8, 8, 33]) {
    clock.seconds += 1;
    const answer = await submit(log, old, size);
    if (answer.kind !== 'COSIGNED') throw new Error(answer.message);
    const note = parseSignedNote(addSignatureLines(await log.checkpoint(size), answer.lines));
    expect(await verifyCosignature(note, witness, noteVerifiers)).toEqual({
      state: 'VALID',
      timeSeconds: clock.seconds,
    });
    old = size;
  }
});

test('each rejection has the status of the specification', async () => {
  const { submit, ask, clock } = openWitness();
  await submit(log, 0, 5);
  expect(await submit(log, 6, 5)).toMatchObject({ status: 400 });
  expect(await submit(log, 0, 7)).toMatchObject({ status: 409, size: 5 });
  expect(await submit(log, 4, 4)).toMatchObject({ status: 409, size: 5 });
  expect(await submit(fork, 5, 5)).toMatchObject({ status: 409, size: 5, isFork: true });
  expect(await submit(fork, 5, 9)).toMatchObject({ status: 422 });
  expect(await ask(await log.request(5, 9, []))).toMatchObject({ status: 422 });
  expect(await ask(await log.request(5, 5, [log.rootAt(5)]))).toMatchObject({ status: 422 });
  expect(await submit(memoryLog(testSigner('ED25519', 'other.example')), 0, 1)).toMatchObject({ status: 404 });
  const imposter = { ...testSigner('ED25519', 'imposter'), name: log.origin };
  expect(await submit(memoryLog(imposter), 5, 6)).toMatchObject({ status: 403 });
  clock.seconds -= 61;
  expect(await submit(log, 5, 6)).toMatchObject({ status: 503 });
  clock.seconds += 1;
  expect(statusOf(await submit(log, 5, 6))).toBe(200);
});

test('a first request starts at size zero, without a proof', async () => {
  const { submit, ask } = openWitness();
  expect(await submit(log, 3, 7)).toMatchObject({ status: 409, size: 0 });
  expect(await ask(await log.request(0, 7, [log.rootAt(7)]))).toMatchObject({ status: 422 });
});

test('a malformed request is rejected with 400 and a reason', async () => {
  const { ask } = openWitness();
  const good = parseUtf8(await log.request(0, 3));
  for (const bad of [
    '',
    good.replace('old 0', 'old 00'),
    good.replace('old 0', 'old -1'),
    good.replace('old 0', 'old'),
    good.replace('old 0\n', 'old 0\r\n'),
    good.replace('old 0\n', 'old 0\nAAAA\n'),
    good.replace('old 0\n', `old 0\n${`${'A'.repeat(43)}=\n`.repeat(64)}`),
    good.replace('\n3\n', '\n03\n'),
    good.slice(0, -1),
    good + 'x'.repeat(65_536),
  ])
    expect(await ask(toUtf8(bad)), bad.slice(0, 40)).toMatchObject({ status: 400 });
  expect(await ask(Uint8Array.of(0xff))).toMatchObject({ status: 400, message: 'the request is not UTF-8' });
});

test('one wrong signature of a key of the log rejects the whole note; those of others are ignored', async () => {
  const quantum = postQuantumSigner(log.origin);
  const { ask } = openWitness({ logs: new Map([[log.origin, [logSigner, quantum]]]) });
  const good = await log.request(0, 3);
  const wrong = await signCosignatureLine(`${parseUtf8(await log.checkpoint(4)).split('\n\n')[0]}\n`, quantum, start);
  expect(await ask(addSignatureLines(good, wrong))).toMatchObject({ status: 403 });
  const stranger = wrong.replace(log.origin, 'stranger.example');
  expect(statusOf(await ask(addSignatureLines(good, stranger)))).toBe(200);
});

test('a witness with two keys returns two lines, and reports a fork with both trees', async () => {
  const forks: string[] = [];
  const { submit } = openWitness({
    signers: [witness, postQuantumSigner(witness.name)],
    onFork: (first, second) => forks.push(first, second),
  });
  const answer = await submit(log, 0, 4);
  expect(answer.kind === 'COSIGNED' && answer.lines.trimEnd().split('\n').length).toBe(2);
  await submit(fork, 4, 4);
  expect(forks).toEqual(await Promise.all([log, fork].map(async of => parseUtf8(await of.checkpoint(4)))));
});

test('a state file is read as written, and any other form is rejected', () => {
  const logs = new Map([[log.origin, { size: 3, root: log.rootAt(3), timeSeconds: start, note: 'note' }]]);
  const content = writeWitnessState({ name: witness.name, logs });
  expect(parseWitnessState(content)).toEqual({ name: witness.name, logs });
  for (const bad of ['', '{}', content.replace('"size":3', '"size":-3'), content.replace('witness.e', 'w e')])
    expect(() => parseWitnessState(bad)).toThrow();
});

/** A disk whose last write may still be in the cache: a kill leaves the cache, a power cut takes it. */
class Disk {
  cached = empty;
  durable = empty;

  /** The file as one process sees it; after its end nothing of it happens any more. */
  open(steps: fc.Scheduler, failures: Iterator<boolean>): { file: StateFile; end: () => void } {
    let isAlive = true;
    const step = async (name: string) => {
      await steps.schedule(Promise.resolve(), name);
      if (!isAlive) await new Promise<never>(() => {});
      if (failures.next().value === true) throw new Error('the disk failed');
    };
    const file: StateFile = {
      read: async () => {
        await step('read');
        return this.cached;
      },
      write: async content => {
        await step('write');
        this.cached = content;
        await step('sync');
        this.durable = this.cached;
        await step('synced');
      },
    };
    const end = () => {
      isAlive = false;
    };
    return { file, end };
  }

  cutPower(): void {
    this.cached = this.durable;
  }
}

type Event =
  | { kind: 'ask'; branch: 0 | 1; size: number; old: 'latest' | number }
  | { kind: 'kill' | 'power' }
  | { kind: 'run'; steps: number };

/** Everything that waits for no step has happened. */
const settle = () => new Promise(resolve => setImmediate(resolve));

async function run(steps: fc.Scheduler, most: number): Promise<void> {
  for (let done = 0; done < most && steps.count() > 0; done++) {
    await steps.waitNext(1);
    await settle();
  }
}

const size = fc.integer({ min: 0, max: 9 });
const event: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('ask' as const),
      branch: fc.constantFrom(0 as const, 1 as const),
      size,
      old: fc.oneof({ weight: 4, arbitrary: fc.constant('latest' as const) }, { weight: 1, arbitrary: size }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('kill' as const, 'power' as const) }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('run' as const), steps: fc.integer({ min: 1, max: 10 }) }) },
);

test('state that a killed witness left in the system cache is synced before it is cosigned again', async () => {
  let cached = '';
  let durable = empty;
  const file: StateFile = {
    read: async () => cached,
    write: async content => {
      cached = content;
      durable = content;
    },
  };
  const { submit } = openWitness({ store: new FileWitnessStore(file) });
  cached = empty;
  await submit(log, 0, 5);
  const left = cached;
  durable = empty;
  const again = openWitness({ store: new FileWitnessStore(file) });
  expect(statusOf(await again.submit(log, 5, 5))).toBe(200);
  expect(durable).toBe(left);
});

test('no order of requests, failures, kills and power cuts creates contradictory cosignatures', {
  timeout: 300_000,
}, async () => {
  const branches = [log, fork] as const;
  const bodies = new Map<string, Promise<Uint8Array>>();
  const bodyOf = (branch: 0 | 1, old: number, size: number) =>
    bodies.getOrInsertComputed(`${branch} ${old} ${size}`, () => branches[branch].request(old, size));
  const runs = Number(process.env.WITNESS_RUNS ?? 150);
  let cosignatures = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(event, { minLength: 10, maxLength: 60, size: 'max' }),
      fc.scheduler(),
      fc.infiniteStream(fc.integer({ min: 0, max: 49 }).map(n => n === 0)),
      async (events, steps, failures) => {
        const disk = new Disk();
        /** In the order in which they were made, whether or not the answer arrived. */
        const cosigned: { size: number; root: string }[] = [];
        const open = () => {
          const process = disk.open(steps, failures);
          const store = new FileWitnessStore(process.file);
          const parts: WitnessParts = {
            logs: new Map([[log.origin, [logSigner]]]),
            signers: [witness],
            // Ed25519 is not what is looked at here, and slow.
            verifiers: { ed25519: () => true },
            nowSeconds: () => start,
            store: {
              update: async (origin, decide) => {
                const made = await store.update(origin, decide);
                if (made.kind === 'COSIGN') cosigned.push({ size: made.next.size, root: toHex(made.next.root) });
                return made;
              },
            },
          };
          return { ...process, parts };
        };
        let running = open();
        const ask = async ({ branch, size, old }: Extract<Event, { kind: 'ask' }>) => {
          const known = [...parseWitnessState(disk.cached).logs.values()][0]?.size ?? 0;
          const body = await bodyOf(branch, old === 'latest' ? known : old, size);
          void addCheckpoint(body, running.parts).catch(() => undefined);
        };
        for (const one of events) {
          if (one.kind === 'ask') await ask(one);
          else if (one.kind === 'run') await run(steps, one.steps);
          else {
            running.end();
            if (one.kind === 'power') disk.cutPower();
            running = open();
          }
          await settle();
        }
        await run(steps, Number.POSITIVE_INFINITY);
        cosignatures += cosigned.length;
        for (const [at, later] of cosigned.entries()) {
          const earlier = cosigned[at - 1];
          if (earlier !== undefined) expect(later.size).toBeGreaterThanOrEqual(earlier.size);
          const isOn = branches.map(branch =>
            cosigned.slice(0, at + 1).every(one => toHex(branch.rootAt(one.size)) === one.root),
          );
          expect(isOn).toContain(true);
        }
      },
    ),
    { numRuns: runs },
  );
  expect(cosignatures).toBeGreaterThan(runs);
});
