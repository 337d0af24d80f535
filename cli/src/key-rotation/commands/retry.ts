import { retryKeyRotation } from '@recordproof/shared/api/key-rotation.ts';
import { changeCommand } from '../change-run.ts';

export default changeCommand({
  endpoint: retryKeyRotation,
  summary: 'Take up what failed and may succeed next time',
  description: 'Only for a run that is COMPLETED_WITH_FAILURES. What cannot be retried needs a new run.',
  examples: [{ command: 'admin key-rotation retry', description: 'After the key service is back' }],
});
