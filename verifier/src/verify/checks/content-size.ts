import type { Check } from '../case-file.ts';
import { fail, notRun, pass } from '../report.ts';

export const contentSize: Check = {
  id: 'content.size',
  category: 'CONTENT',
  run({ chunks, content }) {
    if (chunks === undefined || content === undefined) return notRun('content.original');
    const evidence = { expected: chunks.totalSize, actual: content.size };
    return content.size === chunks.totalSize
      ? pass('The original file has the recorded size.', evidence)
      : fail('CONTENT_SIZE_MISMATCH', 'The original file has another size than the one recorded.', evidence);
  },
};
