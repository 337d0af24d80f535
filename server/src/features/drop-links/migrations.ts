// Table types and migrations of drop links.
import type { Migration } from '../../platform/db/migrate.ts';

declare module '../../platform/db/tables.ts' {
  interface Tables {
    drop_link: {
      id: NewKey;
      tenant_id: Key;
      owner_id: Key;
      code: string;
      title: string;
      message: string | null;
      /** The target folder; null for the top level. */
      path: string | null;
      /** The fields that senders fill in, as JSON. */
      fields: string;
      password_hash: string | null;
      max_files: number;
      max_bytes: number;
      max_file_bytes: number;
      max_files_per_address: number;
      /** Files with a receipt; uploads in progress are counted when a file starts. */
      arrived_files: number;
      arrived_bytes: number;
      expire_at: Time;
      closed_at: Time | null;
      created_at: Time;
      /** When the owner is mailed about files received since `mailed_files`; null if there is nothing to report. */
      mail_at: Time | null;
      mailed_files: number;
    };
    /** A person who entered a link. */
    drop_sender: {
      id: NewKey;
      tenant_id: Key;
      link_id: Key;
      token_digest: string;
      /** The field values, as JSON. */
      fields: string;
      ip: string;
      created_at: Time;
    };
    /** A file of a sender: in progress without `received_at`, received with it. */
    drop_arrival: {
      id: NewKey;
      tenant_id: Key;
      link_id: Key;
      sender_id: Key;
      /** The sender's key of the file: the same key resumes it. */
      key: string;
      /** The address that shares a limit: an IPv4 address or an IPv6 network. */
      address: string;
      file_name: string;
      path: string | null;
      file_size: number;
      file_id: Key | null;
      received_at: Time | null;
      /** The signed statement. */
      receipt: string | null;
      created_at: Time;
    };
  }
}

export const dropLinkMigrations: readonly Migration[] = [
  {
    name: 'V2.0.41 tables of drop links',
    statements: t => [
      `create table drop_link (
        id ${t.key},
        tenant_id ${t.integer} not null references tenant (id),
        owner_id ${t.integer} not null references account (id),
        code text not null unique,
        title text not null,
        message text,
        path text,
        fields text not null,
        password_hash text,
        max_files ${t.integer} not null,
        max_bytes ${t.integer} not null,
        max_file_bytes ${t.integer} not null,
        max_files_per_address ${t.integer} not null,
        arrived_files ${t.integer} not null,
        arrived_bytes ${t.integer} not null,
        expire_at ${t.integer} not null,
        closed_at ${t.integer},
        created_at ${t.integer} not null,
        mail_at ${t.integer},
        mailed_files ${t.integer} not null
      ) ${t.strict}`,
      'create index drop_link_owner on drop_link (tenant_id, owner_id, created_at, id)',
      `create table drop_sender (
        id ${t.key},
        tenant_id ${t.integer} not null,
        link_id ${t.integer} not null references drop_link (id),
        token_digest text not null unique,
        fields text not null,
        ip text not null,
        created_at ${t.integer} not null
      ) ${t.strict}`,
      'create index drop_sender_link on drop_sender (link_id, created_at)',
      `create table drop_arrival (
        id ${t.key},
        tenant_id ${t.integer} not null,
        link_id ${t.integer} not null references drop_link (id),
        sender_id ${t.integer} not null references drop_sender (id),
        key text not null,
        address text not null,
        file_name text not null,
        path text,
        file_size ${t.integer} not null,
        file_id ${t.integer},
        received_at ${t.integer},
        receipt text,
        created_at ${t.integer} not null,
        unique (sender_id, key),
        check ((file_id is null) = (receipt is null) and (file_id is null) = (received_at is null))
      ) ${t.strict}`,
      'create index drop_arrival_link on drop_arrival (link_id, received_at, id)',
      'create index drop_arrival_address on drop_arrival (link_id, address)',
      'create index drop_arrival_under_way on drop_arrival (id) where receipt is null',
    ],
  },
];
