// The check `content.original`.
import { toDigest } from '@recordproof/shared/evidence/digest.ts';
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
