// Table types and migrations of tickets.
import type { TicketCategory, TicketPriority, TicketStatus } from '@recordproof/shared/api/tickets.ts';
import type { Migration } from '../../platform/db/migrate.ts';

declare module '../../platform/db/tables.ts' {
  interface Tables {
    ticket: {
      id: NewKey;
      tenant_id: Key;
      ticket_no: string;
      creator_id: Key;
      /** The administrator it is assigned to. */
      assignee_id: Key | null;
      title: string;
      /** For search: number and title. */
      search_text: string;
      content: string;
      category: TicketCategory;
      priority: TicketPriority;
      status: TicketStatus;
      /** Replies visible to both sides, and internal ones. */
      replies: number;
      internal_replies: number;
      created_at: Time;
      /** Of the last change visible to both sides. */
      updated_at: Time;
    };
    ticket_reply: {
      id: NewKey;
      tenant_id: Key;
      ticket_id: Key;
      author_id: Key;
      from_administrator: number;
      is_internal: number;
      content: string;
      created_at: Time;
    };
    /** A file's columns when it was attached: to the ticket itself, or to one of its replies. */
    ticket_attachment: {
      id: NewKey;
      tenant_id: Key;
      ticket_id: Key;
      reply_id: Key | null;
      file_id: Key;
      file_name: string;
      file_size: number;
      content_type: string;
    };
    /** The tenant's last number on a day, written `yyyymmdd`. */
    ticket_day: { tenant_id: Key; day: string; last_number: number };
  }
}

export const ticketMigrations: readonly Migration[] = [
  {
    name: 'V2.0.23 tables of tickets',
    statements: t => [
      `create table ticket (
        id ${t.key},
        tenant_id ${t.integer} not null references tenant (id),
        ticket_no text not null,
        creator_id ${t.integer} not null references account (id),
        assignee_id ${t.integer} references account (id),
        title text not null,
        search_text text not null,
        content text not null,
        category ${t.integer} not null check (category in (0, 1, 2, 3, 99)),
        priority ${t.integer} not null check (priority in (0, 1, 2)),
        status ${t.integer} not null check (status in (0, 1, 2, 3, 4)),
        replies ${t.integer} not null,
        internal_replies ${t.integer} not null,
        created_at ${t.integer} not null,
        updated_at ${t.integer} not null,
        unique (tenant_id, ticket_no)
      ) ${t.strict}`,
      'create index ticket_of_creator on ticket (tenant_id, creator_id, created_at)',
      'create index ticket_created on ticket (tenant_id, created_at)',
      'create index ticket_urgency on ticket (tenant_id, priority, id)',
      'create index ticket_updated on ticket (tenant_id, updated_at)',
      'create index ticket_in_status on ticket (tenant_id, status, created_at)',
      `create table ticket_reply (
        id ${t.key},
        tenant_id ${t.integer} not null references tenant (id),
        ticket_id ${t.integer} not null references ticket (id),
        author_id ${t.integer} not null references account (id),
        from_administrator ${t.integer} not null check (from_administrator in (0, 1)),
        is_internal ${t.integer} not null check (is_internal in (0, 1)),
        content text not null,
        created_at ${t.integer} not null
      ) ${t.strict}`,
      'create index ticket_reply_of_ticket on ticket_reply (ticket_id, is_internal, id)',
      `create table ticket_attachment (
        id ${t.key},
        tenant_id ${t.integer} not null references tenant (id),
        ticket_id ${t.integer} not null references ticket (id),
        reply_id ${t.integer} references ticket_reply (id),
        file_id ${t.integer} not null references file (id),
        file_name text not null,
        file_size ${t.integer} not null,
        content_type text not null
      ) ${t.strict}`,
      'create index ticket_attachment_of_ticket on ticket_attachment (ticket_id, reply_id)',
      `create table ticket_day (
        tenant_id ${t.integer} not null references tenant (id),
        day text not null,
        last_number ${t.integer} not null check (last_number between 1 and 9999),
        primary key (tenant_id, day)
      ) ${t.strict}`,
    ],
  },
];
