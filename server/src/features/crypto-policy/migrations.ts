// Table types and migrations of the cryptographic policy.
import type { Migration } from '../../platform/db/migrate.ts';

declare module '../../platform/db/tables.ts' {
  interface Tables {
    /** The choices of a tenant; no row for the defaults. */
    crypto_policy: {
      id: NewKey;
      tenant_id: Key;
      version: number;
      content_encryption_suite: string;
      envelope_signature_suite: string;
      kem_suite: string;
      proof_suite: string;
      wrapping_provider: string;
      wrapping_provider_contract: number;
      signed_proof_signature_suite: string;
      signed_proof_suite: string;
      signing_provider: string;
      signing_provider_contract: number;
      updated_at: Time;
    };
  }
}

export const cryptoPolicyMigrations: readonly Migration[] = [
  {
    name: 'V2.0.27 tables of the cryptographic policy',
    statements: t => [
      `create table crypto_policy (
        id ${t.key},
        tenant_id ${t.integer} not null unique,
        version ${t.integer} not null check (version > 0),
        content_encryption_suite text not null,
        envelope_signature_suite text not null,
        kem_suite text not null,
        proof_suite text not null,
        wrapping_provider text not null,
        wrapping_provider_contract ${t.integer} not null,
        signed_proof_signature_suite text not null,
        signed_proof_suite text not null,
        signing_provider text not null,
        signing_provider_contract ${t.integer} not null,
        updated_at ${t.integer} not null
      ) ${t.strict}`,
    ],
  },
];
