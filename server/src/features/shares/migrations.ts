// Table types and migrations of shares.
import type { Migration } from '../../platform/db/migrate.ts';

declare module '../../platform/db/tables.ts' {
  interface Tables {
    share: {
      id: NewKey;
      tenant_id: Key;
      owner_id: Key;
      code: string;
      /** 0 PUBLIC, 1 PRIVATE. */
      share_type: number;
      /**
       * 0 cancelled, 1 active, 2 expired; only an active one has envelopes. It expires by its time even before it is
       * marked.
       */
      status: number;
      password_hash: string | null;
      max_accesses: number | null;
      /** How often it was opened, out of max_accesses. */
      access_count: number;
      view_count: number;
      download_count: number;
      save_count: number;
      /** Grants of another generation are invalid. */
      generation: number;
      expire_at: Time;
      created_at: Time;
      /** Path of the shared folder, updated when the folder moves. Null for selected files. */
      folder: string | null;
      /** When that folder was created, for a share that includes later files; null for a fixed set. */
      folder_since: Time | null;
      title: string | null;
      message: string | null;
    };
    share_recipient: {
      id: NewKey;
      share_id: Key;
      tenant_id: Key;
      owner_id: Key;
      /** An address in small letters, or the user name of an account. */
      recipient: string;
      account_id: Key | null;
      mailed_at: Time | null;
    };
    share_file: { share_id: Key; tenant_id: Key; file_id: Key; position: number };
    share_access: {
      id: NewKey;
      tenant_id: Key;
      share_id: Key;
      /** 1 view, 2 download, 3 save. */
      action_type: number;
      actor_id: Key | null;
      ip: string;
      user_agent: string | null;
      file_id: Key | null;
      created_at: Time;
    };
    /** Files delivered under a grant; `expires_at` is that of the grant. */
    share_download: { grant_digest: string; file_id: Key; expires_at: Time };
    /** The number of shares per status; owner 0 is the whole tenant. */
    share_count: { tenant_id: Key; owner_id: Key; status: number; shares: number };
  }
}

export const shareMigrations: readonly Migration[] = [
  {
    name: 'V2.0.19 tables of shares',
    statements: t => [
      `create table share (
        id ${t.key},
        tenant_id ${t.integer} not null references tenant (id),
        owner_id ${t.integer} not null references account (id),
        code text not null unique,
        share_type ${t.integer} not null check (share_type in (0, 1)),
        status ${t.integer} not null check (status in (0, 1, 2)),
        password_hash text,
        max_accesses ${t.integer},
        access_count ${t.integer} not null,
        view_count ${t.integer} not null,
        download_count ${t.integer} not null,
        save_count ${t.integer} not null,
        generation ${t.integer} not null,
        expire_at ${t.integer} not null,
        created_at ${t.integer} not null,
        folder text,
        folder_since ${t.integer},
        title text,
        message text,
        check (max_accesses is null or max_accesses > 0)
      ) ${t.strict}`,
      'create index share_owner on share (tenant_id, owner_id, created_at, id)',
      'create index share_tenant on share (tenant_id, created_at, id)',
      'create index share_tenant_expiry on share (tenant_id, expire_at, id)',
      'create index share_due on share (expire_at) where status = 1',
      `create table share_file (
        share_id ${t.integer} not null references share (id),
        tenant_id ${t.integer} not null,
        file_id ${t.integer} not null references file (id),
        position ${t.integer} not null,
        primary key (share_id, file_id)
      ) ${t.strict}`,
      `create table share_access (
        id ${t.key},
        tenant_id ${t.integer} not null,
        share_id ${t.integer} not null references share (id),
        action_type ${t.integer} not null check (action_type in (1, 2, 3)),
        actor_id ${t.integer} references account (id),
        ip text not null,
        user_agent text,
        file_id ${t.integer} references file (id),
        created_at ${t.integer} not null
      ) ${t.strict}`,
      'create index share_access_share on share_access (share_id, id)',
      'create index share_access_age on share_access (created_at)',
      `create table share_count (
        tenant_id ${t.integer} not null,
        owner_id ${t.integer} not null,
        status ${t.integer} not null,
        shares ${t.integer} not null,
        primary key (tenant_id, owner_id, status)
      ) ${t.strict}`,
      'create index share_owner_expiry on share (tenant_id, owner_id, expire_at, id)',
      'create index share_status on share (tenant_id, status, created_at, id, expire_at)',
      'create index share_status_expiry on share (tenant_id, status, expire_at, id)',
      `create table share_download (
        grant_digest text not null,
        file_id ${t.integer} not null,
        expires_at ${t.integer} not null,
        primary key (grant_digest, file_id)
      ) ${t.strict}`,
      'create index share_download_expiry on share_download (expires_at)',
      'create index share_folder on share (tenant_id, owner_id, folder) where folder is not null',
      `create table share_recipient (
        id ${t.key},
        share_id ${t.integer} not null references share (id),
        tenant_id ${t.integer} not null,
        owner_id ${t.integer} not null,
        recipient text not null,
        account_id ${t.integer} references account (id),
        mailed_at ${t.integer},
        unique (share_id, recipient)
      ) ${t.strict}`,
      'create index share_recipient_owner on share_recipient (tenant_id, owner_id)',
      'create index share_recipient_account on share_recipient (account_id) where account_id is not null',
    ],
  },
];
