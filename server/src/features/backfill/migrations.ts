// Table types and migrations of backfill.
import type { BackfillItemStatus, BackfillMode, BackfillRunStatus } from '@recordproof/shared/api/backfill.ts';
import type { BackfillClassification, BackfillReason } from '@recordproof/shared/api/backfill-reasons.ts';
import type { Migration } from '../../platform/db/migrate.ts';

declare module '../../platform/db/tables.ts' {
  interface Tables {
    /** The claims of an imported record, unverified until a run examines it. */
    backfill_source: {
      file_id: Key;
      tenant_id: Key;
      chunk_size: number;
      encryption: string;
      /** Digest of the imported line. */
      line_digest: string;
      created_at: Time;
    };
    /** The claimed object paths. Kept as long as the file. */
    backfill_chunk: {
      id: NewKey;
      tenant_id: Key;
      file_id: Key;
      chunk_index: number;
      path: string;
      size: number;
      plain_hash: string | null;
    };
    backfill_run: {
      id: NewKey;
      tenant_id: Key;
      mode: BackfillMode;
      status: BackfillRunStatus;
      snapshot_run_id: Key | null;
      snapshot_digest: string | null;
      /** The last file (SCAN) or item of the scan (DRY_RUN, APPLY) to examine, and the last one that has an item. */
      last_id: Key;
      seen_id: Key;
      failure: string | null;
      /** Counts per outcome, as JSON: written when the run ends, null while it is active. */
      counts: string | null;
      created_at: Time;
      started_at: Time | null;
      completed_at: Time | null;
      /** The fence of the run's leader, which finds its items and ends it. */
      fence: number;
      due_at: Time;
    };
    backfill_item: {
      id: NewKey;
      tenant_id: Key;
      run_id: Key;
      file_id: Key;
      file_hash: string;
      status: BackfillItemStatus;
      classification: BackfillClassification | null;
      reason: BackfillReason | null;
      evidence_digest: string | null;
      /** The evidence digest of the scan, if there was one before. */
      expected_digest: string | null;
      manifest_hash: string | null;
      attempts: number;
      fence: number;
      /** PENDING: the earliest claim; RUNNING: the end of the lease. Null: no work left. */
      due_at: Time | null;
      updated_at: Time;
    };
  }
}

export const backfillMigrations: readonly Migration[] = [
  {
    name: 'V2.0.32 tables of backfill',
    statements: t => [
      `create table backfill_source (
        file_id ${t.integer} primary key references file (id),
        tenant_id ${t.integer} not null,
        chunk_size ${t.integer} not null,
        encryption text not null,
        line_digest text not null,
        created_at ${t.integer} not null
      ) ${t.strict}`,
      `create table backfill_chunk (
        id ${t.key},
        tenant_id ${t.integer} not null,
        file_id ${t.integer} not null references file (id),
        chunk_index ${t.integer} not null,
        path text not null,
        size ${t.integer} not null,
        plain_hash text
      ) ${t.strict}`,
      'create index backfill_chunk_file on backfill_chunk (file_id, id)',
      'create index backfill_chunk_path on backfill_chunk (path)',
      `create table backfill_run (
        id ${t.key},
        tenant_id ${t.integer} not null,
        mode text not null check (mode in ('SCAN', 'DRY_RUN', 'APPLY')),
        status text not null check (status in
          ('PLANNED', 'SCANNING', 'SNAPSHOT_READY', 'APPLYING', 'PAUSED', 'COMPLETED', 'FAILED')),
        snapshot_run_id ${t.integer} references backfill_run (id),
        snapshot_digest text,
        last_id ${t.integer} not null,
        seen_id ${t.integer} not null,
        failure text,
        created_at ${t.integer} not null,
        started_at ${t.integer},
        completed_at ${t.integer},
        fence ${t.integer} not null,
        due_at ${t.integer} not null,
        counts text
      ) ${t.strict}`,
      `create unique index backfill_run_unfinished on backfill_run (tenant_id)
        where status in ('PLANNED', 'SCANNING', 'APPLYING', 'PAUSED')`,
      'create index backfill_run_snapshot on backfill_run (snapshot_run_id) where snapshot_run_id is not null',
      `create table backfill_item (
        id ${t.key},
        tenant_id ${t.integer} not null,
        run_id ${t.integer} not null references backfill_run (id),
        file_id ${t.integer} not null,
        file_hash text not null,
        status text not null check (status in
          ('PENDING', 'RUNNING', 'BACKFILLED', 'REUPLOAD_REQUIRED', 'UNRECOVERABLE', 'FAILED', 'IGNORED')),
        classification text,
        reason text,
        evidence_digest text,
        expected_digest text,
        manifest_hash text,
        attempts ${t.integer} not null,
        fence ${t.integer} not null,
        due_at ${t.integer},
        updated_at ${t.integer} not null,
        unique (run_id, file_hash)
      ) ${t.strict}`,
      'create index backfill_item_open on backfill_item (run_id, due_at) where due_at is not null',
      'create index backfill_item_reason on backfill_item (run_id, classification, reason, status)',
      'create index backfill_item_list on backfill_item (run_id, id)',
      'create index backfill_item_file on backfill_item (file_id, id)',
    ],
  },
];
