import { command } from '../../platform/command.ts';
import { changePolicy, policyFlags, readPolicy } from '../policy-flags.ts';
import { policyText } from '../tables.ts';

export default command({
  summary: 'Show the policy, or change it',
  description:
    'Without flags it is shown. With flags it is saved as a new version, and what no flag names stays as it is. The key must be the one that wraps new files already. It also says whether the old key may be retired.',
  examples: [
    { command: 'admin key-rotation policy', description: 'What is in force, and may the old key go?' },
    { command: 'admin key-rotation policy --provider local --key-version 2', description: 'Move all under version 2' },
    { command: 'admin key-rotation policy --per-minute 6000', description: 'Only another pace' },
  ],
  flags: policyFlags,
  async run({ flags, context }) {
    const client = await context.session();
    return (await changePolicy(client, flags)) ?? (await readPolicy(client));
  },
  text: policyText,
});
