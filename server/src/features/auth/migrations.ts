// Table types and migrations of authentication.
import type { Generated } from 'kysely';
import type { Migration } from '../../platform/db/migrate.ts';

declare module '../../platform/db/tables.ts' {
  interface Tables {
    /** Tokens revoked before their expiry; a row is kept until the token would have expired. */
    revoked_token: {
      token_id: string;
      expires_at: Time;
      /** The token that replaced it. */
      successor: string | null;
    };
    /** Failed logins by account, or by the tried name if there is no such account. */
    login_failure: { subject: string; failures: number; locked_until: Time | null; updated_at: Time };
    /** Addresses from which the right password of an account was given, as digests. */
    known_address: { user_id: Key; tenant_id: Key; address_digest: string; seen_at: Time };
    mail_code: {
      id: NewKey;
      email: string;
      type: string;
      /** Keyed digest; null until the mail is being sent. */
      code_digest: string | null;
      tries_left: number;
      created_at: Time;
      expires_at: Time;
    };
    /** Persistent browser sessions, each by the digest of its cookie. All tokens of one have its token id. */
    kept_session: {
      id: NewKey;
      secret_digest: string;
      tenant_id: Key;
      user_id: Key;
      auth_version: number;
      token_id: string;
      /** 1: as long as it is used; 0: until the browser is closed. */
      stays: number;
      created_at: Time;
      expires_at: Time;
    };
    /** Active sessions, each by the id of its newest token. */
    session: {
      id: NewKey;
      tenant_id: Key;
      user_id: Key;
      token_id: string;
      /** The account's version at sign-in: a session of another version has ended. */
      auth_version: number;
      /** The client's description of itself, for display. */
      device: string;
      address: string;
      created_at: Time;
      last_used_at: Time;
      /** When a factor was last given. */
      proven_at: Time;
      /** 1: signed in through an identity provider, which uses its own factors. */
      by_provider: Generated<number>;
      expires_at: Time;
    };
    /** Sign-ins with the right password that need one more step, each by the digest of its challenge. */
    pending_sign_in: {
      id: NewKey;
      challenge_digest: string;
      /** What the challenge permits: giving the second factor, or enrolling one. */
      purpose: string;
      tenant_id: Key;
      user_id: Key;
      auth_version: number;
      /** The tried name, as failures are counted. */
      subject: string;
      address_digest: string;
      tries_left: number;
      created_at: Time;
      expires_at: Time;
    };
    /** Devices and addresses of completed sign-ins, as digests; the owner is notified of any other. */
    known_device: { user_id: Key; tenant_id: Key; device_digest: string; address_digest: string; seen_at: Time };
    /** Digests of set-up codes for the first administrator, one per server start; empty once there is one. */
    setup_code: { id: NewKey; code_digest: string; created_at: Time };
  }
}

export const authMigrations: readonly Migration[] = [
  {
    name: 'V2.0.8 tables of authentication',
    statements: t => [
      `create table revoked_token (token_id text primary key, expires_at ${t.integer} not null, successor text) ${t.strict}`,
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
      `create table setup_code (id ${t.key}, code_digest text not null unique, created_at ${t.integer} not null) ${t.strict}`,
      `create table known_address (
        user_id ${t.integer} not null,
        tenant_id ${t.integer} not null,
        address_digest text not null,
        seen_at ${t.integer} not null,
        primary key (user_id, address_digest)
      ) ${t.strict}`,
      'create index known_address_seen on known_address (seen_at)',
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
      `create table session (
        id ${t.key},
        tenant_id ${t.integer} not null,
        user_id ${t.integer} not null,
        token_id text not null unique,
        auth_version ${t.integer} not null,
        device text not null,
        address text not null,
        created_at ${t.integer} not null,
        last_used_at ${t.integer} not null,
        proven_at ${t.integer} not null,
        expires_at ${t.integer} not null,
        by_provider ${t.integer} not null default 0
      ) ${t.strict}`,
      'create index session_account on session (tenant_id, user_id, last_used_at)',
      'create index session_expires on session (expires_at)',
      `create table known_device (
        user_id ${t.integer} not null,
        tenant_id ${t.integer} not null,
        device_digest text not null,
        address_digest text not null,
        seen_at ${t.integer} not null,
        primary key (user_id, device_digest, address_digest)
      ) ${t.strict}`,
      'create index known_device_seen on known_device (seen_at)',
      `create table pending_sign_in (
        id ${t.key},
        challenge_digest text not null unique,
        purpose text not null check (purpose in ('second-factor', 'enrolment')),
        tenant_id ${t.integer} not null,
        user_id ${t.integer} not null,
        auth_version ${t.integer} not null,
        subject text not null,
        address_digest text not null,
        tries_left ${t.integer} not null,
        created_at ${t.integer} not null,
        expires_at ${t.integer} not null
      ) ${t.strict}`,
      'create index pending_sign_in_expires on pending_sign_in (expires_at)',
    ],
  },
];
