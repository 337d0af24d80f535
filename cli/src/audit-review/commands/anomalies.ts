import { checkAnomalies } from '@recordproof/shared/api/audit-review.ts';
import { command } from '../../platform/command.ts';
import { anomaliesText } from '../tables.ts';

export default command({
  summary: 'Look for what is unusual right now',
  examples: [{ command: 'admin audit anomalies', description: 'Too fast, too many failed logins, too many refusals' }],
  run: async ({ context }) => (await context.session()).call(checkAnomalies),
  text: anomaliesText,
});
