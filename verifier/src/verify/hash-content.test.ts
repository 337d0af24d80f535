// Digests of file and chunks from a stream: any split, the size limit, reuse of blocks.
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nodePlatform } from '../node/node-platform.ts';
import { hashContent, OriginalTooLargeError } from './hash-content.ts';

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const sha = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

async function* inBlocks(content: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let at = 0;
  for (let turn = 0; at < content.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    yield content.slice(at, at + size);
    at += size;
  }
}

const expectedChunks = (content: Uint8Array, chunkSize: number, count: number): string[] =>
  Array.from({ length: count }, (_, i) => content.slice(i * chunkSize, (i + 1) * chunkSize))
    .filter(chunk => chunk.length > 0)
    .map(sha);

test('whole file and chunks have their digests however the stream is split', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ maxLength: 300 }),
      fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: 100 }),
      fc.integer({ min: 1, max: 6 }),
      async (content, blocks, chunkSize, chunkCount) => {
        const plan = { chunkSize, chunkCount, maxBytes: 1000 };
        const digests = await hashContent(inBlocks(content, blocks), plan, nodePlatform);
        expect(digests.size).toBe(content.length);
        expect(hex(digests.contentHash)).toBe(sha(content));
        if (chunkCount > 1)
          expect(digests.chunkHashes.map(hex)).toEqual(expectedChunks(content, chunkSize, chunkCount));
        else expect(digests.chunkHashes.map(hex)).toEqual(content.length <= chunkSize ? [sha(content)] : []);
      },
    ),
  );
});

test('one byte over the limit stops the read', async () => {
  const plan = { chunkSize: 10, chunkCount: 2, maxBytes: 20 };
  await expect(hashContent(inBlocks(new Uint8Array(21), [7]), plan, nodePlatform)).rejects.toThrow(
    OriginalTooLargeError,
  );
  expect((await hashContent(inBlocks(new Uint8Array(20), [7]), plan, nodePlatform)).size).toBe(20);
});

test('a block can be reused as soon as its update has resolved', async () => {
  const content = Uint8Array.from({ length: 100 }, (_, i) => i);
  async function* reusing(): AsyncGenerator<Uint8Array> {
    const block = new Uint8Array(10);
    for (let at = 0; at < content.length; at += 10) {
      block.set(content.subarray(at, at + 10));
      yield block;
    }
  }
  const digests = await hashContent(reusing(), { chunkSize: 25, chunkCount: 4, maxBytes: 100 }, nodePlatform);
  expect(hex(digests.contentHash)).toBe(sha(content));
  expect(digests.chunkHashes.map(hex)).toEqual(expectedChunks(content, 25, 4));
});
