import type { Migration } from '../db/migrate.ts';
import type { Key, NewKey, Time } from '../db/tables.ts';

export type OutboxTable = {
  id: NewKey;
  /** What consumers know it by. Random, so that a restored backup never hands out one that a broker still holds. */
  event_id: string;
  type: string;
  tenant_id: Key | null;
  payload: string;
  state: 'PENDING' | 'EXHAUSTED';
  /** When it may be claimed: its next try, or the end of the lease of whoever publishes it. */
  due_at: Time | null;
  attempt: number;
  fence: number;
  last_error: string | null;
  created_at: Time;
};

declare module '../db/tables.ts' {
  interface Tables {
    outbox_event: OutboxTable;
    inbox: { consumer: string; event_id: string; handled_at: Time };
  }
}

export const outboxMigrations: readonly Migration[] = [
  {
    name: 'V1.0.2 outbox',
    statements: types => [
      `create table outbox_event (
        id ${types.key},
        event_id text not null unique,
        type text not null,
        tenant_id ${types.integer},
        payload text not null,
        state text not null check (state in ('PENDING', 'EXHAUSTED')),
        due_at ${types.integer} check ((due_at is null) = (state = 'EXHAUSTED')),
        attempt ${types.integer} not null,
        fence ${types.integer} not null,
        last_error text,
        created_at ${types.integer} not null
      ) ${types.strict}`,
      'create index outbox_event_due on outbox_event (due_at, id) where due_at is not null',
      `create table inbox (
        consumer text not null,
        event_id text not null,
        handled_at ${types.integer} not null,
        primary key (consumer, event_id)
      ) ${types.strict}`,
      'create index inbox_handled on inbox (handled_at)',
    ],
  },
];
