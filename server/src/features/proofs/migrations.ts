// Table types and migrations of proofs.
import type { ProofState } from '@recordproof/shared/api/proofs.ts';
import type { Migration } from '../../platform/db/migrate.ts';

declare module '../../platform/db/tables.ts' {
  interface Tables {
    /** The public half of every key that ever signed a proof; never deleted. One is ACTIVE. */
    proof_key: {
      id: NewKey;
      key_id: string;
      key_version: number;
      provider: string;
      provider_contract: number;
      /** Base64 X.509 SubjectPublicKeyInfo. */
      public_spki: string;
      fingerprint: string;
      status: 'ACTIVE' | 'RETIRED';
      created_at: Time;
      retired_at: Time | null;
    };
    proof: {
      id: NewKey;
      proof_id: string;
      tenant_id: Key;
      file_id: Key;
      file_version: number;
      version_group_id: Key;
      leaf_id: Key;
      key_id: string;
      key_version: number;
      status: ProofState;
      status_version: number;
      reason: string | null;
      /** Of manifest.json, in hex; empty if an earlier release left an unreadable JWS. */
      manifest_sha256: string;
      /** Base64url, made once, at issue. The rest of the JWS is built again from the evidence. */
      signature: string;
      /** The suites of signature and archive. */
      signature_suite: string;
      archive_suite: string;
      issued_at: Time;
      updated_at: Time;
    };
  }
}

export const proofMigrations: readonly Migration[] = [
  {
    name: 'V2.0.15 tables of proofs',
    statements: t => [
      `create table proof_key (
        id ${t.key},
        key_id text not null,
        key_version ${t.integer} not null unique,
        provider text not null,
        provider_contract ${t.integer} not null,
        public_spki text not null,
        fingerprint text not null unique,
        status text not null check (status in ('ACTIVE', 'RETIRED')),
        created_at ${t.integer} not null,
        retired_at ${t.integer}
      ) ${t.strict}`,
      `create unique index proof_key_active on proof_key (status) where status = 'ACTIVE'`,
      `create table proof (
        id ${t.key},
        proof_id text not null unique,
        tenant_id ${t.integer} not null,
        file_id ${t.integer} not null unique references file (id),
        file_version ${t.integer} not null,
        version_group_id ${t.integer} not null,
        leaf_id ${t.integer} not null unique references attestation_leaf (id),
        key_id text not null,
        key_version ${t.integer} not null,
        status text not null check (status in ('ACTIVE', 'SUPERSEDED', 'REVOKED', 'INVALID')),
        status_version ${t.integer} not null check (status_version > 0),
        reason text,
        issued_at ${t.integer} not null,
        updated_at ${t.integer} not null,
        signature_suite text not null default 'JWS-EDDSA-ED25519-V1',
        archive_suite text not null default 'RP-SIGNED-PROOF-ZIP-V2',
        manifest_sha256 text not null default '',
        signature text not null default ''
      ) ${t.strict}`,
      `create index proof_in_force on proof (version_group_id, file_version) where status = 'ACTIVE'`,
    ],
  },
];
