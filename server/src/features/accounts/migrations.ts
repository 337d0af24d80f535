import type { Migration } from '../../platform/db/migrate.ts';

declare module '../../platform/db/tables.ts' {
  interface Tables {
    tenant: { id: NewKey; name: string; created_at: Time };
    account: {
      id: NewKey;
      tenant_id: Key;
      external_id: string;
      username: string;
      /** What uniqueness and login look at: case does not count. */
      username_folded: string;
      email: string;
      nickname: string | null;
      /** What searches look at. */
      nickname_folded: string | null;
      avatar: string | null;
      role: string;
      status: string;
      password_hash: string;
      /** Tokens made under another number are dead. */
      auth_version: number;
      registered_at: Time;
      /** When it was closed for good, and its personal data erased. */
      deleted_at: Time | null;
    };
  }
}

export const accountMigrations: readonly Migration[] = [
  {
    name: 'V1.1.1 tenants and accounts',
    statements: t => [
      `create table tenant (id ${t.key}, name text not null unique, created_at ${t.integer} not null) ${t.strict}`,
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
        unique (tenant_id, username_folded)
      ) ${t.strict}`,
      'create index account_registered on account (tenant_id, registered_at)',
      'create index account_role on account (tenant_id, role)',
    ],
  },
  {
    name: 'V1.8.0 nicknames to search in',
    statements: () => [
      'alter table account add column nickname_folded text',
      'update account set nickname_folded = lower(nickname)',
      'create index account_names on account (tenant_id, status, username_folded, nickname_folded, id)',
    ],
  },
  {
    name: 'V1.41.12 deleted accounts',
    statements: t => [`alter table account add column deleted_at ${t.integer}`],
  },
];
