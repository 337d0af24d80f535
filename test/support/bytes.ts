// Bytes for tests: reproducible, not compressible, as streams with odd block borders.
import { createCipheriv, createHash, createSecretKey } from 'node:crypto';

const zeros = Buffer.alloc(64 * 1024);

/** The same seed gives the same bytes, whatever their number. */
export async function* patternStream(
  size: number,
  seed = 1,
  blockBytes = 64 * 1024,
): AsyncGenerator<Buffer, void, void> {
  const key = createSecretKey(createHash('sha256').update(`pattern ${seed}`).digest());
  const cipher = createCipheriv('aes-256-ctr', key, Buffer.alloc(16));
  for (let left = size; left > 0; left -= blockBytes) {
    const wanted = Math.min(left, blockBytes);
    yield cipher.update(wanted <= zeros.length ? zeros.subarray(0, wanted) : Buffer.alloc(wanted));
  }
}

export async function toBytes(source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<Buffer> {
  const blocks: Uint8Array[] = [];
  for await (const block of source) blocks.push(block);
  return Buffer.concat(blocks);
}

export const pattern = (size: number, seed = 1): Promise<Buffer> => toBytes(patternStream(size, seed));

export const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

export async function toList<T>(source: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const entry of source) list.push(entry);
  return list;
}
