// Table types and migrations of the audit log.
import type { Generated } from 'kysely';
import type { Migration } from '../../platform/db/migrate.ts';
import { bytesOfHex, emptyBytes } from '../../platform/db/pack-column.ts';
import { packAllAuditRows } from './packed-row.ts';

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
    name: 'V1.1.0 audit log',
    statements: t => [
      `create table audit_head (tenant_id ${t.integer} primary key, length ${t.integer} not null, hash text not null) ${t.strict}`,
      `create table audit_log (
        id ${t.key},
        tenant_id ${t.integer} not null,
        position ${t.integer} not null,
        module text not null,
        operation_type text not null,
        description text not null,
        method text not null,
        request_url text not null,
        request_method text not null,
        request_ip text not null,
        request_param text not null,
        status ${t.integer} not null,
        error_msg text,
        user_id ${t.integer},
        username text,
        operation_time ${t.integer} not null,
        execution_time ${t.integer} not null,
        previous_hash text not null,
        hash text not null,
        unique (tenant_id, position)
      ) ${t.strict}`,
      'create index audit_log_time on audit_log (tenant_id, operation_time)',
      'create index audit_log_user on audit_log (tenant_id, user_id, operation_time)',
    ],
  },
  {
    name: 'V1.39.0 the log of audit to look through, and its cut end',
    statements: t => [
      `create table audit_anchor (tenant_id ${t.integer} primary key, position ${t.integer} not null, hash text not null) ${t.strict}`,
      'create index audit_log_operation on audit_log (tenant_id, module, operation_type, operation_time)',
      'create index audit_log_username on audit_log (tenant_id, username, operation_time)',
      'create index audit_log_address on audit_log (tenant_id, request_ip, operation_time)',
      'create index audit_log_errors on audit_log (tenant_id, operation_time) where status = 1',
    ],
  },
  {
    name: 'V1.39.5 refusals and their repetitions',
    statements: t => [
      `alter table audit_log add column repeated ${t.integer} not null default 0`,
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
  {
    name: 'V1.49.0 packed audit rows',
    statements: t => [
      `alter table audit_log add column packed ${t.bytes} not null default ${emptyBytes[t.engine]}`,
      `alter table audit_log add column new_hash ${t.bytes} not null default ${emptyBytes[t.engine]}`,
    ],
    convert: packAllAuditRows,
  },
  {
    name: 'V1.49.1 no audit rows as text',
    statements: t => [
      `update audit_log set new_hash = ${bytesOfHex(t.engine, 'hash')}`,
      ...['description', 'method', 'request_url', 'request_method', 'request_param', 'previous_hash', 'hash'].map(
        column => `alter table audit_log drop column ${column}`,
      ),
      'alter table audit_log rename column new_hash to hash',
      // Rows without an account are found by neither.
      ...['user_id', 'username'].flatMap(column => {
        const index = `audit_log_${column.replace('_id', '')}`;
        return [
          `drop index ${index}`,
          `create index ${index} on audit_log (tenant_id, ${column}, operation_time) where ${column} is not null`,
        ];
      }),
    ],
  },
];
