import { getIntegrityAlert } from '@recordproof/shared/api/integrity.ts';
import { command } from '../../platform/command.ts';
import { alertArgument, alertText, toAlertParams } from '../tables.ts';

export default command({
  summary: 'Show what was found, what became of it and what can be done',
  examples: [{ command: 'admin integrity show 12', description: 'All that is known of alert 12' }],
  args: alertArgument,
  run: async ({ args, context }) =>
    (await context.session()).call(getIntegrityAlert, { params: toAlertParams(args.alert) }),
  text: alertText,
});
