// A large original whose digest is computed on a second core while this one processes the chunks. Three shared blocks
// rotate: one is being read, one is with the chunks, one may still be on the other core. Memory does not grow with the
// file.
import { type FileHandle, open } from 'node:fs/promises';
import type { Worker } from 'node:worker_threads';
import { startThread, type ThreadCode } from '@recordproof/shared/node/threads.ts';
import type { IncrementalHash } from '../verify/verifier-platform.ts';
import { closed, handOverSteps, onMemory, runSteps, toWord } from './block-handover.mjs';
import { blockHashThreadCode } from './block-hash-thread-code.ts';

const blockBytes = 1024 * 1024;

/** Single use, for both parts: the hash covers only the blocks that the stream yields. */
export class ParallelOriginal {
  readonly #path: string;
  readonly #code: ThreadCode;
  readonly #blocks = [1, 2, 3].map(() => new SharedArrayBuffer(blockBytes));
  readonly #memory = new Int32Array(new SharedArrayBuffer(4));
  #thread: Worker | undefined;
  #isClosed = false;

  constructor(path: string, code = blockHashThreadCode()) {
    this.#path = path;
    this.#code = code;
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
        // After an early exit, a failed read must not be an unhandled rejection.
        next.catch(() => {});
        yield block;
      }
    } finally {
      this.#close();
    }
  }

  newHash(): IncrementalHash {
    const thread = startThread(this.#code, { memory: this.#memory, blocks: this.#blocks });
    this.#thread = thread;
    const digest = new Promise<Uint8Array>((resolve, reject) => {
      thread.once('message', resolve);
      thread.once('error', reject);
      thread.once('exit', () => reject(new Error('the hashing thread ended early')));
    });
    digest.catch(() => {});
    return {
      // Returns while the block is still being hashed; meanwhile the stream reads into the third block.
      update: block => this.#handOver(toWord(this.#indexOf(block), block.length)),
      digest: () => {
        this.#close();
        return digest;
      },
    };
  }

  #handOver(word: number): void {
    try {
      runSteps(handOverSteps, onMemory(this.#memory), word);
    } catch (problem) {
      this.#isClosed = true;
      void this.#thread?.terminate();
      throw problem;
    }
  }

  #indexOf(view: Uint8Array): number {
    const index = this.#blocks.findIndex(shared => isSameMemory(shared, view));
    if (index < 0) throw new RangeError('internal: a block that this stream did not yield was passed to its hash');
    return index;
  }

  #close(): void {
    if (this.#thread === undefined || this.#isClosed) return;
    this.#isClosed = true;
    this.#handOver(closed);
  }
}

const isSameMemory = (shared: SharedArrayBuffer, view: Uint8Array): boolean => view.buffer === shared;

async function readInto(handle: FileHandle, view: Uint8Array | undefined): Promise<Uint8Array> {
  if (view === undefined) throw new RangeError('internal: there is no block to read into');
  const { bytesRead } = await handle.read(view, 0, view.length);
  return view.subarray(0, bytesRead);
}
