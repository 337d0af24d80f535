import { resumeBackfill } from '@recordproof/shared/api/backfill.ts';
import { changeCommand } from '../change-run.ts';

export default changeCommand({
  endpoint: resumeBackfill,
  summary: 'Let a run go on where it was',
  examples: [{ command: 'admin backfill resume 7', description: 'Run 7' }],
});
