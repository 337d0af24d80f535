// The check `content.chunk-hashes`.
import { toDigest } from '@recordproof/shared/evidence/digest.ts';
import { type Check, valueIn } from '../case-file.ts';
import { found, notRun, pass } from '../report.ts';

/** Every chunk of the original has its recorded digest. */
export const contentChunkHashes: Check<'content.chunk-hashes'> = {
  id: 'content.chunk-hashes',
  judge(file) {
    const [chunks, content] = [valueIn(file.chunks), valueIn(file.content)];
    if (chunks === undefined || content === undefined) return notRun('content.original');
    const { chunkHashes } = content;
    if (chunkHashes.length !== chunks.chunks.length)
      return found('CHUNK_COUNT_MISMATCH', 'The original file does not fill the recorded chunks.', {
        expected: chunks.chunks.length,
        actual: chunkHashes.length,
      });
    for (const [index, hash] of chunkHashes.entries()) {
      const expected = chunks.chunks[index]?.plainHash ?? '';
      const actual = toDigest(hash);
      if (actual !== expected)
        return found('CHUNK_HASH_MISMATCH', `Chunk ${index} of the original differs from the record.`, {
          index,
          expected,
          actual,
        });
    }
    return pass('Every chunk of the original has the recorded SHA-256.', { chunks: chunkHashes.length });
  },
};
