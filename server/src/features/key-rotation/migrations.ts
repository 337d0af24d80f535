// Table types and migrations of key rotation.
import type { RunStatus } from '@recordproof/shared/api/key-rotation.ts';
import type { Migration } from '../../platform/db/migrate.ts';

/** A target key, and the rate of rewrapping. */
type Terms = {
  provider: string;
  provider_contract: number;
  provider_key_version: string;
  logical_key_version: number;
  batch_size: number;
  max_items_per_minute: number;
  max_attempts: number;
  initial_backoff_seconds: number;
  max_backoff_seconds: number;
  lease_seconds: number;
};

declare module '../../platform/db/tables.ts' {
  interface Tables {
    /** The target key of a tenant's envelopes, and the rate of rewrapping. */
    key_rotation_policy: Terms & {
      id: NewKey;
      tenant_id: Key;
      version: number;
      grace_period_seconds: number;
      schedule_interval_seconds: number | null;
      /** Null: no schedule. */
      next_run_at: Time | null;
      /** The run after which the retirement of the old key was acknowledged. */
      acknowledged_run_id: Key | null;
      acknowledged_at: Time | null;
      updated_at: Time;
    };
    /** One pass over the envelopes that existed at its start, with the policy's target and rate at that time. */
    key_rotation_run: Terms & {
      id: NewKey;
      tenant_id: Key;
      request_id: string;
      mode: 'DRY_RUN' | 'APPLY';
      status: RunStatus;
      policy_version: number;
      /** The last envelope to process, and the last one processed. */
      last_envelope_id: Key;
      seen_envelope_id: Key;
      /** The earliest next batch, which enforces the rate per minute. */
      next_batch_at: Time;
      failure_category: string | null;
      created_at: Time;
      started_at: Time | null;
      completed_at: Time | null;
    };
    key_rotation_item: {
      id: NewKey;
      tenant_id: Key;
      run_id: Key;
      envelope_id: Key;
      recipient_type: string;
      status: 'PENDING' | 'RUNNING' | 'SUCCEEDED' | 'SKIPPED' | 'FAILED';
      outcome: string | null;
      failure_category: string | null;
      /** FAILED: whether a retry may succeed. */
      retryable: number;
      attempts: number;
      /** PENDING: the earliest claim; RUNNING: the end of the lease. */
      due_at: Time;
      claim: string | null;
      updated_at: Time;
    };
    /** The signed certificate of a completed run, issued once. */
    key_rotation_certificate: {
      id: NewKey;
      tenant_id: Key;
      run_id: Key;
      document: string;
      created_at: Time;
    };
  }
}

const toTermColumns = (integer: string): string =>
  `provider text not null,
        provider_contract ${integer} not null,
        provider_key_version text not null,
        logical_key_version ${integer} not null,
        batch_size ${integer} not null,
        max_items_per_minute ${integer} not null,
        max_attempts ${integer} not null,
        initial_backoff_seconds ${integer} not null,
        max_backoff_seconds ${integer} not null,
        lease_seconds ${integer} not null`;

export const keyRotationMigrations: readonly Migration[] = [
  {
    name: 'V2.0.29 tables of key rotation',
    statements: t => [
      `create table key_rotation_policy (
        id ${t.key},
        tenant_id ${t.integer} not null unique,
        version ${t.integer} not null,
        ${toTermColumns(t.integer)},
        grace_period_seconds ${t.integer} not null,
        schedule_interval_seconds ${t.integer},
        next_run_at ${t.integer},
        acknowledged_run_id ${t.integer},
        acknowledged_at ${t.integer},
        updated_at ${t.integer} not null
      ) ${t.strict}`,
      `create table key_rotation_run (
        id ${t.key},
        tenant_id ${t.integer} not null,
        request_id text not null,
        mode text not null check (mode in ('DRY_RUN', 'APPLY')),
        status text not null check (status in
          ('PLANNED', 'RUNNING', 'PAUSED', 'CANCELLED', 'COMPLETED', 'COMPLETED_WITH_FAILURES', 'FAILED')),
        policy_version ${t.integer} not null,
        ${toTermColumns(t.integer)},
        last_envelope_id ${t.integer} not null,
        seen_envelope_id ${t.integer} not null,
        next_batch_at ${t.integer} not null,
        failure_category text,
        created_at ${t.integer} not null,
        started_at ${t.integer},
        completed_at ${t.integer},
        unique (tenant_id, request_id)
      ) ${t.strict}`,
      `create unique index key_rotation_run_unfinished on key_rotation_run (tenant_id)
        where status in ('PLANNED', 'RUNNING', 'PAUSED')`,
      `create table key_rotation_item (
        id ${t.key},
        tenant_id ${t.integer} not null,
        run_id ${t.integer} not null references key_rotation_run (id),
        envelope_id ${t.integer} not null,
        recipient_type text not null,
        status text not null check (status in ('PENDING', 'RUNNING', 'SUCCEEDED', 'SKIPPED', 'FAILED')),
        outcome text,
        failure_category text,
        retryable ${t.integer} not null,
        attempts ${t.integer} not null,
        due_at ${t.integer} not null,
        claim text,
        updated_at ${t.integer} not null,
        unique (run_id, envelope_id)
      ) ${t.strict}`,
      `create index key_rotation_item_open on key_rotation_item (run_id, due_at) where status in ('PENDING', 'RUNNING')`,
      'create index key_rotation_item_counts on key_rotation_item (run_id, status, retryable)',
      'create index envelope_of_tenant on envelope (tenant_id, id)',
      `create table key_rotation_certificate (
        id ${t.key},
        tenant_id ${t.integer} not null,
        run_id ${t.integer} not null unique references key_rotation_run (id),
        document text not null,
        created_at ${t.integer} not null
      ) ${t.strict}`,
      `create index envelope_wrapped_for on envelope (tenant_id, provider, provider_contract, provider_key_version)
        where status = 'ACTIVE'`,
    ],
  },
];
