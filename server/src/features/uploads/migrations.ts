import type { Generated } from 'kysely';
import type { Migration } from '../../platform/db/migrate.ts';

declare module '../../platform/db/tables.ts' {
  interface Tables {
    /** What a single upload under an Idempotency-Key is, and which upload it became. */
    upload_repeatable: {
      tenant_id: Key;
      owner_id: Key;
      key: string;
      fingerprint: string;
      client_id: string;
      expires_at: Time;
    };
    upload: {
      id: NewKey;
      tenant_id: Key;
      owner_id: Key;
      client_id: string;
      /** `proxied`: the server receives and seals the bytes; `direct`: the client puts them into the store. */
      kind: string;
      status: string;
      file_name: string;
      /** The folder the file came from. */
      path: string | null;
      file_size: number;
      content_type: string;
      chunk_size: number;
      total_chunks: number;
      declared_hash: string | null;
      target_file_id: Key | null;
      /** What a client that knows no clientId calls the upload. */
      client_key: string | null;
      /** Where its objects lie until they are promoted; random, so that nobody can guess or reuse it. */
      staging: string;
      /** Sealed uploads: the nonce of the file, and its data key in an envelope of its own, as JSON. */
      file_nonce: string | null;
      sealed_key: string | null;
      /** How often completing it was begun. */
      attempt: Generated<number>;
      file_id: Key | null;
      /** Why it failed for good, as JSON: asked again, the answer is the same. */
      failure: string | null;
      /** How many chunks are there; kept beside the rows, so that no answer has to count. */
      received_chunks: Generated<number>;
      created_at: Time;
      /** Moves with every sign of life. */
      expires_at: Time;
    };
    upload_chunk: {
      upload_id: Key;
      chunk_index: number;
      /** Declared for direct parts, measured for received ones. */
      plain_hash: string;
      stored_hash: string;
      plain_size: number;
      stored_size: number;
      received: number;
      /** Where the staged object lies. */
      storage_key: string;
      /** Which bytes exactly were read back when the upload was checked: only these may be promoted. */
      checked_etag: string | null;
    };
  }
}

export const uploadMigrations: readonly Migration[] = [
  {
    name: 'V1.2.3 uploads',
    statements: t => [
      `create table upload (
        id ${t.key},
        tenant_id ${t.integer} not null,
        owner_id ${t.integer} not null references account (id),
        client_id text not null,
        kind text not null check (kind in ('proxied', 'direct')),
        status text not null check (status in ('UPLOADING', 'PAUSED', 'FINALIZING', 'COMPLETED', 'CANCELLED', 'EXPIRED', 'FAILED')),
        file_name text not null,
        file_size ${t.integer} not null,
        content_type text not null,
        chunk_size ${t.integer} not null,
        total_chunks ${t.integer} not null,
        declared_hash text,
        target_file_id ${t.integer},
        client_key text,
        staging text not null unique,
        file_nonce text,
        sealed_key text,
        attempt ${t.integer} not null default 0,
        file_id ${t.integer},
        failure text,
        received_chunks ${t.integer} not null default 0,
        created_at ${t.integer} not null,
        expires_at ${t.integer} not null,
        unique (tenant_id, owner_id, client_id)
      ) ${t.strict}`,
      'create index upload_open on upload (tenant_id, owner_id, status, created_at)',
      'create index upload_expires on upload (status, expires_at)',
      `create table upload_chunk (
        upload_id ${t.integer} not null references upload (id) on delete cascade,
        chunk_index ${t.integer} not null,
        plain_hash text not null,
        stored_hash text not null,
        plain_size ${t.integer} not null,
        stored_size ${t.integer} not null,
        received ${t.integer} not null,
        storage_key text not null,
        checked_etag text,
        primary key (upload_id, chunk_index)
      ) ${t.strict}`,
    ],
  },
  {
    name: 'V1.6.12 uploads that may be sent again',
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
    ],
  },
  {
    name: 'V1.6.21 folders of uploads',
    statements: () => ['alter table upload add column path text'],
  },
];
