import { boolean } from '@oclif/core/flags';
import { updateUserStatus } from '@recordproof/shared/api/accounts.ts';
import { command } from '../../platform/command.ts';
import { confirm } from '../../platform/confirm.ts';
import { printable } from '../../platform/output.ts';
import { findUser, reasonFlag, userArgument } from '../find-user.ts';
import { standingNote } from '../tables.ts';

export default command({
  summary: 'Shut an account out: its sessions end, and it cannot log in',
  description: 'Its files and shares stay as they are.',
  examples: [
    { command: 'admin users suspend alice --reason "has left"', description: 'Asks' },
    { command: 'admin users suspend alice --yes', description: 'For scripts: does not ask' },
  ],
  args: userArgument,
  flags: { ...reasonFlag, yes: boolean({ char: 'y', summary: 'Do not ask.' }) },
  async run({ flags, args, context }) {
    const client = await context.session();
    const { id, username } = await findUser(client, args.user);
    if (!flags.yes) await confirm(context, `Shut ${printable(username)} out?`, 'nothing was changed');
    const body = { status: 'SUSPENDED' as const, ...(flags.reason !== undefined && { reason: flags.reason }) };
    return client.call(updateUserStatus, { params: { id }, body });
  },
  note: standingNote,
});
