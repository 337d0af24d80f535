// Hand-over of file blocks between the thread that reads them and the thread that hashes them: one shared word and a
// step table for each side. The word is `empty`, `closed` or names the block to hash. Each side stores it only while
// the word is the other side's answer: the reader replaces `empty`, the hasher replaces a block. `Atomics.wait` may
// return without a change (a late or spurious wake-up), so `wait` always leads back to `look`. Every step is one atomic
// operation, so that block-handover.test.ts can run the same tables through all their interleavings.

export const empty = 0;
export const closed = -1;

const blockCount = 4; // more than there are, a power of two

/** A positive number for a block and how many of its bytes count. */
export const toWord = (block, length) => length * blockCount + block + 1;
export const fromWord = word => ({ block: (word - 1) % blockCount, length: Math.floor((word - 1) / blockCount) });

/** The reader: hands over one word, which is a block or `closed`, as soon as the word before it was hashed. */
export const handOverSteps = {
  look: { op: 'load', next: seen => (seen > empty ? 'wait' : 'store') },
  wait: { op: 'wait', value: ({ seen }) => seen, next: () => 'look' },
  store: { op: 'store', value: ({ given }) => given, next: () => 'notify' },
  notify: { op: 'notify', next: () => 'end' },
};

/** The hasher: takes one word after the other until `closed`. */
export const takeSteps = {
  look: { op: 'load', next: seen => (seen === empty ? 'wait' : seen === closed ? 'end' : 'hash') },
  wait: { op: 'wait', value: ({ seen }) => seen, next: () => 'look' },
  hash: { op: 'hash', value: ({ seen }) => seen, next: () => 'store' },
  store: { op: 'store', value: () => empty, next: () => 'notify' },
  notify: { op: 'notify', next: () => 'look' },
};

/** Runs one side to its end. `perform` does one operation and returns what a load has read. */
export function runSteps(steps, perform, given = empty) {
  const side = { seen: empty, given };
  for (let at = 'look'; at !== 'end'; ) {
    const { op, value, next } = steps[at];
    const answer = perform(op, value?.(side));
    if (op === 'load') side.seen = answer;
    at = next(side.seen);
  }
}

// Counted, not timed: a process that was suspended loses one attempt, not the whole timeout.
const waitMs = 1000;
const mostWaits = 60;

function waitWhile(memory, word) {
  for (let waits = 0; waits < mostWaits; waits += 1) if (Atomics.wait(memory, 0, word, waitMs) !== 'timed-out') return;
  throw new Error('the hashing thread does not answer');
}

/** The operations on shared memory. The hasher waits for as long as the reader takes. */
export const onMemory =
  (memory, { hash } = {}) =>
  (op, value) => {
    switch (op) {
      case 'load':
        return Atomics.load(memory, 0);
      case 'wait':
        return hash === undefined ? waitWhile(memory, value) : Atomics.wait(memory, 0, value);
      case 'store':
        return Atomics.store(memory, 0, value);
      case 'notify':
        return Atomics.notify(memory, 0);
      case 'hash':
        return hash(value);
    }
  };
