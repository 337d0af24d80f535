// Owns reading a large original so that its whole digest is computed on a second core while this one does the chunks.
// Two shared blocks take turns: one is read into while the other is still being hashed. Memory does not grow.
import { open } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import type { IncrementalHash } from '../verify/platform.ts';

const blockBytes = 1024 * 1024;
// A block takes about a millisecond; this only ends the wait for a worker that died.
const maxWaitMillis = 60_000;
const [idle, busy, closing] = [0, 1, 2];

// Plain text, so that it also works from a single executable, where there is no file to load a worker from.
const workerSource = `
const { workerData, parentPort } = require('node:worker_threads');
const control = new Int32Array(workerData.control);
const blocks = workerData.blocks.map(block => new Uint8Array(block));
const hash = require('node:crypto').createHash('sha256');
for (;;) {
  Atomics.wait(control, 0, ${idle});
  if (Atomics.load(control, 0) === ${closing}) break;
  hash.update(blocks[control[1]].subarray(0, control[2]));
  Atomics.store(control, 0, ${idle});
  Atomics.notify(control, 0);
}
parentPort.postMessage(hash.digest());
`;

/** Use once, and both together: the hash knows only the blocks that the stream yields. */
export class ParallelOriginal {
  readonly #path: string;
  readonly #blocks = [new SharedArrayBuffer(blockBytes), new SharedArrayBuffer(blockBytes)];
  readonly #memory = new SharedArrayBuffer(12);
  readonly #control = new Int32Array(this.#memory);
  #worker: Worker | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  async *stream(): AsyncGenerator<Uint8Array> {
    try {
      await using handle = await open(this.#path, 'r');
      for (let turn = 0; ; turn ^= 1) {
        const view = new Uint8Array(this.#blocks[turn] ?? new SharedArrayBuffer(0));
        const { bytesRead } = await handle.read(view, 0, view.length);
        if (bytesRead === 0) return;
        yield view.subarray(0, bytesRead);
      }
    } finally {
      this.#close();
    }
  }

  newHash(): IncrementalHash {
    const workerData = { control: this.#memory, blocks: this.#blocks };
    const worker = new Worker(workerSource, { eval: true, workerData });
    this.#worker = worker;
    const digest = new Promise<Uint8Array>((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
      worker.once('exit', () => reject(new Error('the hashing worker ended early')));
    });
    digest.catch(() => {});
    return {
      // Returns while the block is still being hashed; it is not read into again before the next call has waited.
      update: block => {
        this.#waitUntilIdle();
        this.#control[1] = block.buffer === this.#blocks[0] ? 0 : 1;
        this.#control[2] = block.length;
        this.#signal(busy);
      },
      digest: () => {
        this.#close();
        return digest;
      },
    };
  }

  #waitUntilIdle(): void {
    const outcome = Atomics.wait(this.#control, 0, busy, maxWaitMillis);
    if (outcome === 'timed-out') throw new Error('the hashing worker does not answer');
  }

  #signal(state: number): void {
    Atomics.store(this.#control, 0, state);
    Atomics.notify(this.#control, 0);
  }

  #close(): void {
    if (this.#worker === undefined || Atomics.load(this.#control, 0) === closing) return;
    this.#waitUntilIdle();
    this.#signal(closing);
  }
}
