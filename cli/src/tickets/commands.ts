// Commands under `tickets`.
import { option, string } from '@oclif/core/flags';
import {
  createTicket,
  getTicket,
  listTickets,
  type TicketStatus,
  ticketCategory,
  ticketPriority,
  ticketStatus,
  ticketTitle,
  updateTicketStatus,
} from '@recordproof/shared/api/tickets.ts';
import { codeOf, namesOf } from '../platform/code-names.ts';
import { command } from '../platform/command.ts';
import type { CommandClass } from '../platform/command-class.ts';
import { getField } from '../platform/fields.ts';
import { getText, textFlag } from '../platform/written-text.ts';
import {
  attachFlag,
  contentField,
  findTicketId,
  listFlags,
  ticketArgument,
  toAttachmentIds,
  toListQuery,
} from './flags.ts';
import { replyArguments, replyFlags, sendReply } from './send-reply.ts';
import { repliesNote, replyPages, stateNote, ticketPages, ticketsTable, ticketText } from './tables.ts';

type Wording = { readonly verb: string; readonly summary: string; readonly description: string };

/** A command that takes an own ticket to another state. */
const changeOwn = (to: TicketStatus, { verb, summary, description }: Wording): CommandClass =>
  command({
    summary,
    description,
    examples: [{ command: `tickets ${verb} TK202601310001`, description: summary }],
    args: ticketArgument,
    async run({ args, context }) {
      const client = await context.session();
      const id = await findTicketId(client, args.ticket, listTickets);
      return client.call(updateTicketStatus, { params: { id }, body: { status: to } });
    },
    note: stateNote,
  });

export const list = command({
  summary: 'List your tickets, the newest first',
  examples: [
    { command: 'tickets list', description: 'The newest twenty' },
    { command: 'tickets list --status confirming', description: 'Those that wait for you' },
  ],
  flags: listFlags,
  run: async ({ flags, context }) => (await context.session()).call(listTickets, { query: toListQuery(flags) }),
  text: ticketsTable,
  note: ticketPages.note,
});

export const info = command({
  summary: 'Read a ticket and its replies',
  description: 'Shows the latest page of replies, the oldest of them first.',
  examples: [
    { command: 'tickets info TK202601310001', description: 'The ticket and its latest twenty replies' },
    { command: 'tickets info TK202601310001 --page 2', description: 'The twenty before them' },
  ],
  args: ticketArgument,
  flags: replyPages.flags,
  async run({ flags, args, context }) {
    const client = await context.session();
    const id = await findTicketId(client, args.ticket, listTickets);
    return client.call(getTicket, { params: { id }, query: replyPages.toQuery(flags) });
  },
  text: ticketText,
  note: repliesNote,
});

export const create = command({
  summary: 'Ask the administrators something',
  examples: [
    { command: 'tickets create', description: 'Asks for title and text' },
    {
      command: 'tickets create --title "Upload fails" --text - --category bug < report.txt',
      description: 'The text from standard input',
    },
  ],
  flags: {
    title: string({ helpValue: '<text>', summary: 'One line, at most 200 letters.' }),
    text: textFlag('At most 10,000 letters; - reads them from a pipe.'),
    category: option({ options: namesOf(ticketCategory), default: 'other', summary: 'The category.' })(),
    priority: option({ options: namesOf(ticketPriority), default: 'medium', summary: 'How urgent it is.' })(),
    attach: attachFlag,
  },
  async run({ flags, context }) {
    const title = await getField(context, flags.title, { name: 'Title', flag: '--title', schema: ticketTitle });
    const content = await getText(context, flags.text, { ...contentField, flag: '--text' });
    const client = await context.session();
    const category = codeOf(ticketCategory, flags.category);
    const priority = codeOf(ticketPriority, flags.priority);
    const attachmentIds = await toAttachmentIds(client, flags.attach);
    return client.call(createTicket, { body: { title, content, category, priority, attachmentIds } });
  },
  text: ({ ticketNo }) => ticketNo,
  note: () => 'See answers of the administrators: recordproof tickets list',
});

export const reply = command({
  summary: 'Reply to a ticket of yours',
  examples: [
    { command: 'tickets reply TK202601310001 "It works now"', description: 'One line' },
    { command: 'tickets reply TK202601310001 - < log.txt', description: 'The text from standard input' },
  ],
  args: replyArguments,
  flags: replyFlags,
  run: ({ flags, args: { ticket, text }, context }) =>
    sendReply(context, listTickets, { ticket, text: text ?? flags.text, attach: flags.attach, isInternal: false }),
  note: () => 'your reply was sent',
});

export const close = changeOwn(ticketStatus.CLOSED, {
  verb: 'close',
  summary: 'Close a ticket of yours, for good',
  description: 'A ticket that waits for you to confirm is confirmed or reopened first.',
});

export const reopen = changeOwn(ticketStatus.PROCESSING, {
  verb: 'reopen',
  summary: 'Say that a ticket of yours is not solved',
  description: 'For tickets that an administrator has set to confirming.',
});

export const confirm = changeOwn(ticketStatus.COMPLETED, {
  verb: 'confirm',
  summary: 'Say that a ticket of yours is solved',
  description: 'For tickets that an administrator has set to confirming.',
});
