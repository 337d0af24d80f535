// Table types and migrations of jobs and schedules.
import type { Generated } from 'kysely';
import type { Migration } from '../db/migrate.ts';
import type { Key, NewKey, Time } from '../db/tables.ts';

type JobState = 'WAITING' | 'RUNNING' | 'DEAD';

type JobTable = {
  id: NewKey;
  kind: string;
  payload: string;
  /** Unique among the waiting jobs of a kind. */
  unique_key: string | null;
  state: JobState;
  /** When the job may be claimed: its time while it waits, the end of the lease while it runs, null once it is dead. */
  due_at: Time | null;
  attempt: number;
  max_attempts: number | null;
  /** Increases with every claim; writes with an older fence have no effect. */
  fence: number;
  last_error: string | null;
  created_at: Time;
  /** W3C `traceparent` of the enqueuing call, if it is traced. */
  trace: string | null;
  /** For a dead job: the tenant in its payload; null if it belongs to the installation. */
  tenant_id: Generated<Key | null>;
};

declare module '../db/tables.ts' {
  interface Tables {
    job: JobTable;
    schedule: { name: string; next_at: Time };
  }
}

export const jobMigrations: readonly Migration[] = [
  {
    name: 'V2.0.2 tables of jobs',
    statements: types => [
      `create table job (
        id ${types.key},
        kind text not null,
        payload text not null,
        unique_key text,
        state text not null check (state in ('WAITING', 'RUNNING', 'DEAD')),
        due_at ${types.integer} check ((due_at is null) = (state = 'DEAD')),
        attempt ${types.integer} not null,
        max_attempts ${types.integer},
        fence ${types.integer} not null,
        last_error text,
        created_at ${types.integer} not null,
        trace text,
        tenant_id ${types.integer}
      ) ${types.strict}`,
      'create index job_due on job (due_at, id) where due_at is not null',
      'create index job_key on job (kind, unique_key) where unique_key is not null',
      `create unique index job_waiting_key on job (kind, unique_key) where state = 'WAITING' and unique_key is not null`,
      `create index job_dead on job (tenant_id, id) where state = 'DEAD'`,
      `create table schedule (name text primary key, next_at ${types.integer} not null) ${types.strict}`,
    ],
  },
];
