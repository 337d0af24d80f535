// Benchmark of sealing and opening chunks, against SHA-256 of the same bytes in the same process and rounds.
// Run: node test/bench/seal.ts [MiB]
import { createHash } from 'node:crypto';
import { type ChunkContext, newFileKey, openChunk, sealChunk } from '../../server/src/platform/crypto/content-suite.ts';
import { inTurns, printFigures } from '../support/bench-figures.ts';
import { pattern } from '../support/bytes.ts';

const mebibyte = 1024 * 1024;
const size = Number(process.argv[2] ?? 256) * mebibyte;
const context: ChunkContext = { ...newFileKey(), tenantId: '1', index: 0, count: 1 };
const source = await pattern(16 * mebibyte);

/** In pieces as a socket delivers them. */
function* blocks(): Generator<Buffer, void, void> {
  for (let sent = 0; sent < size; sent += 64 * 1024)
    yield source.subarray(sent % source.length, (sent % source.length) + 64 * 1024);
}

async function measure(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return size / mebibyte / ((performance.now() - started) / 1000);
}

async function drain(stream: AsyncIterable<Uint8Array>): Promise<number> {
  let bytes = 0;
  for await (const block of stream) bytes += block.length;
  return bytes;
}

const sealed: Buffer[] = [];
for await (const block of sealChunk(context, blocks())) sealed.push(block);

const work = {
  sha256: async () => {
    const hash = createHash('sha256');
    for (const block of blocks()) hash.update(block);
    return hash.digest();
  },
  seal: () => drain(sealChunk(context, blocks())),
  open: () => drain(openChunk(context, sealed)),
};

const { sha256, seal, open } = await inTurns(5, {
  sha256: () => measure(work.sha256),
  seal: () => measure(work.seal),
  open: () => measure(work.open),
});
printFigures(
  `${size / mebibyte} MiB`,
  Object.entries({ seal, open }).map(([name, samples]) => ({ name, unit: 'MiB/s', samples, references: { sha256 } })),
);
