// The check `content.file-hash`.
import { isSameBytes, toDigest, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { type Check, valueIn } from '../case-file.ts';
import { found, notRun, pass } from '../report.ts';

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
