// Tables of tickets.
import {
  type Ticket,
  type TicketAttachment,
  type TicketDetails,
  type TicketReply,
  ticketCategory,
  ticketPriority,
  ticketSortFields,
  ticketStatus,
} from '@recordproof/shared/api/tickets.ts';
import { nameOfCode } from '../platform/code-names.ts';
import { indented, printable, toMinute } from '../platform/output.ts';
import { pagesOf } from '../platform/pages.ts';
import { alignRows, extra, name, tableOf, words } from '../platform/table.ts';
import { toSize } from '../platform/units.ts';

export const ticketsTable = tableOf<Ticket>({
  NUMBER: ticket => ticket.ticketNo,
  STATUS: ticket => nameOfCode(ticketStatus, ticket.status),
  PRIORITY: ticket => nameOfCode(ticketPriority, ticket.priority),
  CATEGORY: extra(ticket => nameOfCode(ticketCategory, ticket.category)),
  BY: name(ticket => ticket.creatorName),
  'HANDLED BY': extra(ticket => ticket.assigneeName ?? '-'),
  REPLIES: extra(ticket => String(ticket.replyCount)),
  UPDATED: ticket => toMinute(ticket.updatedAt),
  TITLE: words(ticket => ticket.title),
});

export const ticketPages = pagesOf('ticket', 'tickets', ticketSortFields);
export const replyPages = pagesOf('reply', 'replies', ['createdAt']);

export const stateNote = ({ ticketNo, status }: Ticket): string =>
  `${ticketNo} is ${nameOfCode(ticketStatus, status)} now`;

const attachmentLines = (attachments: readonly TicketAttachment[]): string[] =>
  attachments.map(({ fileId, fileName, fileSize }) => printable(`  [file ${fileId}] ${fileName}, ${toSize(fileSize)}`));

function replyLines(reply: TicketReply): string[] {
  const side = reply.isInternal ? ' (internal)' : reply.fromAdministrator ? ' (administrator)' : '';
  const heading = `${toMinute(reply.createdAt)}  ${printable(reply.authorName)}${side}`;
  return ['', heading, indented(reply.content), ...attachmentLines(reply.attachments)];
}

/** The replies of the page, oldest first. */
export function ticketText(ticket: TicketDetails): string {
  const head = alignRows([
    ['number', ticket.ticketNo],
    ['id', ticket.id],
    ['title', ticket.title],
    ['status', nameOfCode(ticketStatus, ticket.status)],
    ['priority', nameOfCode(ticketPriority, ticket.priority)],
    ['category', nameOfCode(ticketCategory, ticket.category)],
    ['opened by', ticket.creatorName],
    ['handled by', ticket.assigneeName ?? 'not assigned'],
    ['opened', ticket.createdAt],
    ['updated', ticket.updatedAt],
  ]);
  const replies = ticket.replies.records.toSorted((a, b) => Number(a.id) - Number(b.id));
  const text = ['', indented(ticket.content), ...attachmentLines(ticket.attachments), ...replies.flatMap(replyLines)];
  return [head, ...text].join('\n');
}

export const repliesNote = ({ replies }: TicketDetails): string => replyPages.note(replies);
