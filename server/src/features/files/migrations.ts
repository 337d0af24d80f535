import type { Migration } from '../../platform/db/migrate.ts';

declare module '../../platform/db/tables.ts' {
  interface Tables {
    file: {
      id: NewKey;
      tenant_id: Key;
      owner_id: Key;
      /** The chain record id. */
      file_hash: string;
      content_hash: string;
      file_name: string;
      /** For searching: folded, so that case does not count. */
      name_folded: string;
      /** The folder it came from, relative: a label of its owner. */
      path: string | null;
      file_size: number;
      content_type: string;
      /** -1 FAIL, 0 PREPARE, 1 SUCCESS, 2 DELETE. */
      status: number;
      transaction_hash: string | null;
      manifest_hash: string | null;
      proof_status: string;
      /** NONE, or the content suite the stored objects are sealed with. */
      encryption: string;
      /** Sealed files: 32 hex digits; bound into every frame and every envelope. */
      file_nonce: string | null;
      /** What made this record; making it twice is impossible. */
      created_by: string;
      origin_owner_id: Key | null;
      shared_from_id: Key | null;
      /** The record it was copied from, and how many copies lie behind it. */
      source_file_id: Key | null;
      provenance_depth: number;
      created_at: Time;
      deleted_at: Time | null;
      /** Deleted files: when the stored bytes were given up. */
      objects_released_at: Time | null;
      version: number;
      parent_version_id: Key | null;
      version_group_id: Key | null;
      is_latest: number;
    };
    /** What an owner uses up; kept beside every change, so that no list has to count. `owner_id` 0 is the tenant. */
    file_usage: {
      tenant_id: Key;
      owner_id: Key;
      files: number;
      bytes: number;
      latest_files: number;
      /** The UTC day (since the epoch) of the last upload, and how many there were on it. */
      upload_day: number;
      day_uploads: number;
      /** Only of the tenant: the UTC day of the last download, and how many there were on it. */
      download_day: number;
      day_downloads: number;
      /** Records that were ever stored; never less. */
      recorded: number;
      /** What this owner may store; null: the default of the server. */
      max_bytes: number | null;
      max_files: number | null;
    };
  }
}

/** An owner as three ideographs, for the search index of SQLite: enough for 8,000,000,000,000 of them. */
const ownerWord = (owner: string): string =>
  `char(19968 + ${owner} % 20000, 19968 + ${owner} / 20000 % 20000, 19968 + ${owner} / 400000000)`;

export const fileMigrations: readonly Migration[] = [
  {
    name: 'V1.2.0 files',
    statements: t => [
      `create table file (
        id ${t.key},
        tenant_id ${t.integer} not null references tenant (id),
        owner_id ${t.integer} not null references account (id),
        file_hash text not null unique,
        content_hash text not null,
        file_name text not null,
        name_folded text ${t.engine === 'postgres' ? 'collate "C" ' : ''}not null,
        file_size ${t.integer} not null,
        content_type text not null,
        status ${t.integer} not null check (status in (-1, 0, 1, 2)),
        transaction_hash text,
        manifest_hash text,
        proof_status text not null check (proof_status in ('NONE', 'PENDING', 'ISSUED')),
        encryption text not null,
        file_nonce text,
        created_by text not null unique,
        origin_owner_id ${t.integer},
        shared_from_id ${t.integer},
        source_file_id ${t.integer},
        provenance_depth ${t.integer} not null,
        created_at ${t.integer} not null,
        deleted_at ${t.integer},
        objects_released_at ${t.integer}
      ) ${t.strict}`,
      'create index file_content on file (tenant_id, owner_id, content_hash)',
      'create index file_expiring on file (deleted_at) where status = 2 and objects_released_at is null',
      `create table file_usage (
        tenant_id ${t.integer} not null,
        owner_id ${t.integer} not null,
        files ${t.integer} not null,
        bytes ${t.integer} not null,
        latest_files ${t.integer} not null,
        upload_day ${t.integer} not null,
        day_uploads ${t.integer} not null,
        primary key (tenant_id, owner_id)
      ) ${t.strict}`,
    ],
  },
  {
    name: 'V1.2.1 search in file names',
    statements: t =>
      t.engine === 'sqlite'
        ? [
            // The owner is a word of its own in the index: three characters, since that is what a trigram index knows.
            `create virtual table file_search using fts5 (name, owner, content='', contentless_delete=1, tokenize='trigram')`,
            `create trigger file_search_insert after insert on file begin
              insert into file_search (rowid, name, owner) values (new.id, new.name_folded, ${ownerWord('new.owner_id')}); end`,
            `create trigger file_search_delete after delete on file begin
              delete from file_search where rowid = old.id; end`,
          ]
        : [
            'create extension if not exists pg_trgm',
            'create index file_search on file using gin (name_folded gin_trgm_ops)',
          ],
  },
  {
    name: 'V1.4.5 folders of files',
    statements: t => [
      `alter table file add column path text${t.engine === 'postgres' ? ' collate "C"' : ''}`,
      // Whoever has no folders pays nothing for it.
      'create index file_path on file (tenant_id, owner_id, path, id) where path is not null and is_latest = 1 and status = 1',
    ],
  },
  {
    name: 'V1.24.1 files of a whole tenant',
    statements: t => [
      'create index file_tenant_list on file (tenant_id, created_at, id) where is_latest = 1 and status = 1',
      // Deleted, failed, and being made.
      'create index file_tenant_rest on file (tenant_id, status, created_at, id) where status <> 1',
      'drop index file_content',
      'create index file_content on file (tenant_id, content_hash)',
      'create index file_source on file (source_file_id) where source_file_id is not null',
      ...['download_day', 'day_downloads', 'recorded'].map(
        column => `alter table file_usage add column ${column} ${t.integer} not null default 0`,
      ),
      `update file_usage set recorded = (select count(*) from file f
        where f.tenant_id = file_usage.tenant_id and file_usage.owner_id in (0, f.owner_id)
        and f.transaction_hash is not null)`,
    ],
  },
  {
    name: 'V1.41.11 quotas of owners',
    statements: t =>
      ['max_bytes', 'max_files'].map(column => `alter table file_usage add column ${column} ${t.integer}`),
  },
];
