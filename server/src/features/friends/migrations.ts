// Table types and migrations of friends.
import type { Migration } from '../../platform/db/migrate.ts';

declare module '../../platform/db/tables.ts' {
  interface Tables {
    friend_request: {
      id: NewKey;
      tenant_id: Key;
      requester_id: Key;
      addressee_id: Key;
      /** The same two people, the smaller id first: unique per pair. */
      low_id: Key;
      high_id: Key;
      message: string;
      /** 0 PENDING, 1 ACCEPTED, 2 REJECTED, 3 CANCELLED. */
      status: number;
      created_at: Time;
      answered_at: Time | null;
    };
    /** Two rows per friendship, one for each side; inserted and deleted together. */
    friendship: {
      id: NewKey;
      tenant_id: Key;
      user_id: Key;
      friend_id: Key;
      remark: string | null;
      created_at: Time;
    };
  }
}

export const friendMigrations: readonly Migration[] = [
  {
    name: 'V2.0.20 tables of friends',
    statements: t => [
      `create table friend_request (
        id ${t.key},
        tenant_id ${t.integer} not null references tenant (id),
        requester_id ${t.integer} not null references account (id),
        addressee_id ${t.integer} not null references account (id),
        low_id ${t.integer} not null,
        high_id ${t.integer} not null,
        message text not null,
        status ${t.integer} not null check (status in (0, 1, 2, 3)),
        created_at ${t.integer} not null,
        answered_at ${t.integer},
        check (low_id < high_id)
      ) ${t.strict}`,
      'create unique index friend_request_pending on friend_request (tenant_id, low_id, high_id) where status = 0',
      'create index friend_request_received on friend_request (tenant_id, addressee_id, status, id)',
      'create index friend_request_sent on friend_request (tenant_id, requester_id, status, id)',
      `create table friendship (
        id ${t.key},
        tenant_id ${t.integer} not null references tenant (id),
        user_id ${t.integer} not null references account (id),
        friend_id ${t.integer} not null references account (id),
        remark text,
        created_at ${t.integer} not null,
        unique (tenant_id, user_id, friend_id),
        check (user_id <> friend_id)
      ) ${t.strict}`,
    ],
  },
];
