// Migrations of the outbox, whose events are now jobs.
import type { Migration } from '../db/migrate.ts';

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
  {
    name: 'V1.0.6 events are jobs',
    statements: () => [
      // Every event type had at most one consumer: events recorded as handled were only not deleted yet.
      `insert into job (kind, payload, state, due_at, attempt, fence, last_error, created_at)
        select 'event', '{"id":"' || event_id || '","type":"' || type || '","tenantId":'
          || coalesce(cast(tenant_id as text), 'null') || ',"payload":' || payload || '}',
          case state when 'PENDING' then 'WAITING' else 'DEAD' end, due_at, attempt, fence, last_error, created_at
        from outbox_event
        where not exists (select 1 from inbox where inbox.event_id = outbox_event.event_id)
        order by id`,
      'drop table outbox_event',
      'drop table inbox',
      `delete from job where kind = 'outbox-sweep'`,
      `delete from schedule where name = 'outbox-sweep'`,
    ],
  },
];
