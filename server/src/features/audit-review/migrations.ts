// Table types and migrations of the audit log.
import type { AuditConfigKey } from '@recordproof/shared/api/audit-figures.ts';
import type { Migration } from '../../platform/db/migrate.ts';

declare module '../../platform/db/tables.ts' {
  interface Tables {
    /** The position up to which a tenant's rows are counted in the three tables below. */
    audit_counted: { tenant_id: Key; position: number };
    /** `day` is the number of days since 1970. */
    audit_day: {
      tenant_id: Key;
      day: number;
      module: string;
      operation_type: string;
      operations: number;
      errors: number;
    };
    audit_hour: { tenant_id: Key; hour: number; operations: number };
    /** Operations per user and minute; kept for two days. */
    audit_minute: {
      tenant_id: Key;
      minute: number;
      user_id: Key;
      username: string;
      request_ip: string;
      operations: number;
    };
    audit_config: { tenant_id: Key; config_key: AuditConfigKey; config_value: string; updated_at: Time };
    /** Anomalies, and when each was reported. */
    audit_alert: { tenant_id: Key; kind: string; subject: string; seen_at: Time; told_at: Time };
    /** The head of a tenant's log that was last recorded on the ledger. */
    audit_recorded: { tenant_id: Key; position: number; recorded_at: Time };
    audit_backup: {
      id: NewKey;
      tenant_id: Key;
      first_position: number;
      last_position: number;
      last_hash: string;
      digest: string;
      file_size: number;
      object_key: string;
      /** The signed statement and its signature: the last line of the file. */
      statement: string;
      jws: string;
      /** 1 if its rows were to be deleted. */
      deleted: number;
      created_at: Time;
    };
  }
}

export const auditReviewMigrations: readonly Migration[] = [
  {
    name: 'V2.0.33 tables of the audit review',
    statements: ({ key, integer, strict }) => [
      `create table audit_counted (tenant_id ${integer} primary key, position ${integer} not null) ${strict}`,
      `create table audit_day (
        tenant_id ${integer} not null, day ${integer} not null, module text not null, operation_type text not null,
        operations ${integer} not null, errors ${integer} not null,
        primary key (tenant_id, day, module, operation_type)
      ) ${strict}`,
      `create table audit_hour (
        tenant_id ${integer} not null, hour ${integer} not null, operations ${integer} not null, primary key (tenant_id, hour)
      ) ${strict}`,
      `create table audit_minute (
        tenant_id ${integer} not null, minute ${integer} not null, user_id ${integer} not null, username text not null,
        request_ip text not null, operations ${integer} not null, primary key (tenant_id, minute, user_id, request_ip)
      ) ${strict}`,
      `create table audit_config (
        tenant_id ${integer} not null, config_key text not null, config_value text not null, updated_at ${integer} not null,
        primary key (tenant_id, config_key)
      ) ${strict}`,
      `create table audit_alert (
        tenant_id ${integer} not null, kind text not null, subject text not null, seen_at ${integer} not null,
        told_at ${integer} not null, primary key (tenant_id, kind, subject)
      ) ${strict}`,
      `create table audit_backup (
        id ${key}, tenant_id ${integer} not null, first_position ${integer} not null, last_position ${integer} not null,
        last_hash text not null, digest text not null, file_size ${integer} not null, object_key text not null,
        statement text not null, jws text not null, deleted ${integer} not null, created_at ${integer} not null,
        unique (tenant_id, first_position)
      ) ${strict}`,
      `create table audit_recorded (
        tenant_id ${integer} primary key, position ${integer} not null, recorded_at ${integer} not null
      ) ${strict}`,
    ],
  },
];
