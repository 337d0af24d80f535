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
    name: 'V2.0.28 tables of integrity alerts',
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
        updated_at ${t.integer} not null,
        acknowledged_by ${t.integer},
        acknowledged_at ${t.integer},
        resolved_by ${t.integer},
        resolved_at ${t.integer},
        resolution text,
        note text,
        healed_chunks ${t.integer} not null default 0,
        looked_at ${t.integer} not null default 0,
        seen_sharers text not null default ''
      ) ${t.strict}`,
      `create unique index integrity_alert_unresolved on integrity_alert (tenant_id, file_id, alert_type)
        where status <> 'RESOLVED'`,
      'create index integrity_alert_created on integrity_alert (tenant_id, created_at)',
      'create index file_walk on file (tenant_id, id)',
    ],
  },
];
