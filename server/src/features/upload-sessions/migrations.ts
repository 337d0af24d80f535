// Table types and migrations of upload sessions.
import type { Generated } from 'kysely';
import type { Migration } from '../../platform/db/migrate.ts';

declare module '../../platform/db/tables.ts' {
  interface Tables {
    upload: {
      id: NewKey;
      tenant_id: Key;
      owner_id: Key;
      client_id: string;
      /** `proxied`: the server receives and seals the bytes; `direct`: the client uploads to the store. */
      kind: string;
      status: string;
      file_name: string;
      /** The target folder. */
      path: string | null;
      file_size: number;
      content_type: string;
      chunk_size: number;
      total_chunks: number;
      declared_hash: string | null;
      target_file_id: Key | null;
      /** The client's key for the upload, if it knows no clientId. */
      client_key: string | null;
      /** The prefix of its objects until they are promoted; random, so that it cannot be guessed or reused. */
      staging: string;
      /** Sealed uploads: the nonce of the file, and its data key in a separate envelope, as JSON. */
      file_nonce: string | null;
      sealed_key: string | null;
      /** The number of started completions. */
      attempt: Generated<number>;
      file_id: Key | null;
      /** Why it failed permanently, as JSON: repeated calls get the same error. */
      failure: string | null;
      /** The number of received chunks, updated with their rows, so that no query has to count. */
      received_chunks: Generated<number>;
      created_at: Time;
      /** Extended with every activity. */
      expires_at: Time;
    };
    upload_chunk: {
      upload_id: Key;
      chunk_index: number;
      /** Announced for direct parts, measured for received ones. */
      plain_hash: string;
      stored_hash: string;
      plain_size: number;
      stored_size: number;
      received: number;
      /** The key of the staged object. */
      storage_key: string;
      /** The exact bytes read back by the content check, as an ETag: only these may be promoted. */
      checked_etag: string | null;
    };
  }
}

export const uploadMigrations: readonly Migration[] = [
  {
    name: 'V2.0.11 tables of upload sessions',
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
        path text,
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
];
