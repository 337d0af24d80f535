// Commands under `admin tickets`.
import { string as argument } from '@oclif/core/args';
import { boolean, string } from '@oclif/core/flags';
import { listUsers } from '@recordproof/shared/api/accounts.ts';
import { me } from '@recordproof/shared/api/auth.ts';
import type { Client } from '@recordproof/shared/api/client.ts';
import {
  assignTicket,
  getTicket,
  listAllTickets,
  ticketStatus,
  updateAnyTicketStatus,
} from '@recordproof/shared/api/tickets.ts';
import { codeOf, namesOf } from '../platform/code-names.ts';
import { command } from '../platform/command.ts';
import { CommandError } from '../platform/command-error.ts';
import { printable } from '../platform/output.ts';
import { findTicketId, listFlags, ticketArgument, toListQuery } from './flags.ts';
import { replyArguments, replyFlags, sendReply } from './send-reply.ts';
import { repliesNote, replyPages, stateNote, ticketPages, ticketsTable, ticketText } from './tables.ts';

export const list = command({
  summary: 'List the tickets of everyone, the newest first',
  examples: [
    { command: 'admin tickets list --status pending', description: 'Tickets without an administrator' },
    { command: 'admin tickets list --sort priority,desc', description: 'The most urgent first' },
  ],
  flags: listFlags,
  run: async ({ flags, context }) => (await context.session()).call(listAllTickets, { query: toListQuery(flags) }),
  text: ticketsTable,
  note: ticketPages.note,
});

export const info = command({
  summary: 'Read a ticket with all its replies, internal ones too',
  examples: [{ command: 'admin tickets info TK202601310001', description: 'The ticket and its latest twenty replies' }],
  args: ticketArgument,
  flags: replyPages.flags,
  async run({ flags, args, context }) {
    const client = await context.session();
    const id = await findTicketId(client, args.ticket, listAllTickets);
    return client.call(getTicket, { params: { id }, query: replyPages.toQuery(flags) });
  },
  text: ticketText,
  note: repliesNote,
});

/** External id of the administrator of this name; without a name, of the caller. */
async function findAssignee(client: Client, name: string | undefined): Promise<string> {
  if (name === undefined) return (await client.call(me)).externalId;
  const query = { keyword: name, role: 'admin', size: 100 } as const;
  const { records } = await client.call(listUsers, { query });
  const found = records.find(user => user.username.toLowerCase() === name.toLowerCase());
  if (!found)
    throw new CommandError('refused', `no administrator has the user name "${printable(name)}"`, {
      try: 'recordproof admin users list --role admin',
    });
  return found.externalId;
}

export const assign = command({
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

export const reply = command({
  summary: 'Reply to a ticket: to its author, or internally among administrators',
  description: 'The first reply takes a pending ticket up; an internal one does not.',
  examples: [
    { command: 'admin tickets reply TK202601310001 "Please try again"', description: 'To its author' },
    { command: 'admin tickets reply TK202601310001 "Same as last week" --internal', description: 'For administrators' },
  ],
  args: replyArguments,
  flags: { ...replyFlags, internal: boolean({ summary: 'Only administrators ever see it.' }) },
  run: ({ flags, args: { ticket, text }, context }) =>
    sendReply(context, listAllTickets, {
      ticket,
      text: text ?? flags.text,
      attach: flags.attach,
      isInternal: flags.internal,
    }),
  note: ({ isInternal }) => (isInternal ? 'your internal reply was kept' : 'your reply was sent'),
});

export const status = command({
  summary: 'Change the state of a ticket',
  description:
    'pending → processing or closed; processing → confirming or closed; confirming → completed or processing; completed → closed.',
  examples: [
    {
      command: 'admin tickets status TK202601310001 confirming',
      description: 'Asks the author whether it is solved',
    },
  ],
  args: {
    ...ticketArgument,
    status: argument({ required: true, options: namesOf(ticketStatus), description: 'The new state.' }),
  },
  async run({ args, context }) {
    const client = await context.session();
    const id = await findTicketId(client, args.ticket, listAllTickets);
    const status = codeOf(ticketStatus, args.status);
    return client.call(updateAnyTicketStatus, { params: { id }, body: { status } });
  },
  note: stateNote,
});
