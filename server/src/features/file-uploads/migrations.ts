// Table types and migrations of file uploads.
import type { Migration } from '../../platform/db/migrate.ts';

declare module '../../platform/db/tables.ts' {
  interface Tables {
    /** A single upload under an Idempotency-Key: its content, and its upload session. */
    upload_repeatable: {
      tenant_id: Key;
      owner_id: Key;
      key: string;
      fingerprint: string;
      client_id: string;
      expires_at: Time;
    };
    /** A call that stores many files: its repetition stores nothing twice. */
    short_upload_request: {
      id: NewKey;
      tenant_id: Key;
      owner_id: Key;
      request_id: string;
      /** Digest of the request. */
      fingerprint: string;
      /** JSON (RFC 1951); null until every file is stored or finally rejected. */
      answer: Buffer | null;
      created_at: Time;
    };
  }
}

export const fileUploadMigrations: readonly Migration[] = [
  {
    name: 'V2.0.17 tables of file uploads',
    statements: t => [
      `create table upload_repeatable (
        tenant_id ${t.integer} not null,
        owner_id ${t.integer} not null references account (id),
        key text not null,
        fingerprint text not null,
        client_id text not null,
        expires_at ${t.integer} not null,
        primary key (tenant_id, owner_id, key)
      ) ${t.strict}`,
      'create index upload_repeatable_expires on upload_repeatable (expires_at)',
      `create table short_upload_request (
        id ${t.key},
        tenant_id ${t.integer} not null,
        owner_id ${t.integer} not null references account (id),
        request_id text not null,
        fingerprint text not null,
        created_at ${t.integer} not null,
        answer ${t.bytes},
        unique (tenant_id, owner_id, request_id)
      ) ${t.strict}`,
      'create index short_upload_request_created on short_upload_request (created_at)',
    ],
  },
];
