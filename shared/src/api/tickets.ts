// Support tickets between users and the administrators of their tenant.
import { z } from 'zod';
import {
  byId,
  codeInQuery,
  externalId,
  isoTime,
  pageOf,
  pageQuery,
  plainText,
  recordId,
  textInLines,
} from './common.ts';
import { endpoint } from './endpoint.ts';

export const ticketStatus = { PENDING: 0, PROCESSING: 1, CONFIRMING: 2, COMPLETED: 3, CLOSED: 4 } as const;
export type TicketStatus = (typeof ticketStatus)[keyof typeof ticketStatus];

export const ticketPriority = { LOW: 0, MEDIUM: 1, HIGH: 2 } as const;
export type TicketPriority = (typeof ticketPriority)[keyof typeof ticketPriority];

export const ticketCategory = { BUG: 0, FEATURE: 1, QUESTION: 2, FEEDBACK: 3, OTHER: 99 } as const;
export type TicketCategory = (typeof ticketCategory)[keyof typeof ticketCategory];

const maxTicketTitle = 200;
export const maxTicketContent = 10_000;
export const maxAttachments = 10;

const status = z.literal(Object.values(ticketStatus)).meta({
  description: '0 PENDING, 1 PROCESSING, 2 CONFIRMING (the creator is asked), 3 COMPLETED, 4 CLOSED',
});
const priority = z.literal(Object.values(ticketPriority)).meta({ description: '0 low, 1 medium, 2 high' });
const category = z.literal(Object.values(ticketCategory)).meta({
  description: '0 bug report, 1 feature request, 2 question, 3 feedback, 99 other',
});

export const ticketNumber = z.string().regex(/^TK[0-9]{12}$/);
export const ticketTitle = plainText(maxTicketTitle);
export const ticketContent = textInLines(maxTicketContent);

/** The maximum has an error code of its own, so it is not in the schema. */
const attachmentIds = z
  .array(recordId)
  .default([])
  .meta({ description: `ids of own files, at most ${maxAttachments}` });

const attachment = z.object({
  fileId: recordId,
  fileName: z.string(),
  fileSize: z.int().min(0),
  contentType: z.string(),
});
export type TicketAttachment = z.infer<typeof attachment>;

export const ticket = z.object({
  id: recordId,
  ticketNo: ticketNumber,
  title: z.string(),
  category,
  priority,
  status,
  creatorName: z.string(),
  assigneeName: z.string().nullable(),
  replyCount: z.int().min(0).meta({ description: 'replies that the caller may see' }),
  createdAt: isoTime,
  updatedAt: isoTime,
});
export type Ticket = z.infer<typeof ticket>;

const ticketReply = z.object({
  id: recordId,
  authorName: z.string(),
  fromAdministrator: z.boolean(),
  isInternal: z.boolean(),
  content: z.string(),
  attachments: z.array(attachment),
  createdAt: isoTime,
});
export type TicketReply = z.infer<typeof ticketReply>;

const ticketDetails = ticket.extend({
  content: z.string(),
  attachments: z.array(attachment),
  replies: pageOf(ticketReply),
});
export type TicketDetails = z.infer<typeof ticketDetails>;

export const ticketSortFields = ['createdAt', 'updatedAt', 'priority'] as const;

const filtered = pageQuery(ticketSortFields).extend({
  status: codeInQuery(status).optional(),
  category: codeInQuery(category).optional(),
  priority: codeInQuery(priority).optional(),
  keyword: plainText(100).optional().meta({ description: 'part of the title or of the ticket number' }),
});

const aboutAttachments =
  'Both sides of a ticket see the names, sizes and types of what is attached; the bytes stay with their owner, who can share them by link.';

const common = { feature: 'tickets', rate: 'other' } as const;

