import { resumeKeyRotation } from '@recordproof/shared/api/key-rotation.ts';
import { changeCommand } from '../change-run.ts';

export default changeCommand({
  endpoint: resumeKeyRotation,
  summary: 'Let a run go on where it was',
  examples: [{ command: 'admin key-rotation resume 7', description: 'Run 7' }],
});
