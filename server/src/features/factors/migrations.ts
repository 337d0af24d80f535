// Table types and migrations of second factors.
import type { Migration } from '../../platform/db/migrate.ts';

declare module '../../platform/db/tables.ts' {
  interface Tables {
    /** One-time code apps, one per account. The secret is sealed; a `pending` one is not confirmed yet. */
    totp: {
      user_id: Key;
      tenant_id: Key;
      sealed_secret: string | null;
      confirmed_at: Time | null;
      /** The time step of the last accepted code: it and earlier ones are rejected. */
      last_step: number;
      pending_secret: string | null;
      pending_at: Time | null;
    };
    /** Unused recovery codes, as keyed digests. */
    recovery_code: { id: NewKey; tenant_id: Key; user_id: Key; code_digest: string };
    passkey: {
      id: NewKey;
      tenant_id: Key;
      user_id: Key;
      credential_id: string;
      public_key: string;
      /**
       * The authenticator's counter at its last use: one that does not grow indicates a copy. 0 for authenticators
       * without a counter.
       */
      counter: number;
      name: string;
      created_at: Time;
      last_used_at: Time | null;
    };
    /** Answered passkey challenges: each is valid once. */
    used_challenge: { challenge_digest: string; expires_at: Time };
    /** Roles of a tenant that require a second factor: `{"admin": since}`. */
    factor_requirement: { tenant_id: Key; roles: string; grace_days: number; changed_at: Time };
  }
}

export const factorMigrations: readonly Migration[] = [
  {
    name: 'V2.0.39 tables of second factors',
    statements: t => [
      `create table totp (
        user_id ${t.integer} primary key,
        tenant_id ${t.integer} not null,
        sealed_secret text,
        confirmed_at ${t.integer},
        last_step ${t.integer} not null,
        pending_secret text,
        pending_at ${t.integer}
      ) ${t.strict}`,
      `create table recovery_code (
        id ${t.key},
        tenant_id ${t.integer} not null,
        user_id ${t.integer} not null,
        code_digest text not null,
        unique (user_id, code_digest)
      ) ${t.strict}`,
      `create table factor_requirement (
        tenant_id ${t.integer} primary key,
        roles text not null,
        grace_days ${t.integer} not null,
        changed_at ${t.integer} not null
      ) ${t.strict}`,
      `create table passkey (
        id ${t.key},
        tenant_id ${t.integer} not null,
        user_id ${t.integer} not null,
        credential_id text not null unique,
        public_key text not null,
        counter ${t.integer} not null,
        name text not null,
        created_at ${t.integer} not null,
        last_used_at ${t.integer}
      ) ${t.strict}`,
      'create index passkey_account on passkey (tenant_id, user_id)',
      `create table used_challenge (
        challenge_digest text primary key,
        expires_at ${t.integer} not null
      ) ${t.strict}`,
      'create index used_challenge_expires on used_challenge (expires_at)',
    ],
  },
];
