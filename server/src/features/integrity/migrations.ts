// Table types and migrations of integrity checks and alerts.
import type { Migration } from '../../platform/db/migrate.ts';

declare module '../../platform/db/tables.ts' {
  interface Tables {
    integrity_alert: {
      id: NewKey;
      tenant_id: Key;
      file_id: Key;
      alert_type: string;
      severity: string;
      status: string;
      /** The finding, as JSON. */
      evidence: string;
      actual_hash: string | null;
      chain_hash: string | null;
      created_at: Time;
      updated_at: Time;
      acknowledged_by: Key | null;
      acknowledged_at: Time | null;
      resolved_by: Key | null;
      resolved_at: Time | null;
      /** How it was resolved, once RESOLVED. */
      resolution: string | null;
      note: string | null;
      /** Chunks replaced because of it so far. */
      healed_chunks: number;
      /** When files that share its objects were last checked, because they may have repaired it. */
      looked_at: Time;
      /** Ids of files that shared its objects then; they have not repaired it. */
      seen_sharers: string;
    };
  }
}

export const integrityMigrations: readonly Migration[] = [
  {
    name: 'V1.20.0 integrity alerts',
    statements: t => [
      `create table integrity_alert (
        id ${t.key},
        tenant_id ${t.integer} not null,
        file_id ${t.integer} not null references file (id),
        alert_type text not null,
        severity text not null check (severity in ('WARNING', 'ERROR', 'CRITICAL')),
        status text not null check (status in ('PENDING', 'ACKNOWLEDGED', 'RESOLVED')),
        evidence text not null,
        actual_hash text,
        chain_hash text,
        created_at ${t.integer} not null,
        updated_at ${t.integer} not null
      ) ${t.strict}`,
      `create unique index integrity_alert_unresolved on integrity_alert (tenant_id, file_id, alert_type)
        where status <> 'RESOLVED'`,
    ],
  },
  {
    name: 'V1.23.10 what became of integrity alerts',
    statements: t => [
      `alter table integrity_alert add column acknowledged_by ${t.integer}`,
      `alter table integrity_alert add column acknowledged_at ${t.integer}`,
      `alter table integrity_alert add column resolved_by ${t.integer}`,
      `alter table integrity_alert add column resolved_at ${t.integer}`,
      'alter table integrity_alert add column resolution text',
      'alter table integrity_alert add column note text',
      `alter table integrity_alert add column healed_chunks ${t.integer} not null default 0`,
      `alter table integrity_alert add column looked_at ${t.integer} not null default 0`,
      'update integrity_alert set looked_at = created_at',
      'create index integrity_alert_created on integrity_alert (tenant_id, created_at)',
    ],
  },
  {
    name: 'V1.24.3 who shared the objects of damaged files',
    statements: () => [`alter table integrity_alert add column seen_sharers text not null default ''`],
  },
  {
    name: 'V1.24.13 walks over the files of a tenant',
    statements: () => ['create index file_walk on file (tenant_id, id)'],
  },
];
