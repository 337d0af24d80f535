// Arguments and flags of the ticket commands.
import type { Interfaces } from '@oclif/core';
import { string as argument } from '@oclif/core/args';
import { option, string } from '@oclif/core/flags';
import type { Client } from '@recordproof/shared/api/client.ts';
import { recordId } from '@recordproof/shared/api/common.ts';
import * as api from '@recordproof/shared/api/tickets.ts';
import { findFileId } from '../files/find-file.ts';
import { completedBy } from '../platform/arguments.ts';
import { codeOf, namesOf } from '../platform/code-names.ts';
import { CommandError } from '../platform/command-error.ts';
import { parseField } from '../platform/fields.ts';
import { ticketPages } from './tables.ts';

export const ticketArgument = {
  ticket: argument({ required: true, description: 'Number of the ticket (TK…) or its id.', ...completedBy('tickets') }),
};

/** The list that is searched for a ticket number. */
export type Scope = typeof api.listTickets | typeof api.listAllTickets;

export async function findTicketId(client: Client, text: string, scope: Scope): Promise<string> {
  if (!/^tk/i.test(text)) return parseField('Ticket', recordId, text);
  const ticketNo = parseField('Ticket', api.ticketNumber, text.toUpperCase());
  const { records } = await client.call(scope, { query: { keyword: ticketNo } });
  const found = records.find(ticket => ticket.ticketNo === ticketNo);
  if (!found) throw new CommandError('refused', `there is no ticket ${ticketNo}`, { try: 'recordproof tickets list' });
  return found.id;
}

export const listFlags = {
  ...ticketPages.flags,
  status: option({ options: namesOf(api.ticketStatus), summary: 'Only tickets in this state.' })(),
  category: option({ options: namesOf(api.ticketCategory), summary: 'Only tickets of this category.' })(),
  priority: option({ options: namesOf(api.ticketPriority), summary: 'Only tickets as urgent as this.' })(),
  keyword: string({ helpValue: '<text>', summary: 'Part of the title or of the number.' }),
};

export const toListQuery = (flags: Interfaces.InferredFlags<typeof listFlags>) => ({
  ...ticketPages.toQuery(flags),
  ...(flags.status !== undefined && { status: codeOf(api.ticketStatus, flags.status) }),
  ...(flags.category !== undefined && { category: codeOf(api.ticketCategory, flags.category) }),
  ...(flags.priority !== undefined && { priority: codeOf(api.ticketPriority, flags.priority) }),
  ...(flags.keyword !== undefined && { keyword: flags.keyword }),
});

export const attachFlag = string({
  multiple: true,
  helpValue: '<file>',
  summary: `A stored file of yours, by id, record id or name; at most ${api.maxAttachments}. The other side sees its name only.`,
});

export const toAttachmentIds = (client: Client, files: readonly string[] = []): Promise<string[]> =>
  Promise.all(files.map(file => findFileId(client, file)));

export const contentField = {
  name: 'Text',
  flag: 'the text, or - for a pipe',
  schema: api.ticketContent,
  maxLetters: api.maxTicketContent,
};
