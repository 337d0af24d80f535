// Table types and migrations of single sign on.
import type { Migration } from '../../platform/db/migrate.ts';

declare module '../../platform/db/tables.ts' {
  interface Tables {
    /** A person at a provider, and the connected account. */
    sso_identity: {
      id: NewKey;
      issuer: string;
      subject: string;
      /** The provider that connected it last. */
      provider: string;
      tenant_id: Key;
      user_id: Key;
      /** 1: the account was created by this identity and has no known password. */
      is_origin: number;
      created_at: Time;
      last_used_at: Time | null;
    };
    /**
     * Sign-ins in progress at the provider. Nonce and PKCE verifier are derived from the state, which is not stored.
     */
    sso_flow: {
      id: NewKey;
      state_digest: string;
      /** Digest of the cookie of the browser that started it. */
      browser_digest: string;
      provider: string;
      purpose: string;
      stays: number;
      return_to: string;
      /** 1: the provider has to authenticate the person again. */
      is_fresh: number;
      /** Purposes `connect` and `step-up`: the session that started it. */
      tenant_id: Key | null;
      user_id: Key | null;
      auth_version: number | null;
      token_id: string | null;
      /** Purpose `program`: the waiting program. */
      program_id: Key | null;
      created_at: Time;
      expires_at: Time;
    };
    /** Programs waiting for a sign-in in a browser: on a loopback port, or with a device code. */
    sso_program: {
      id: NewKey;
      kind: string;
      provider: string;
      /** Digest of the URL opened by a program, or of the device code it polls with. */
      request_digest: string;
      user_code_digest: string | null;
      port: number | null;
      code_challenge: string | null;
      client_state: string | null;
      /** 1: for an existing session, whose account is in the row from the start. */
      is_step_up: number;
      /** The program's IP address. */
      address: string;
      state: string;
      problem: string | null;
      /** Digest of the code that the browser delivers to the port. */
      code_digest: string | null;
      tenant_id: Key | null;
      user_id: Key | null;
      /** When the person signed in at the provider. */
      proven_at: Time | null;
      created_at: Time;
      expires_at: Time;
    };
    /** Sessions started at a provider; they end after `sso.session-hours`. */
    sso_session: {
      token_id: string;
      provider: string;
      tenant_id: Key;
      user_id: Key;
      started_at: Time;
    };
    /** One-time links for administrators to sign in without provider and password. */
    sign_in_link: {
      id: NewKey;
      code_digest: string;
      tenant_id: Key;
      user_id: Key;
      created_at: Time;
      expires_at: Time;
    };
  }
}

export const singleSignOnMigrations: readonly Migration[] = [
  {
    name: 'V2.0.40 tables of single sign-on',
    statements: t => [
      `create table sso_identity (
        id ${t.key},
        issuer text not null,
        subject text not null,
        provider text not null,
        tenant_id ${t.integer} not null,
        user_id ${t.integer} not null,
        is_origin ${t.integer} not null,
        created_at ${t.integer} not null,
        last_used_at ${t.integer},
        unique (issuer, subject)
      ) ${t.strict}`,
      'create index sso_identity_user on sso_identity (tenant_id, user_id)',
      `create table sso_flow (
        id ${t.key},
        state_digest text not null unique,
        browser_digest text not null,
        provider text not null,
        purpose text not null check (purpose in ('sign-in', 'connect', 'program', 'step-up')),
        stays ${t.integer} not null,
        return_to text not null,
        is_fresh ${t.integer} not null,
        tenant_id ${t.integer},
        user_id ${t.integer},
        auth_version ${t.integer},
        token_id text,
        program_id ${t.integer},
        created_at ${t.integer} not null,
        expires_at ${t.integer} not null
      ) ${t.strict}`,
      'create index sso_flow_expires on sso_flow (expires_at)',
      `create table sso_program (
        id ${t.key},
        kind text not null check (kind in ('loopback', 'device')),
        provider text not null,
        request_digest text not null unique,
        user_code_digest text unique,
        port ${t.integer},
        code_challenge text,
        client_state text,
        address text not null,
        state text not null check (state in ('WAITING', 'APPROVED', 'REJECTED')),
        problem text,
        code_digest text unique,
        tenant_id ${t.integer},
        user_id ${t.integer},
        proven_at ${t.integer},
        created_at ${t.integer} not null,
        expires_at ${t.integer} not null,
        is_step_up ${t.integer} not null default 0
      ) ${t.strict}`,
      'create index sso_program_expires on sso_program (expires_at)',
      `create table sso_session (
        token_id text primary key,
        provider text not null,
        tenant_id ${t.integer} not null,
        user_id ${t.integer} not null,
        started_at ${t.integer} not null
      ) ${t.strict}`,
      'create index sso_session_started on sso_session (started_at)',
      `create table sign_in_link (
        id ${t.key},
        code_digest text not null unique,
        tenant_id ${t.integer} not null,
        user_id ${t.integer} not null,
        created_at ${t.integer} not null,
        expires_at ${t.integer} not null
      ) ${t.strict}`,
      'create index sign_in_link_expires on sign_in_link (expires_at)',
    ],
  },
];
