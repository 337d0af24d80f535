// Table types and migrations of friend shares.
import type { Migration } from '../../platform/db/migrate.ts';

declare module '../../platform/db/tables.ts' {
  interface Tables {
    friend_share: {
      id: NewKey;
      tenant_id: Key;
      sharer_id: Key;
      friend_id: Key;
      /** Random: the recipient id of its envelopes, known before the row exists. */
      gift_id: string;
      message: string;
      file_count: number;
      /** 0 CANCELLED, 1 ACTIVE. */
      status: number;
      created_at: Time;
      read_at: Time | null;
      cancelled_at: Time | null;
    };
    friend_share_file: { friend_share_id: Key; file_id: Key; position: number };
  }
}

export const friendShareMigrations: readonly Migration[] = [
  {
    name: 'V2.0.22 tables of friend shares',
    statements: t => [
      `create table friend_share (
        id ${t.key},
        tenant_id ${t.integer} not null references tenant (id),
        sharer_id ${t.integer} not null references account (id),
        friend_id ${t.integer} not null references account (id),
        gift_id text not null unique,
        message text not null,
        file_count ${t.integer} not null,
        status ${t.integer} not null check (status in (0, 1)),
        created_at ${t.integer} not null,
        read_at ${t.integer},
        cancelled_at ${t.integer},
        check (sharer_id <> friend_id)
      ) ${t.strict}`,
      'create index friend_share_received on friend_share (tenant_id, friend_id, id) where status = 1',
      'create index friend_share_unread on friend_share (tenant_id, friend_id) where status = 1 and read_at is null',
      'create index friend_share_sent on friend_share (tenant_id, sharer_id, id)',
      `create table friend_share_file (
        friend_share_id ${t.integer} not null references friend_share (id),
        file_id ${t.integer} not null references file (id),
        position ${t.integer} not null,
        primary key (friend_share_id, file_id)
      ) ${t.strict}`,
    ],
  },
];
