import { option, string } from '@oclif/core/flags';
import { accountStatuses, listUsers } from '@recordproof/shared/api/accounts.ts';
import { roles } from '@recordproof/shared/api/auth.ts';
import { command } from '../../platform/command.ts';
import { userPages, usersTable } from '../tables.ts';

export default command({
  summary: 'List the accounts of the tenant, the newest first',
  examples: [
    { command: 'admin users list --role admin', description: 'Who may do all of this' },
    { command: 'admin users list --status SUSPENDED', description: 'Who is shut out' },
  ],
  flags: {
    ...userPages.flags,
    keyword: string({ helpValue: '<text>', summary: 'Part of user name, e-mail or nickname.' }),
    role: option({ options: roles, summary: 'Only accounts with this role.' })(),
    status: option({ options: accountStatuses, summary: 'Only accounts in this state.' })(),
  },
  async run({ flags, context }) {
    const query = {
      ...userPages.toQuery(flags),
      ...(flags.keyword !== undefined && { keyword: flags.keyword }),
      ...(flags.role && { role: flags.role }),
      ...(flags.status && { status: flags.status }),
    };
    return (await context.session()).call(listUsers, { query });
  },
  text: usersTable,
  note: userPages.note,
});