export const createTicket = endpoint('createTicket', {
  ...common,
  route: 'POST /api/v1/tickets',
  summary: 'Open a ticket',
  description: `${aboutAttachments} One person may open 100 tickets a day; a tenant has 9,999 numbers a day (UTC).`,
  access: 'ticket:write',
  body: z.object({
    title: ticketTitle,
    content: ticketContent,
    priority: priority.default(ticketPriority.MEDIUM),
    category: category.default(ticketCategory.OTHER),
    attachmentIds,
  }),
  answer: ticket,
  errors: ['FILE_NOT_EXIST', 'ATTACHMENT_LIMIT_EXCEEDED'],
});

export const listTickets = endpoint('listTickets', {
  ...common,
  route: 'GET /api/v1/tickets',
  summary: 'List own tickets',
  access: 'ticket:read',
  query: filtered,
  answer: pageOf(ticket),
});

export const getTicket = endpoint('getTicket', {
  ...common,
  route: 'GET /api/v1/tickets/{id}',
  summary: 'A ticket with its replies, page by page',
  description: `For its creator and for administrators; only administrators see internal replies. ${aboutAttachments}`,
  access: 'ticket:read',
  params: byId,
  query: pageQuery(['createdAt']),
  answer: ticketDetails,
  errors: ['TICKET_NOT_FOUND'],
});

export const replyToTicket = endpoint('replyToTicket', {
  ...common,
  route: 'POST /api/v1/tickets/{id}/reply',
  summary: 'Reply to a ticket',
  description:
    'The first reply of an administrator takes a PENDING ticket to PROCESSING. An internal reply is visible to administrators only: the creator of the ticket sees neither the reply nor any change of the ticket.',
  access: 'ticket:write',
  params: byId,
  body: z.object({ content: ticketContent, attachmentIds, isInternal: z.boolean().default(false) }),
  answer: ticketReply,
  errors: ['TICKET_NOT_FOUND', 'TICKET_ALREADY_CLOSED', 'FILE_NOT_EXIST', 'ATTACHMENT_LIMIT_EXCEEDED'],
});

export const updateTicketStatus = endpoint('updateTicketStatus', {
  ...common,
  route: 'PUT /api/v1/tickets/{id}/status',
  summary: 'Confirm, reopen or close an own ticket',
  description: 'Confirm: 2 → 3. Reopen: 2 → 1. Close: 0, 1 or 3 → 4.',
  access: 'ticket:write',
  params: byId,
  body: z.object({ status }),
  answer: ticket,
  errors: ['TICKET_NOT_FOUND', 'TICKET_NOT_OWNER', 'TICKET_ALREADY_CLOSED', 'INVALID_TICKET_STATUS'],
});

export const listAllTickets = endpoint('listAllTickets', {
  ...common,
  route: 'GET /api/v1/tickets/admin',
  summary: 'List the tickets of everyone in the tenant',
  access: 'ticket:admin',
  query: filtered,
  answer: pageOf(ticket),
});

export const assignTicket = endpoint('assignTicket', {
  ...common,
  route: 'PUT /api/v1/tickets/admin/{id}/assign',
  summary: 'Give a ticket to an administrator',
  description: 'A PENDING ticket becomes PROCESSING.',
  access: 'ticket:admin',
  params: byId,
  body: z.object({ assigneeId: externalId.meta({ description: 'external id of an administrator' }) }),
  answer: ticket,
  errors: ['TICKET_NOT_FOUND', 'TICKET_ALREADY_CLOSED', 'USER_NOT_EXIST'],
});

export const updateAnyTicketStatus = endpoint('updateAnyTicketStatus', {
  ...common,
  route: 'PUT /api/v1/tickets/admin/{id}/status',
  summary: 'Change the status of a ticket',
  description: '0 → 1 or 4, 1 → 2 or 4, 2 → 3 or 1, 3 → 4.',
  access: 'ticket:admin',
  params: byId,
  body: z.object({ status }),
  answer: ticket,
  errors: ['TICKET_NOT_FOUND', 'TICKET_ALREADY_CLOSED', 'INVALID_TICKET_STATUS'],
});
