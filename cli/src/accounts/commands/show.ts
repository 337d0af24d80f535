import { command } from '../../platform/command.ts';
import { findUser, userArgument } from '../find-user.ts';
import { userText } from '../tables.ts';

export default command({
  summary: 'Show an account',
  examples: [{ command: 'admin users show alice', description: 'Role, state, address, ids' }],
  args: userArgument,
  run: async ({ args, context }) => findUser(await context.session(), args.user),
  text: userText,
});
