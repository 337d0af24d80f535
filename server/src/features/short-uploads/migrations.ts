import type { Migration } from '../../platform/db/migrate.ts';

declare module '../../platform/db/tables.ts' {
  interface Tables {
    /** A place in the object store that one server puts new objects into. */
    short_upload_tray: {
      id: NewKey;
      place: string;
      /** From then on nothing of it is made to count any more, and what nobody speaks of is taken away. */
      closes_at: Time;
      is_closed: number;
    };
    /** A call that stores many files: sent again, it stores nothing twice. */
    short_upload_request: {
      id: NewKey;
      tenant_id: Key;
      owner_id: Key;
      request_id: string;
      /** Digest of what it says. */
      fingerprint: string;
      /** JSON; null until every file of it was stored or refused for good. */
      answer: string | null;
      created_at: Time;
    };
  }
}

export const shortUploadMigrations: readonly Migration[] = [
  {
    name: 'V1.6.20 trays of short uploads',
    statements: t => [
      `create table short_upload_tray (
        id ${t.key},
        place text not null unique,
        closes_at ${t.integer} not null,
        is_closed ${t.integer} not null
      ) ${t.strict}`,
      'create index short_upload_tray_closes on short_upload_tray (closes_at)',
    ],
  },
  {
    name: 'V1.6.22 many short uploads in one call',
    statements: t => [
      `create table short_upload_request (
        id ${t.key},
        tenant_id ${t.integer} not null,
        owner_id ${t.integer} not null references account (id),
        request_id text not null,
        fingerprint text not null,
        answer text,
        created_at ${t.integer} not null,
        unique (tenant_id, owner_id, request_id)
      ) ${t.strict}`,
      'create index short_upload_request_created on short_upload_request (created_at)',
    ],
  },
];
