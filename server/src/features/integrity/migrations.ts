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
      /** What was found, as JSON. */
      evidence: string;
      actual_hash: string | null;
      chain_hash: string | null;
      created_at: Time;
      updated_at: Time;
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
];
