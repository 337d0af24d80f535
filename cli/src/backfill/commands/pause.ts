import { pauseBackfill } from '@recordproof/shared/api/backfill.ts';
import { changeCommand } from '../change-run.ts';

export default changeCommand({
  endpoint: pauseBackfill,
  summary: 'Hold a run',
  description: 'What is under way is finished; nothing is lost.',
  examples: [{ command: 'admin backfill pause', description: 'The newest run' }],
});
