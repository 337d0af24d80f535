import type { Migration } from '../../platform/db/migrate.ts';

declare module '../../platform/db/tables.ts' {
  interface Tables {
    /** For one person, for some roles (joined by spaces), or, with neither, for everybody of the tenant. */
    event: {
      id: NewKey;
      tenant_id: Key;
      user_id: Key | null;
      roles: string | null;
      type: string;
      payload: string;
      created_at: Time;
    };
  }
}

export const eventMigrations: readonly Migration[] = [
  {
    name: 'V1.6.0 events',
    statements: t => [
      `create table event (
        id ${t.key},
        tenant_id ${t.integer} not null references tenant (id),
        user_id ${t.integer} references account (id),
        roles text,
        type text not null,
        payload text not null,
        created_at ${t.integer} not null,
        check (user_id is null or roles is null)
      ) ${t.strict}`,
      'create index event_of_user on event (tenant_id, user_id, id)',
      'create index event_age on event (created_at)',
    ],
  },
];
