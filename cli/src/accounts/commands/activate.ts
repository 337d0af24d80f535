import { updateUserStatus } from '@recordproof/shared/api/accounts.ts';
import { command } from '../../platform/command.ts';
import { findUser, reasonFlag, userArgument } from '../find-user.ts';
import { standingNote } from '../tables.ts';

export default command({
  summary: 'Let a suspended account in again',
  examples: [{ command: 'admin users activate alice', description: 'alice can log in' }],
  args: userArgument,
  flags: reasonFlag,
  async run({ flags, args, context }) {
    const client = await context.session();
    const { id } = await findUser(client, args.user);
    const body = { status: 'ACTIVE' as const, ...(flags.reason !== undefined && { reason: flags.reason }) };
    return client.call(updateUserStatus, { params: { id }, body });
  },
  note: standingNote,
});
