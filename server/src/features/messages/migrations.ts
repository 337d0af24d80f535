// Table types and migrations of messages.
import type { Migration } from '../../platform/db/migrate.ts';

declare module '../../platform/db/tables.ts' {
  interface Tables {
    /** One per pair of people who have exchanged messages; the smaller id first. */
    conversation: { id: NewKey; tenant_id: Key; low_id: Key; high_id: Key; created_at: Time };
    /** One side of a conversation. Changes only under the lock of the conversation. */
    conversation_side: {
      conversation_id: Key;
      tenant_id: Key;
      user_id: Key;
      other_id: Key;
      /** Messages from the other person after `read_through`. */
      unread: number;
      read_through: Key;
      /** Messages up to this one are deleted for this side. */
      cleared_through: Key;
      /** Null if there are no visible messages. */
      last_message_id: Key | null;
    };
    message: {
      id: NewKey;
      tenant_id: Key;
      conversation_id: Key;
      sender_id: Key;
      content_type: string;
      content: string;
      file_name: string | null;
      created_at: Time;
    };
  }
}

export const messageMigrations: readonly Migration[] = [
  {
    name: 'V2.0.21 tables of messages',
    statements: t => [
      `create table conversation (
        id ${t.key},
        tenant_id ${t.integer} not null references tenant (id),
        low_id ${t.integer} not null references account (id),
        high_id ${t.integer} not null references account (id),
        created_at ${t.integer} not null,
        unique (tenant_id, low_id, high_id),
        check (low_id < high_id)
      ) ${t.strict}`,
      `create table conversation_side (
        conversation_id ${t.integer} not null references conversation (id),
        tenant_id ${t.integer} not null,
        user_id ${t.integer} not null references account (id),
        other_id ${t.integer} not null references account (id),
        unread ${t.integer} not null check (unread >= 0),
        read_through ${t.integer} not null,
        cleared_through ${t.integer} not null,
        last_message_id ${t.integer},
        primary key (conversation_id, user_id)
      ) ${t.strict}`,
      'create index conversation_side_shown on conversation_side (tenant_id, user_id, last_message_id) where last_message_id is not null',
      'create index conversation_side_unread on conversation_side (tenant_id, user_id, unread) where unread > 0',
      `create table message (
        id ${t.key},
        tenant_id ${t.integer} not null references tenant (id),
        conversation_id ${t.integer} not null references conversation (id),
        sender_id ${t.integer} not null references account (id),
        content_type text not null check (content_type in ('text', 'image', 'file')),
        content text not null,
        file_name text,
        created_at ${t.integer} not null
      ) ${t.strict}`,
      'create index message_of_conversation on message (conversation_id, id)',
    ],
  },
];
