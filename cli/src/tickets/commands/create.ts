import { option, string } from '@oclif/core/flags';
import { createTicket, ticketCategory, ticketPriority, ticketTitle } from '@recordproof/shared/api/tickets.ts';
import { codeOf, namesOf } from '../../platform/code-names.ts';
import { command } from '../../platform/command.ts';
import { getField } from '../../platform/fields.ts';
import { getText, textFlag } from '../../platform/written-text.ts';
import { attachFlag, contentField, toAttachmentIds } from '../flags.ts';

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
    text: textFlag('At most 10,000 letters; - reads them from a pipe.'),
    category: option({ options: namesOf(ticketCategory), default: 'other', summary: 'What it is about.' })(),
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
  note: () => 'You are told when an administrator answers: recordproof tickets list',
});
