import { boolean, string } from '@oclif/core/flags';
import { resolveIntegrityAlert } from '@recordproof/shared/api/integrity.ts';
import { command } from '../../platform/command.ts';
import { confirm } from '../../platform/confirm.ts';
import { alertArgument, alertText, toAlertParams } from '../tables.ts';

export default command({
  summary: 'Say that an alert is dealt with',
  description: 'Nothing is mended by it: a repair resolves its alert itself. What is still damaged is found again.',
  examples: [
    { command: 'admin integrity resolve 12 --note "restored by hand"', description: 'Asks before it does' },
    { command: 'admin integrity resolve 12 --yes', description: 'For scripts: does not ask' },
  ],
  args: alertArgument,
  flags: {
    note: string({ helpValue: '<text>', default: '', summary: 'Why; at most 512 characters.' }),
    yes: boolean({ char: 'y', summary: 'Do not ask.' }),
  },
  async run({ flags, args, context }) {
    const params = toAlertParams(args.alert);
    const client = await context.session();
    if (!flags.yes) await confirm(context, `Is alert ${params.id} dealt with?`, 'nothing was resolved');
    return client.call(resolveIntegrityAlert, { params, body: { note: flags.note } });
  },
  text: alertText,
});
