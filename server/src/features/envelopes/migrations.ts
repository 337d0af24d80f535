// Table types and migrations of envelopes.
import type { Migration } from '../../platform/db/migrate.ts';

declare module '../../platform/db/tables.ts' {
  interface Tables {
    envelope: {
      id: NewKey;
      tenant_id: Key;
      file_id: Key;
      file_hash: string;
      recipient_type: string;
      recipient_id: string;
      status: string;
      provider: string;
      provider_contract: number;
      provider_key_version: string;
      logical_key_version: number;
      algorithm: string;
      wrapped_key: Buffer;
      aad_digest: string;
      /** The suites of its form. */
      signature_suite: string;
      kem_suite: string;
      /** Check value of the data key, in hex; null in envelopes from older servers. */
      key_check: string | null;
      created_at: Time;
      updated_at: Time;
    };
  }
}

export const envelopeMigrations: readonly Migration[] = [
  {
    name: 'V2.0.26 tables of envelopes',
    statements: t => [
      `create table envelope (
        id ${t.key},
        tenant_id ${t.integer} not null,
        file_id ${t.integer} not null references file (id),
        file_hash text not null,
        recipient_type text not null check (recipient_type in ('OWNER', 'SHARE', 'FRIEND_SHARE')),
        recipient_id text not null,
        status text not null check (status in ('ACTIVE', 'PENDING_VERIFICATION', 'SUPERSEDED', 'REVOKED')),
        provider text not null,
        provider_contract ${t.integer} not null,
        provider_key_version text not null,
        logical_key_version ${t.integer} not null,
        algorithm text not null,
        wrapped_key ${t.bytes} not null,
        aad_digest text not null,
        created_at ${t.integer} not null,
        updated_at ${t.integer} not null,
        signature_suite text not null default 'UNSIGNED-V1',
        kem_suite text not null default 'NONE-V1',
        key_check text
      ) ${t.strict}`,
      'create index envelope_file on envelope (tenant_id, file_id)',
      'create index envelope_recipient on envelope (tenant_id, recipient_type, recipient_id)',
      `create unique index envelope_active on envelope (tenant_id, file_id, file_hash, recipient_type, recipient_id) where status = 'ACTIVE'`,
      `create index envelope_wrapped_by on envelope (provider, provider_key_version) where status = 'ACTIVE'`,
    ],
  },
];
