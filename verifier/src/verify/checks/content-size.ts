// The check `content.size`.
import { type Check, valueIn } from '../case-file.ts';
import { found, notRun, pass } from '../report.ts';

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
