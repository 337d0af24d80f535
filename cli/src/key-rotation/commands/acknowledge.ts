import { acknowledgeKeyRetirement } from '@recordproof/shared/api/key-rotation.ts';
import { command } from '../../platform/command.ts';
import { confirm } from '../../platform/confirm.ts';
import { yesFlag } from '../flags.ts';
import { policyText } from '../tables.ts';

export default command({
  summary: 'Note that the old key was retired where it is kept',
  description: 'Only once the policy says that it may be. No key is touched: retire it yourself first.',
  examples: [
    { command: 'admin key-rotation acknowledge', description: 'Asks before it does' },
    { command: 'admin key-rotation acknowledge --yes', description: 'For scripts: does not ask' },
  ],
  flags: { yes: yesFlag },
  async run({ flags, context }) {
    const client = await context.session();
    if (!flags.yes)
      await confirm(context, 'Was the old key retired where it is kept? This will be noted.', 'nothing was noted');
    return client.call(acknowledgeKeyRetirement);
  },
  text: policyText,
});
