// Digests of an original on two cores: sizes around the block size, missing files, the size limit.
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { hashContent } from '../verify/hash-content.ts';
import { nodePlatform } from './node-platform.ts';
import { ParallelOriginal } from './parallel-original.ts';

const folder = mkdtempSync(join(tmpdir(), 'original-'));
afterAll(() => rmSync(folder, { recursive: true }));
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

function hashFile(path: string, plan: { chunkSize: number; chunkCount: number; maxBytes: number }) {
  const original = new ParallelOriginal(path);
  return hashContent(original.stream(), plan, { ...nodePlatform, newWholeHash: () => original.newHash() });
}

test.each([0, 1, 1024 * 1024, 1024 * 1024 + 1, 7_654_321])(
  'a file of %i bytes has the same digests on two cores',
  async size => {
    const path = join(folder, String(size));
    const content = Buffer.alloc(size, 'abcdefg');
    writeFileSync(path, content);
    const chunkSize = 1_000_000;
    const digests = await hashFile(path, { chunkSize, chunkCount: 8, maxBytes: size });
    expect(hex(digests.contentHash)).toBe(createHash('sha256').update(content).digest('hex'));
    const chunks = Array.from({ length: Math.ceil(size / chunkSize) }, (_, i) =>
      content.subarray(i * chunkSize, (i + 1) * chunkSize),
    );
    expect(digests.chunkHashes.map(hex)).toEqual(chunks.map(chunk => createHash('sha256').update(chunk).digest('hex')));
  },
);

test('a missing file rejects and leaves no worker behind', async () => {
  await expect(hashFile(join(folder, 'none'), { chunkSize: 1, chunkCount: 2, maxBytes: 1 })).rejects.toThrow();
});

test('a file over the limit rejects during the read and leaves no worker behind', async () => {
  const path = join(folder, 'large');
  writeFileSync(path, Buffer.alloc(5_000_000));
  await expect(hashFile(path, { chunkSize: 1_000_000, chunkCount: 5, maxBytes: 2_000_000 })).rejects.toThrow('larger');
});
