import type { Migration } from '../../platform/db/migrate.ts';

declare module '../../platform/db/tables.ts' {
  interface Tables {
    /** A folder in the object store into which one server puts new objects. */
    short_upload_tray: {
      id: NewKey;
      place: string;
      /** Afterwards nothing of it is stored any more, and unreferenced objects are deleted. */
      closes_at: Time;
      is_closed: number;
    };
    /** A call that stores many files: its repetition stores nothing twice. */
    short_upload_request: {
      id: NewKey;
      tenant_id: Key;
      owner_id: Key;
      request_id: string;
      /** Digest of the request. */
      fingerprint: string;
      /** JSON; null until every file is stored or finally rejected. */
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
