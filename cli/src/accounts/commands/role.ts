import { string as argument } from '@oclif/core/args';
import { boolean } from '@oclif/core/flags';
import { updateUserRole } from '@recordproof/shared/api/accounts.ts';
import { type Role, roles } from '@recordproof/shared/api/auth.ts';
import { command } from '../../platform/command.ts';
import { confirm } from '../../platform/confirm.ts';
import { printable } from '../../platform/output.ts';
import { findUser, reasonFlag, userArgument } from '../find-user.ts';
import { standingNote } from '../tables.ts';

export default command({
  summary: 'Give an account another role; its sessions end',
  description: 'The last administrator of a tenant keeps the role.',
  examples: [
    { command: 'admin users role alice monitor', description: 'Asks, then alice has to log in again' },
    { command: 'admin users role alice admin --yes --reason "on call"', description: 'For scripts: does not ask' },
  ],
  args: {
    ...userArgument,
    role: argument({ required: true, options: [...roles], description: 'What it may do from now on.' }),
  },
  flags: { ...reasonFlag, yes: boolean({ char: 'y', summary: 'Do not ask.' }) },
  async run({ flags, args, context }) {
    const client = await context.session();
    const { id, username, role: before } = await findUser(client, args.user);
    const role = args.role as Role;
    if (!flags.yes)
      await confirm(context, `Make ${printable(username)} ${role} instead of ${before}?`, 'nothing was changed');
    const body = { role, ...(flags.reason !== undefined && { reason: flags.reason }) };
    return client.call(updateUserRole, { params: { id }, body });
  },
  note: standingNote,
});
