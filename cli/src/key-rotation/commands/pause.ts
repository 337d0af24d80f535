import { pauseKeyRotation } from '@recordproof/shared/api/key-rotation.ts';
import { changeCommand } from '../change-run.ts';

export default changeCommand({
  endpoint: pauseKeyRotation,
  summary: 'Hold a run',
  description: 'The batch that is under way is finished; nothing is lost.',
  examples: [{ command: 'admin key-rotation pause', description: 'The newest run' }],
});
