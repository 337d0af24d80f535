// Table types and migrations of the audit log.
import type { Generated } from 'kysely';
import type { Migration } from '../../platform/db/migrate.ts';

declare module '../../platform/db/tables.ts' {
  interface Tables {
    /** The newest link of each tenant's chain. Locking this row is the right to append. */
    audit_head: { tenant_id: Key; length: number; hash: string };
    /** Rows up to this position were moved into signed backups and deleted: verification starts from this hash. */
    audit_anchor: { tenant_id: Key; position: number; hash: string };
    audit_log: {
      id: NewKey;
      tenant_id: Key;
      /** Position in the tenant's chain, from 1. */
      position: number;
      module: string;
      operation_type: string;
      /** Description, method, URL, request method and parameters (packed-row.ts). */
      packed: Buffer;
      request_ip: string;
      status: number;
      error_msg: string | null;
      user_id: Key | null;
      username: string | null;
      operation_time: Time;
      execution_time: number;
      hash: Buffer;
      /**
       * How often the same refusal was repeated within the minute; not part of this row's hash, but of the row that
       * seals it.
       */
      repeated: Generated<number>;
    };
    /** Refusals whose minute is running, or whose repetitions are not sealed yet. */
    audit_refusal: { tenant_id: Key; subject: string; position: number; opened_at: Time; repeated: number };
  }
}

export const auditMigrations: readonly Migration[] = [
  {
    name: 'V2.0.6 tables of the audit log',
    statements: t => [
      `create table audit_head (tenant_id ${t.integer} primary key, length ${t.integer} not null, hash text not null) ${t.strict}`,
      `create table audit_log (
        id ${t.key},
        tenant_id ${t.integer} not null,
        position ${t.integer} not null,
        module text not null,
        operation_type text not null,
        request_ip text not null,
        status ${t.integer} not null,
        error_msg text,
        user_id ${t.integer},
        username text,
        operation_time ${t.integer} not null,
        execution_time ${t.integer} not null,
        repeated ${t.integer} not null default 0,
        packed ${t.bytes} not null default ${t.emptyBytes},
        hash ${t.bytes} not null default ${t.emptyBytes},
        unique (tenant_id, position)
      ) ${t.strict}`,
      'create index audit_log_time on audit_log (tenant_id, operation_time)',
      'create index audit_log_user on audit_log (tenant_id, user_id, operation_time) where user_id is not null',
      `create table audit_anchor (tenant_id ${t.integer} primary key, position ${t.integer} not null, hash text not null) ${t.strict}`,
      'create index audit_log_operation on audit_log (tenant_id, module, operation_type, operation_time)',
      'create index audit_log_username on audit_log (tenant_id, username, operation_time) where username is not null',
      'create index audit_log_address on audit_log (tenant_id, request_ip, operation_time)',
      'create index audit_log_errors on audit_log (tenant_id, operation_time) where status = 1',
      `create table audit_refusal (
        tenant_id ${t.integer} not null,
        subject text not null,
        position ${t.integer} not null,
        opened_at ${t.integer} not null,
        repeated ${t.integer} not null,
        primary key (tenant_id, subject)
      ) ${t.strict}`,
    ],
  },
];
