// Table types and migrations of files.
import type { Migration } from '../../platform/db/migrate.ts';
import type { Engine } from '../../platform/db/open-db.ts';

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
      /** Case-folded, for search. */
      name_folded: string;
      /** The folder, as a relative path: a label chosen by the owner. */
      path: string | null;
      file_size: number;
      content_type: string;
      /** -1 FAIL, 0 PREPARE, 1 SUCCESS, 2 DELETE. */
      status: number;
      transaction_hash: string | null;
      manifest_hash: string | null;
      proof_status: string;
      /** NONE, or the content suite that seals the stored objects. */
      encryption: string;
      /** Sealed files: 32 hex digits; part of every frame and envelope. */
      file_nonce: string | null;
      /** The origin of this record; unique, so that it is created once. */
      created_by: string;
      origin_owner_id: Key | null;
      shared_from_id: Key | null;
      /** The record it was copied from, and the number of copies before it. */
      source_file_id: Key | null;
      provenance_depth: number;
      created_at: Time;
      deleted_at: Time | null;
      /** Deleted files: when the stored bytes were purged. */
      objects_released_at: Time | null;
      /**
       * Of a deleted file: 1 the owner can restore it, 2 it is restored with a newer version of its chain, 0 neither.
       */
      trash: number;
      version: number;
      parent_version_id: Key | null;
      version_group_id: Key | null;
      is_latest: number;
    };
    /** Usage per owner, updated with every change, so that no list has to count. `owner_id` 0 is the tenant. */
    file_usage: {
      tenant_id: Key;
      owner_id: Key;
      files: number;
      bytes: number;
      latest_files: number;
      /** The UTC day (since the epoch) of the last upload, and the number of uploads on it. */
      upload_day: number;
      day_uploads: number;
      /** Tenant row only: the UTC day of the last download, and the number of downloads on it. */
      download_day: number;
      day_downloads: number;
      /** Records ever stored; never decreases. */
      recorded: number;
      /** Files deleted by their owners, and their bytes not yet purged. */
      trash_files: number;
      trash_bytes: number;
      /** The owner's storage quota; null: the server's default. */
      max_bytes: number | null;
      max_files: number | null;
    };
    /** The folders of an owner, including empty ones. */
    folder: {
      tenant_id: Key;
      owner_id: Key;
      path: string;
      /** The parent folder; "" for the top level. */
      parent: string;
      created_at: Time;
    };
    /** Earlier paths and names of the newest version of a chain. */
    file_path_change: {
      id: NewKey;
      tenant_id: Key;
      version_group_id: Key;
      path: string | null;
      file_name: string;
      changed_at: Time;
      changed_by: Key;
    };
  }
}

/** An owner as three ideographs, for the search index of SQLite: enough for 8,000,000,000,000 owners. */
const ownerWord = (owner: string): string =>
  `char(19968 + ${owner} % 20000, 19968 + ${owner} / 20000 % 20000, 19968 + ${owner} / 400000000)`;

/** The index for searches in file names. */
const searchIn: Readonly<Record<Engine, readonly string[]>> = {
  sqlite: [
    // The owner is a separate word in the index, of three characters because it is a trigram index.
    `create virtual table file_search using fts5 (name, owner, content='', contentless_delete=1, tokenize='trigram')`,
    `create trigger file_search_insert after insert on file begin
      insert into file_search (rowid, name, owner) values (new.id, new.name_folded, ${ownerWord('new.owner_id')}); end`,
    `create trigger file_search_delete after delete on file begin
      delete from file_search where rowid = old.id; end`,
  ],
  postgres: [
    'create extension if not exists pg_trgm',
    'create index file_search on file using gin (name_folded gin_trgm_ops)',
  ],
};

/** Of `content_type`, in lower case, without parameters; and its part before the slash. */
export const mediaType = {
  sqlite: {
    essence: `lower(rtrim(substr(content_type, 1, instr(content_type || ';', ';') - 1)))`,
    family: `lower(substr(content_type, 1, instr(content_type, '/') - 1))`,
  },
  postgres: {
    essence: `lower(rtrim(split_part(content_type, ';', 1)))`,
    family: `lower(split_part(content_type, '/', 1))`,
  },
} as const;

