// Replies to tickets, shared by user and administrator commands.
import { string as argument } from '@oclif/core/args';
import { replyToTicket, type TicketReply } from '@recordproof/shared/api/tickets.ts';
import type { CommandContext } from '../platform/command-context.ts';
import { getText, textFlag } from '../platform/written-text.ts';
import { attachFlag, contentField, findTicketId, type Scope, ticketArgument, toAttachmentIds } from './flags.ts';

export const replyArguments = {
  ...ticketArgument,
  text: argument({ description: 'At most 10,000 letters; - reads them from a pipe.' }),
};

export const replyFlags = { attach: attachFlag, text: textFlag('The same as the text behind the ticket.') };

type Writing = {
  readonly ticket: string;
  readonly text: string | undefined;
  readonly attach: readonly string[] | undefined;
  readonly isInternal: boolean;
};

export async function sendReply(context: CommandContext, scope: Scope, writing: Writing): Promise<TicketReply> {
  const content = await getText(context, writing.text, contentField);
  const client = await context.session();
  const id = await findTicketId(client, writing.ticket, scope);
  const attachmentIds = await toAttachmentIds(client, writing.attach);
  const { isInternal } = writing;
  return client.call(replyToTicket, { params: { id }, body: { content, attachmentIds, isInternal } });
}
