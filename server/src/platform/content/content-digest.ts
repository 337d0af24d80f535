// SHA-256 of a file over its stored chunks, read back in order; each chunk is verified. Files of this machine are read
// by a worker thread, other objects are streamed through this one.
import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { openThreads, type ThreadCode } from '@recordproof/shared/node/threads.ts';
import { openChunk } from '../crypto/content-suite.ts';
import { type ObjectStore, ObjectStoreError } from '../objects/object-store.ts';
import type { ChunkProof, ContentAnswer, ContentTask } from './content-thread.ts';
import { contentThreadCode } from './content-thread-code.ts';
import { rethrow } from './thread-failure.ts';

export type StoredChunk = {
  readonly key: string;
  readonly size: number;
  /**
   * How the bytes are verified: by their digest, by the imprint taken with it, or by decryption under the file's key.
   */
  readonly proof: ChunkProof;
};

export type ReadChunk = {
  readonly etag: string;
  /** Changes when the file is modified; absent for stores without files. */
  readonly stamp?: string;
};

export type ContentDigest = {
  /**
   * Rejects with ObjectStoreError or ContentError if the chunk is not as expected; the digest must then be started
   * again.
   */
  add(chunk: StoredChunk, signal?: AbortSignal): Promise<ReadChunk>;
  /** Lowercase hex; the digest cannot be used afterwards. */
  finish(): Promise<string>;
  drop(): void;
};

export type ContentReader = AsyncDisposable & {
  /** Whether worker threads are available. They pay off for large files. */
  readonly hasThreads: boolean;
  openDigest(where: 'here' | 'thread'): ContentDigest;
  /** To compare with the stamp of the read; null for stores without files, or if the object is gone. */
  findStamp(key: string): Promise<string | null>;
};

export function openContentReader(objects: ObjectStore, code: ThreadCode = contentThreadCode()): ContentReader {
  const files = objects.files;
  if (files === undefined) return streamingReader(objects);
  const here = streamingReader(objects);
  const threads = openThreads<ContentTask, ContentAnswer>(code, Math.max(1, availableParallelism() - 1));
  let digests = 0;
  return {
    hasThreads: true,
    openDigest(where) {
      if (where === 'here') return here.openDigest(where);
      const lane = threads.openLane();
      digests += 1;
      const digest = digests;
      let isOver = false;
      const close = () => {
        isOver = true;
        lane[Symbol.dispose]();
      };
      return {
        async add({ key, size, proof }, signal) {
          signal?.throwIfAborted();
          // The thread would open a new digest that is never closed.
          if (isOver) throw new Error('this digest has ended');
          const answer = await lane.ask({ kind: 'add', digest, path: files.pathOf(key), size, proof }).catch(rethrow);
          if (answer.kind !== 'read') throw new Error(`the thread answered "${answer.kind}" to another request`);
          return { etag: answer.etag, stamp: answer.stamp };
        },
        async finish() {
          close();
          const answer = await lane.ask({ kind: 'finish', digest });
          if (answer.kind !== 'digest') throw new Error(`the thread answered "${answer.kind}" to another request`);
          return answer.hex;
        },
        drop() {
          close();
          void lane.ask({ kind: 'drop', digest }).catch(() => undefined);
        },
      };
    },
    findStamp: key => files.findStamp(key),
    [Symbol.asyncDispose]: () => threads[Symbol.asyncDispose](),
  };
}

const streamingReader = (objects: ObjectStore): ContentReader => ({
  hasThreads: false,
  openDigest() {
    const whole = createHash('sha256');
    return {
      async add({ key, size, proof }, signal) {
        const expected = 'sha256' in proof ? { sha256: proof.sha256 } : {};
        const read = await objects.get(key, { ...expected, ...(signal && { signal }) });
        if (read.size !== size)
          throw new ObjectStoreError('LENGTH_MISMATCH', `a stored chunk has ${read.size} bytes instead of ${size}`);
        const bytes = 'sealed' in proof ? openChunk(proof.sealed, read.body) : read.body;
        for await (const block of bytes) whole.update(block);
        return { etag: read.etag };
      },
      finish: async () => whole.digest('hex'),
      drop: () => undefined,
    };
  },
  findStamp: async () => null,
  [Symbol.asyncDispose]: async () => undefined,
});