/** Of the newest versions of an owner that are not deleted. */
const listIndex = (name: string, by: string): string =>
  `create index ${name} on file (tenant_id, owner_id, ${by}, id) where is_latest = 1 and status = 1`;

export const fileMigrations: readonly Migration[] = [
  {
    name: 'V2.0.9 tables of files',
    statements: t => {
      const path = t.engine === 'postgres' ? 'text collate "C"' : 'text';
      const { essence, family } = mediaType[t.engine];
      return [
        `create table file (
          id ${t.key},
          tenant_id ${t.integer} not null references tenant (id),
          owner_id ${t.integer} not null references account (id),
          file_hash text not null unique,
          content_hash text not null,
          file_name text not null,
          name_folded ${path} not null,
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
          objects_released_at ${t.integer},
          version ${t.integer} not null default 1,
          parent_version_id ${t.integer},
          version_group_id ${t.integer},
          is_latest ${t.integer} not null default 1,
          path ${path},
          trash ${t.integer} not null default 0
        ) ${t.strict}`,
        ...searchIn[t.engine],
        'create index file_expiring on file (deleted_at) where status = 2 and objects_released_at is null',
        'create unique index file_version on file (version_group_id, version)',
        'create unique index file_latest on file (version_group_id) where is_latest = 1',
        listIndex('file_list_created', 'created_at'),
        listIndex('file_list_name', 'name_folded'),
        listIndex('file_list_size', 'file_size'),
        'create index file_owner on file (tenant_id, owner_id, status, id)',
        // In any case, an account never has two copies of one file.
        'create unique index file_copy on file (owner_id, source_file_id) where source_file_id is not null and status in (0, 1)',
        'create index file_tenant_list on file (tenant_id, created_at, id) where is_latest = 1 and status = 1',
        // Deleted, failed, and in preparation.
        'create index file_tenant_rest on file (tenant_id, status, created_at, id) where status <> 1',
        'create index file_content on file (tenant_id, content_hash)',
        'create index file_source on file (source_file_id) where source_file_id is not null',
        // A covering index of one folder level, for any order, with the columns of its totals.
        `create index file_folder on file (tenant_id, owner_id, path, name_folded, id, created_at, file_size)
          where is_latest = 1 and status = 1`,
        'create index file_trash on file (tenant_id, owner_id, deleted_at, id) where trash = 1 and objects_released_at is null',
        listIndex('file_list_proof', 'proof_status, created_at'),
        listIndex('file_list_type', `(${essence}), created_at`),
        listIndex('file_list_family', `(${family}), created_at`),
        `create table file_usage (
          tenant_id ${t.integer} not null,
          owner_id ${t.integer} not null,
          files ${t.integer} not null,
          bytes ${t.integer} not null,
          latest_files ${t.integer} not null,
          upload_day ${t.integer} not null,
          day_uploads ${t.integer} not null,
          download_day ${t.integer} not null default 0,
          day_downloads ${t.integer} not null default 0,
          recorded ${t.integer} not null default 0,
          max_bytes ${t.integer},
          max_files ${t.integer},
          trash_files ${t.integer} not null default 0,
          trash_bytes ${t.integer} not null default 0,
          primary key (tenant_id, owner_id)
        ) ${t.strict}`,
        `create table folder (
          tenant_id ${t.integer} not null references tenant (id),
          owner_id ${t.integer} not null references account (id),
          path ${path} not null,
          parent ${path} not null,
          created_at ${t.integer} not null,
          primary key (tenant_id, owner_id, path)
        ) ${t.strict}`,
        'create index folder_level on folder (tenant_id, owner_id, parent, path)',
        `create table file_path_change (
          id ${t.key},
          tenant_id ${t.integer} not null,
          version_group_id ${t.integer} not null,
          path text,
          file_name text not null,
          changed_at ${t.integer} not null,
          changed_by ${t.integer} not null references account (id)
        ) ${t.strict}`,
        'create index file_path_change_chain on file_path_change (version_group_id, id)',
      ];
    },
  },
];
