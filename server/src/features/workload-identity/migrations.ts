// Table types and migrations of workload identity.
import type { Migration } from '../../platform/db/migrate.ts';

declare module '../../platform/db/tables.ts' {
  interface Tables {
    workload_identity_rule: {
      id: NewKey;
      tenant_id: Key;
      /** The service account. */
      user_id: Key;
      created_by: Key;
      name: string;
      issuer: string;
      audience: string;
      /** JSON: names and patterns. */
      claims: string;
      /** Separated by spaces, like the addresses. */
      scopes: string;
      folder: string | null;
      addresses: string;
      created_at: Time;
    };
    /** Exchanged identity tokens, by digest: each is valid once. */
    workload_identity_use: { digest: string; expires_at: Time };
  }
}

export const workloadIdentityMigrations: readonly Migration[] = [
  {
    name: 'V2.0.38 tables of workload identity',
    statements: t => [
      `create table workload_identity_rule (
        id ${t.key},
        tenant_id ${t.integer} not null,
        user_id ${t.integer} not null references account (id),
        created_by ${t.integer} not null,
        name text not null,
        issuer text not null,
        audience text not null,
        claims text not null,
        scopes text not null,
        folder text,
        addresses text not null,
        created_at ${t.integer} not null
      ) ${t.strict}`,
      'create index workload_identity_rule_user on workload_identity_rule (tenant_id, user_id, id)',
      `create table workload_identity_use (digest text primary key, expires_at ${t.integer} not null) ${t.strict}`,
      'create index workload_identity_use_expires on workload_identity_use (expires_at)',
    ],
  },
];
