// A model of two threads over one shared word: runs the step tables of a hand-over through every interleaving of their
// operations, with late and spurious wake-ups, and reports errors.
import { closed, empty, type Step, type Steps } from '@recordproof/verifier/node/block-handover.mjs';

type Thread = {
  readonly at: string;
  readonly seen: number;
  /** In `Atomics.wait`, until a notify or, at any time, a spurious wake-up. */
  readonly isAsleep: boolean;
};

type State = {
  readonly word: number;
  readonly reader: Thread;
  readonly hasher: Thread;
  /** The number of words that the reader has handed over. */
  readonly handed: number;
  readonly hashed: readonly number[];
};

export type Protocol = { readonly handOver: Steps; readonly take: Steps; readonly start: string };
type Explored = { readonly states: number; readonly faults: ReadonlySet<string> };

const sides = ['reader', 'hasher'] as const;
type Side = (typeof sides)[number];

const isOver = ({ reader, hasher }: State): boolean => reader.at === 'end' && hasher.at === 'end';

/** The blocks 1 … `blocks`, then `closed`. */
export function exploreHandOver({ handOver, take, start }: Protocol, blocks: number): Explored {
  const words = [...Array.from({ length: blocks }, (_, at) => at + 1), closed];
  const faults = new Set<string>();
  const known = new Set<string>();

  const stepOf = (state: State, side: Side): Step | undefined => (side === 'reader' ? handOver : take)[state[side].at];

  /** Undefined while the side sleeps or has ended. */
  function advance(state: State, side: Side): State | undefined {
    const thread = state[side];
    const step = stepOf(state, side);
    if (step === undefined || thread.isAsleep) return undefined;
    const value = step.value?.({ seen: thread.seen, given: words[state.handed] ?? empty }) ?? empty;
    const read = step.op === 'load' ? state.word : thread.seen;
    const next: State = { ...state, [side]: { at: step.next(read), seen: read, isAsleep: false } };
    switch (step.op) {
      case 'load':
        return next;
      case 'wait':
        return state.word === value ? { ...state, [side]: { ...thread, isAsleep: true } } : next;
      case 'store':
        if (side === 'reader' && state.hashed.length < state.handed) faults.add('a block was overwritten');
        return { ...next, word: value };
      case 'notify':
        return awaken(next, side === 'reader' ? 'hasher' : 'reader');
      case 'hash':
        return { ...next, hashed: [...state.hashed, value] };
    }
  }

  function awaken(state: State, side: Side): State {
    const { seen, isAsleep } = state[side];
    const at = stepOf(state, side)?.next(seen) ?? 'end';
    return isAsleep ? { ...state, [side]: { at, seen, isAsleep: false } } : state;
  }

  /** The reader starts again, with its next word. */
  function beginNext(state: State): State {
    if (state.reader.at !== 'end' || state.handed >= words.length) return state;
    const handed = state.handed + 1;
    return { ...state, handed, reader: { ...state.reader, at: handed < words.length ? start : 'end' } };
  }

  function judge(state: State, ways: number): void {
    const expected = words.slice(0, -1).join();
    if (isOver(state) && state.hashed.join() !== expected) faults.add('the blocks were not hashed once and in order');
    if (ways === 0 && !isOver(state)) faults.add('both wait for ever');
  }

  const thread = { at: start, seen: empty, isAsleep: false };
  const todo: State[] = [{ word: empty, reader: thread, hasher: thread, handed: 0, hashed: [] }];
  for (let state = todo.pop(); state !== undefined; state = todo.pop()) {
    const key = JSON.stringify(state);
    if (known.has(key)) continue;
    known.add(key);
    const current = state;
    const ways = sides.map(side => advance(current, side)).filter(way => way !== undefined);
    judge(current, ways.length);
    // A fault ends a path: the states after it mean nothing.
    if (state.hashed.length > blocks) faults.add('a block was hashed twice');
    else todo.push(...ways.map(beginNext), ...sides.map(side => beginNext(awaken(current, side))));
  }
  return { states: known.size, faults };
}
