import { option, string } from '@oclif/core/flags';
import { createTicket, ticketCategory, ticketPriority, ticketTitle } from '@recordproof/shared/api/tickets.ts';
import { getField } from '../../account.ts';
import { command } from '../../command.ts';
import { codeOf, namesOf } from '../../names.ts';
import { attachFlag, contentField, toAttachmentIds } from '../../tickets/flags.ts';
import { getText } from '../../written-text.ts';

export default command({
  summary: 'Ask the administrators something',
  examples: [
    { command: 'tickets create', description: 'Asks for title and text' },
    {
      command: 'tickets create --title "Upload fails" --text - --category bug < report.txt',
      description: 'The text comes through the pipe',
    },
  ],
  flags: {
    title: string({ helpValue: '<text>', summary: 'One line, at most 200 letters.' }),
    text: string({ helpValue: '<text>', summary: 'At most 10,000 letters; - reads them from a pipe.' }),
    category: option({ options: namesOf(ticketCategory), default: 'other', summary: 'What it is about.' })(),
    priority: option({ options: namesOf(ticketPriority), default: 'medium', summary: 'How urgent it is.' })(),
    attach: attachFlag,
  },
  async run({ flags, program }) {
    const title = await getField(program, flags.title, { name: 'Title', flag: '--title', schema: ticketTitle });
    const content = await getText(program, flags.text, { ...contentField, flag: '--text' });
    const client = await program.session();
    const category = codeOf(ticketCategory, flags.category);
    const priority = codeOf(ticketPriority, flags.priority);
    const attachmentIds = await toAttachmentIds(client, flags.attach);
    return client.call(createTicket, { body: { title, content, category, priority, attachmentIds } });
  },
  text: ({ ticketNo }) => ticketNo,
  note: () => 'You are told when an administrator answers: recordproof tickets list',
});
