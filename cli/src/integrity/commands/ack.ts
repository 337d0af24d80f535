import { acknowledgeIntegrityAlert } from '@recordproof/shared/api/integrity.ts';
import { command } from '../../platform/command.ts';
import { alertArgument, alertText, toAlertParams } from '../tables.ts';

export default command({
  summary: 'Say that you look after an alert',
  examples: [{ command: 'admin integrity ack 12', description: 'It is yours now' }],
  args: alertArgument,
  run: async ({ args, context }) =>
    (await context.session()).call(acknowledgeIntegrityAlert, { params: toAlertParams(args.alert) }),
  text: alertText,
});
