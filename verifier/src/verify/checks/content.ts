// The checks `content.*`: the original against what was recorded of it.
import { isSameBytes, toDigest, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { type Check, valueIn } from '../case-file.ts';
import { found, notRun, pass } from '../report.ts';

/** The original, read once and completely, has the recorded digest. */
export const contentOriginal: Check<'content.original'> = {
  id: 'content.original',
  judge({ content, chunks: reading }) {
    if ('problem' in content) return content.problem;
    const chunks = valueIn(reading);
    if (chunks === undefined) return notRun('json.chunk-manifest.json');
    const actual = toDigest(content.value.contentHash);
    const evidence = { expected: chunks.contentHash, actual };
    return actual === chunks.contentHash
      ? pass('The original file has the recorded SHA-256.', evidence)
      : found('CONTENT_HASH_MISMATCH', 'The original file is not the one that was recorded.', evidence);
  },
};

export const contentSize: Check<'content.size'> = {
  id: 'content.size',
  judge(file) {
    const [chunks, content] = [valueIn(file.chunks), valueIn(file.content)];
    if (chunks === undefined || content === undefined) return notRun('content.original');
    const evidence = { expected: chunks.totalSize, actual: content.size };
    return content.size === chunks.totalSize
      ? pass('The original file has the recorded size.', evidence)
      : found('CONTENT_SIZE_MISMATCH', 'The original file has another size than the one recorded.', evidence);
  },
};

/** The entry file.hash, the chunk manifest and the original agree. */
export const contentFileHash: Check<'content.file-hash'> = {
  id: 'content.file-hash',
  judge(file) {
    const [entries, chunks, content] = [valueIn(file.archive), valueIn(file.chunks), valueIn(file.content)];
    if (entries === undefined || chunks === undefined || content === undefined) return notRun('content.original');
    const actual = toDigest(content.contentHash);
    if (!isSameBytes(entries['file.hash'], toUtf8(`${chunks.contentHash}\n`)))
      return found('FILE_HASH_ENTRY_MISMATCH', 'file.hash does not repeat the recorded content hash.');
    if (actual !== chunks.contentHash)
      return found('FILE_HASH_MISMATCH', 'The original file does not have the hash in file.hash.', {
        expected: chunks.contentHash,
        actual,
      });
    return pass('file.hash is the SHA-256 of the original file.', { actual });
  },
};

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
