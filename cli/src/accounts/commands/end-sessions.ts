import { boolean } from '@oclif/core/flags';
import { endUserSessions } from '@recordproof/shared/api/accounts.ts';
import { command } from '../../platform/command.ts';
import { confirm } from '../../platform/confirm.ts';
import { printable } from '../../platform/output.ts';
import { findUser, userArgument } from '../find-user.ts';

export default command({
  summary: 'End every session of an account, on all machines; it may log in again',
  examples: [{ command: 'admin users end-sessions alice', description: 'As after a lost laptop; asks' }],
  args: userArgument,
  flags: { yes: boolean({ char: 'y', summary: 'Do not ask.' }) },
  async run({ flags, args, context }) {
    const client = await context.session();
    const { id, username, externalId } = await findUser(client, args.user);
    if (!flags.yes) await confirm(context, `End every session of ${printable(username)}?`, 'nothing was ended');
    await client.call(endUserSessions, { params: { id } });
    return { username, externalId };
  },
  note: ({ username }) => `${printable(username)} has to log in again everywhere`,
});
