// Table types and migrations of accounts.
import type { TenantStatus } from '@recordproof/shared/api/tenants.ts';
import type { Generated } from 'kysely';
import type { Migration } from '../../platform/db/migrate.ts';

declare module '../../platform/db/tables.ts' {
  interface Tables {
    tenant: {
      id: NewKey;
      name: string;
      created_at: Time;
      status: Generated<TenantStatus>;
      /** The time and reason of the last status change. */
      status_at: Time | null;
      status_reason: string | null;
    };
    account: {
      id: NewKey;
      tenant_id: Key;
      external_id: string;
      username: string;
      /** For case-insensitive uniqueness and login. */
      username_folded: string;
      email: string;
      nickname: string | null;
      /** For case-insensitive search. */
      nickname_folded: string | null;
      avatar: string | null;
      role: string;
      status: string;
      password_hash: string;
      /** Tokens issued under another version are invalid. */
      auth_version: number;
      registered_at: Time;
      /** The time when it was closed and its personal data erased. */
      deleted_at: Time | null;
      /** `person` or `service`; programs use a service account with API tokens, and it has no sign-in. */
      kind: Generated<string>;
      /** 1: manages the tenants of the installation, besides its role. */
      installation_admin: Generated<number>;
    };
  }
}

export const accountMigrations: readonly Migration[] = [
  {
    name: 'V2.0.7 tables of accounts',
    statements: t => [
      `create table tenant (
        id ${t.key},
        name text not null unique,
        created_at ${t.integer} not null,
        status text not null default 'ACTIVE' check (status in ('ACTIVE', 'SUSPENDED', 'DELETING', 'DELETED')),
        status_at ${t.integer},
        status_reason text
      ) ${t.strict}`,
      `create table account (
        id ${t.key},
        tenant_id ${t.integer} not null references tenant (id),
        external_id text not null unique,
        username text not null,
        username_folded text not null,
        email text not null unique,
        nickname text,
        avatar text,
        role text not null check (role in ('user', 'admin', 'monitor')),
        status text not null check (status in ('ACTIVE', 'SUSPENDED')),
        password_hash text not null,
        auth_version ${t.integer} not null,
        registered_at ${t.integer} not null,
        nickname_folded text,
        deleted_at ${t.integer},
        installation_admin ${t.integer} not null default 0 check (installation_admin in (0, 1)),
        kind text not null default 'person' check (kind in ('person', 'service')),
        unique (tenant_id, username_folded)
      ) ${t.strict}`,
      'create index account_registered on account (tenant_id, registered_at)',
      'create index account_role on account (tenant_id, role)',
      'create index account_names on account (tenant_id, status, username_folded, nickname_folded, id)',
    ],
  },
];
