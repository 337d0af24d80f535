// Table types and migrations of sagas.
import type { Migration } from '../db/migrate.ts';
import type { NewKey, Time } from '../db/tables.ts';

/** ABORTED: a step cannot succeed; everything is undone. FAILED: its attempts are used up; everything is undone. */
export type SagaStatus = 'RUNNING' | 'COMPENSATING' | 'COMPLETED' | 'ABORTED' | 'FAILED';

export type SagaTable = {
  id: NewKey;
  kind: string;
  key: string;
  status: SagaStatus;
  /** The step to run or undo next; null at the end. */
  step: string | null;
  data: string;
  /** Failures of the current step. */
  attempt: number;
  /** Final status once everything is undone. */
  ends_as: 'ABORTED' | 'FAILED' | null;
  last_error: string | null;
  /** Fence of the last run that wrote this row. */
  fence: number;
  created_at: Time;
  ended_at: Time | null;
};

declare module '../db/tables.ts' {
  interface Tables {
    saga: SagaTable;
  }
}

export const sagaMigrations: readonly Migration[] = [
  {
    name: 'V2.0.3 tables of sagas',
    statements: types => [
      `create table saga (
        id ${types.key},
        kind text not null,
        key text not null,
        status text not null check (status in ('RUNNING', 'COMPENSATING', 'COMPLETED', 'ABORTED', 'FAILED')),
        step text,
        data text not null,
        attempt ${types.integer} not null,
        ends_as text check (ends_as in ('ABORTED', 'FAILED')),
        last_error text,
        fence ${types.integer} not null,
        created_at ${types.integer} not null,
        ended_at ${types.integer} check ((ended_at is null) = (status in ('RUNNING', 'COMPENSATING'))),
        unique (kind, key)
      ) ${types.strict}`,
      'create index saga_status on saga (status, ended_at)',
    ],
  },
];
