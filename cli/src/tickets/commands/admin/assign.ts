import { string } from '@oclif/core/flags';
import { listUsers } from '@recordproof/shared/api/accounts.ts';
import { me } from '@recordproof/shared/api/auth.ts';
import type { Client } from '@recordproof/shared/api/client.ts';
import { assignTicket, listAllTickets } from '@recordproof/shared/api/tickets.ts';
import { command } from '../../../platform/command.ts';
import { Fixable } from '../../../platform/fixable.ts';
import { printable } from '../../../platform/output.ts';
import { findTicketId, ticketArgument } from '../../flags.ts';
import { stateNote } from '../../tables.ts';

/** External id of the administrator called so; without a name, of whoever asks. */
async function findAssignee(client: Client, name: string | undefined): Promise<string> {
  if (name === undefined) return (await client.call(me)).externalId;
  const query = { keyword: name, role: 'admin', size: 100 } as const;
  const { records } = await client.call(listUsers, { query });
  const found = records.find(user => user.username.toLowerCase() === name.toLowerCase());
  if (!found) throw new Fixable('refused', `there is no administrator called "${printable(name)}"`);
  return found.externalId;
}

export default command({
  summary: 'Take a ticket up yourself, or give it to another administrator',
  examples: [
    { command: 'admin tickets assign TK202601310001', description: 'It is yours' },
    { command: 'admin tickets assign TK202601310001 --to carol', description: "It is carol's" },
  ],
  args: ticketArgument,
  flags: { to: string({ helpValue: '<name>', summary: 'User name of an administrator.' }) },
  async run({ flags, args, context }) {
    const client = await context.session();
    const id = await findTicketId(client, args.ticket, listAllTickets);
    const assigneeId = await findAssignee(client, flags.to);
    return client.call(assignTicket, { params: { id }, body: { assigneeId } });
  },
  note: ticket => `${stateNote(ticket)}, handled by ${ticket.assigneeName}`,
});
