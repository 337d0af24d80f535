// A process for tests to kill: puts a stream that stops half-way, reports it, and waits for ever. With "whole" it lets
// the stream end, reads the object back, and reports its peak memory.
import { ObjectStoreError } from '../../server/src/platform/objects/object-store.ts';
import { patternStream } from './bytes.ts';
import { openShared, type SharedOptions } from './object-stores.ts';

const [shared = '', mode = 'half', key = '', size = '0'] = process.argv.slice(2);
const bytes = Number(size);
await using store = await openShared(JSON.parse(shared) as SharedOptions);

async function* half(): AsyncGenerator<Buffer, void, void> {
  yield* patternStream(bytes / 2);
  process.stdout.write('half\n');
  // Keeps the process alive while nothing more comes.
  setInterval(() => undefined, 60_000);
  await new Promise(() => undefined);
}

const stored = await store.put(key, mode === 'whole' ? patternStream(bytes) : half());
const read = await store.digest(key);
if (read.sha256 !== stored.sha256) throw new ObjectStoreError('CORRUPT', 'read back differently');
process.stdout.write(`${JSON.stringify({ peakBytes: process.resourceUsage().maxRSS * 1024, ...read })}\n`);
