import type { Migration } from '../../platform/db/migrate.ts';

declare module '../../platform/db/tables.ts' {
  interface Tables {
    /** Tokens that were ended before their time; a row lives as long as its token would have. */
    revoked_token: {
      token_id: string;
      expires_at: Time;
      /** The token that was made in its place. */
      successor: string | null;
    };
    /** Failed logins by account, or by the name that was tried where there is no such account. */
    login_failure: { subject: string; failures: number; locked_until: Time | null; updated_at: Time };
    /** Addresses from which the right password of an account was given, as digests. */
    known_address: { user_id: Key; tenant_id: Key; address_digest: string; seen_at: Time };
    mail_code: {
      id: NewKey;
      email: string;
      type: string;
      /** Keyed digest; null until the mail is on its way. */
      code_digest: string | null;
      tries_left: number;
      created_at: Time;
      expires_at: Time;
    };
    /** Sessions that a browser keeps, each by the digest of what stands in its cookie. Every token of one has its token id. */
    kept_session: {
      id: NewKey;
      secret_digest: string;
      tenant_id: Key;
      user_id: Key;
      auth_version: number;
      token_id: string;
      /** 1: for as long as it is used; 0: until the browser is closed. */
      stays: number;
      created_at: Time;
      expires_at: Time;
    };
    /** Digests of the codes for making the first administrator, one per start of a server; none once there is one. */
    setup_code: { id: NewKey; code_digest: string; created_at: Time };
  }
}

export const authMigrations: readonly Migration[] = [
  {
    name: 'V1.1.2 sessions and codes',
    statements: t => [
      `create table revoked_token (token_id text primary key, expires_at ${t.integer} not null) ${t.strict}`,
      'create index revoked_token_expires on revoked_token (expires_at)',
      `create table login_failure (
        subject text primary key,
        failures ${t.integer} not null,
        locked_until ${t.integer},
        updated_at ${t.integer} not null
      ) ${t.strict}`,
      'create index login_failure_updated on login_failure (updated_at)',
      `create table mail_code (
        id ${t.key},
        email text not null,
        type text not null check (type in ('register', 'reset', 'modify')),
        code_digest text,
        tries_left ${t.integer} not null,
        created_at ${t.integer} not null,
        expires_at ${t.integer} not null,
        unique (email, type)
      ) ${t.strict}`,
      'create index mail_code_expires on mail_code (expires_at)',
      `create table setup_code (id ${t.integer} primary key check (id = 1), code_digest text not null, created_at ${t.integer} not null) ${t.strict}`,
    ],
  },
  {
    name: 'V1.1.3 a set-up code per server',
    statements: t => [
      'drop table setup_code',
      `create table setup_code (id ${t.key}, code_digest text not null unique, created_at ${t.integer} not null) ${t.strict}`,
    ],
  },
  {
    name: 'V1.1.4 successors of tokens',
    statements: () => ['alter table revoked_token add column successor text'],
  },
  {
    name: 'V1.1.5 known addresses of accounts',
    statements: t => [
      `create table known_address (
        user_id ${t.integer} not null,
        tenant_id ${t.integer} not null,
        address_digest text not null,
        seen_at ${t.integer} not null,
        primary key (user_id, address_digest)
      ) ${t.strict}`,
      'create index known_address_seen on known_address (seen_at)',
    ],
  },
  {
    name: 'V1.27.1 sessions kept by browsers',
    statements: t => [
      `create table kept_session (
        id ${t.key},
        secret_digest text not null unique,
        tenant_id ${t.integer} not null,
        user_id ${t.integer} not null,
        auth_version ${t.integer} not null,
        token_id text not null unique,
        stays ${t.integer} not null,
        created_at ${t.integer} not null,
        expires_at ${t.integer} not null
      ) ${t.strict}`,
      'create index kept_session_user on kept_session (tenant_id, user_id, id)',
      'create index kept_session_expires on kept_session (expires_at)',
    ],
  },
];
