// SHA-256 of a local file, read as a stream: 64 lowercase hex digits.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';

export async function hashFile(path: string, signal?: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  for await (const block of createReadStream(path, { highWaterMark: 256 * 1024 })) {
    signal?.throwIfAborted();
    hash.update(block);
  }
  return hash.digest('hex');
}
