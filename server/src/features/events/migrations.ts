// Table types and migrations of events.
import type { Migration } from '../../platform/db/migrate.ts';

declare module '../../platform/db/tables.ts' {
  interface Tables {
    /** For one user, for several roles (separated by spaces), for one user in such a role, or for the whole tenant. */
    event: {
      tenant_id: Key;
      /** Increases within the tenant, without gaps, in commit order. */
      id: Key;
      user_id: Key | null;
      roles: string | null;
      type: string;
      payload: string;
      created_at: Time;
      /** When it became readable, possibly long after it happened because of an outage. */
      stored_at: Time;
    };
    event_counter: { tenant_id: Key; last_id: Key };
  }
}

export const eventMigrations: readonly Migration[] = [
  {
    name: 'V2.0.16 tables of events',
    statements: t => [
      `create table event_counter (
        tenant_id ${t.integer} primary key references tenant (id),
        last_id ${t.integer} not null
      ) ${t.strict}`,
      `create table event (
        tenant_id ${t.integer} not null references tenant (id),
        id ${t.integer} not null,
        user_id ${t.integer} references account (id),
        roles text,
        type text not null,
        payload text not null,
        created_at ${t.integer} not null,
        stored_at ${t.integer} not null,
        primary key (tenant_id, id)
      ) ${t.strict}`,
      'create index event_of_user on event (tenant_id, user_id, id)',
      'create index event_stored on event (stored_at)',
      // Their names in databases from before V2, where the table replaced another one.
      ...(t.engine === 'postgres'
        ? ['event_pkey', 'event_tenant_id_fkey', 'event_user_id_fkey'].map(
            name => `alter table event rename constraint ${name} to ${name.replace('event', 'event_anew')}`,
          )
        : []),
    ],
  },
];
