// Owns reading a large original so that its whole digest is computed on a second core while this one does the chunks.
// Three shared blocks take turns: one is being read, one is with the chunks, one may still be with the other core.
// Memory does not grow with the file.
import { type FileHandle, open } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import type { IncrementalHash } from '../verify/verifier-platform.ts';

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
  readonly #blocks = [1, 2, 3].map(() => new SharedArrayBuffer(blockBytes));
  readonly #memory = new SharedArrayBuffer(12);
  readonly #control = new Int32Array(this.#memory);
  #worker: Worker | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  async *stream(): AsyncGenerator<Uint8Array> {
    try {
      await using handle = await open(this.#path, 'r');
      const views = this.#blocks.map(block => new Uint8Array(block));
      const read = (turn: number) => readInto(handle, views[turn % views.length]);
      let next = read(0);
      for (let turn = 1; ; turn++) {
        const block = await next;
        if (block.length === 0) return;
        next = read(turn);
        // Whoever stops listening early must not leave a failed read without a listener.
        next.catch(() => {});
        yield block;
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
      // Returns while the block is still being hashed; the third block is what the stream reads into meanwhile.
      update: block => {
        this.#waitUntilIdle();
        this.#control[1] = this.#blocks.findIndex(shared => isSameMemory(shared, block));
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

const isSameMemory = (shared: SharedArrayBuffer, view: Uint8Array): boolean => view.buffer === shared;

async function readInto(handle: FileHandle, view: Uint8Array | undefined): Promise<Uint8Array> {
  if (view === undefined) throw new RangeError('no block to read into');
  const { bytesRead } = await handle.read(view, 0, view.length);
  return view.subarray(0, bytesRead);
}
