// Table types and migrations of envelopes.
import { sql } from 'kysely';
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
    name: 'V1.18 key envelopes',
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
        updated_at ${t.integer} not null
      ) ${t.strict}`,
      'create index envelope_file on envelope (tenant_id, file_id)',
      'create index envelope_recipient on envelope (tenant_id, recipient_type, recipient_id)',
    ],
  },
  {
    name: 'V1.19 one active envelope per recipient',
    precondition: async tx => {
      const { rows } = await sql<{ count: number }>`
        select count(*) as count from (
          select 1 from envelope where status = 'ACTIVE'
          group by tenant_id, file_id, file_hash, recipient_type, recipient_id having count(*) > 1
        ) as doubled`.execute(tx);
      const doubled = rows[0]?.count ?? 0;
      return doubled === 0
        ? null
        : `${doubled} recipients have more than one ACTIVE envelope; set all but one of each to SUPERSEDED or REVOKED and start again.`;
    },
    statements: () => [
      `create unique index envelope_active on envelope (tenant_id, file_id, file_hash, recipient_type, recipient_id) where status = 'ACTIVE'`,
    ],
  },
  {
    name: 'V1.20.2 suites of envelopes',
    statements: () => [
      `alter table envelope add column signature_suite text not null default 'UNSIGNED-V1'`,
      `alter table envelope add column kem_suite text not null default 'NONE-V1'`,
    ],
  },
  {
    name: 'V1.21 envelopes by the key that wraps them',
    statements: () => [
      `create index envelope_wrapped_by on envelope (provider, provider_key_version) where status = 'ACTIVE'`,
    ],
  },
  {
    name: 'V1.39.44 check values of data keys',
    statements: () => ['alter table envelope add column key_check text'],
  },
];
