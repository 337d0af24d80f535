// How tickets look on a terminal.
import type { Page } from '@recordproof/shared/api/common.ts';
import {
  type Ticket,
  type TicketAttachment,
  type TicketDetails,
  type TicketReply,
  ticketCategory,
  ticketPriority,
  ticketStatus,
} from '@recordproof/shared/api/tickets.ts';
import { nameOfCode } from '../names.ts';
import { indented, printable, toList, toMinute, toTable } from '../output.ts';
import { pageNoteOf } from '../pages.ts';
import { toSize } from '../transfer/units.ts';

export const ticketsTable = ({ records }: Page<Ticket>): string =>
  toList(
    ['NUMBER', 'STATUS', 'PRIORITY', 'CATEGORY', 'BY', 'HANDLED BY', 'REPLIES', 'UPDATED', 'TITLE'],
    records.map(ticket => [
      ticket.ticketNo,
      nameOfCode(ticketStatus, ticket.status),
      nameOfCode(ticketPriority, ticket.priority),
      nameOfCode(ticketCategory, ticket.category),
      ticket.creatorName,
      ticket.assigneeName ?? '-',
      String(ticket.replyCount),
      toMinute(ticket.updatedAt),
      ticket.title,
    ]),
  );

export const ticketsNote = pageNoteOf('ticket', 'tickets');

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
  const head = toTable([
    ['number', ticket.ticketNo],
    ['id', ticket.id],
    ['title', ticket.title],
    ['status', nameOfCode(ticketStatus, ticket.status)],
    ['priority', nameOfCode(ticketPriority, ticket.priority)],
    ['category', nameOfCode(ticketCategory, ticket.category)],
    ['opened by', ticket.creatorName],
    ['handled by', ticket.assigneeName ?? 'nobody yet'],
    ['opened', ticket.createdAt],
    ['updated', ticket.updatedAt],
  ]);
  const replies = ticket.replies.records.toSorted((a, b) => Number(a.id) - Number(b.id));
  const text = ['', indented(ticket.content), ...attachmentLines(ticket.attachments), ...replies.flatMap(replyLines)];
  return [head, ...text].join('\n');
}

export const repliesNote = ({ replies }: TicketDetails): string => pageNoteOf('reply', 'replies')(replies);
