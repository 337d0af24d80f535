import { toDigest } from '@recordproof/shared/evidence/digest.ts';
import type { Check } from '../case-file.ts';
import { hashContent, OriginalTooLargeError } from '../hash-content.ts';
import { error, fail, notRun, pass } from '../report.ts';

/** The original, read once and in full, has the digest that was recorded. */
export const contentOriginal: Check = {
  id: 'content.original',
  category: 'CONTENT',
  async run(file) {
    const { chunks, request, platform } = file;
    if (chunks === undefined) return notRun('json.chunk-manifest.json');
    const { chunkSize, chunkCount } = chunks;
    const plan = { chunkSize, chunkCount, maxBytes: request.maxOriginalBytes };
    try {
      file.content = await hashContent(request.original, plan, platform);
    } catch (problem) {
      return problem instanceof OriginalTooLargeError
        ? error('ORIGINAL_TOO_LARGE', 'The original file is larger than this verifier accepts.', {
            limit: plan.maxBytes,
          })
        : error('ORIGINAL_UNREADABLE', 'The original file could not be read to its end.');
    }
    const actual = toDigest(file.content.contentHash);
    const evidence = { expected: chunks.contentHash, actual };
    return actual === chunks.contentHash
      ? pass('The original file has the recorded SHA-256.', evidence)
      : fail('CONTENT_HASH_MISMATCH', 'The original file is not the one that was recorded.', evidence);
  },
};
