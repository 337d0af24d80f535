// Wire format of backfill.
import type { BackfillItem, BackfillRun } from '@recordproof/shared/api/backfill.ts';
import { classOf } from '@recordproof/shared/api/backfill-reasons.ts';
import { toIso, toIsoOrNull } from '../../platform/clock.ts';
import type { Db, Key } from '../../platform/db/tables.ts';
import { toWireId } from '../../platform/ids.ts';
import type { Server } from '../../platform/server.ts';
import type { Governance } from '../downloads/index.ts';
import { isDiscovered } from '../runs/index.ts';
import { backfills, mayWorkOn } from './backfills.ts';
import { findLatestVerdict, type NamedItem, type ReasonCount, type RunRow, readCounts } from './item-queries.ts';

export async function toRunView(
  { database, config }: Pick<Server, 'database' | 'config'>,
  run: RunRow,
): Promise<BackfillRun> {
  const counts = await readCounts(database.db, run);
  const sum = (matches: (row: ReasonCount) => boolean) =>
    counts.filter(matches).reduce((total, row) => total + row.count, 0);
  return {
    runId: toWireId(run.id),
    mode: run.mode,
    status: run.status,
    snapshotRunId: run.snapshot_run_id === null ? null : toWireId(run.snapshot_run_id),
    snapshotDigest: run.snapshot_digest,
    discoveryCompleted: run.started_at !== null && isDiscovered(backfills, run),
    totalCount: sum(() => true),
    remainingCount: sum(({ classification }) => classification === null),
    backfilledCount: sum(({ status }) => status === 'BACKFILLED'),
    failedCount: sum(({ status }) => status === 'FAILED'),
    reasons: toReasons(counts),
    workerEnabled: mayWorkOn(config, run.mode),
    failure: run.failure,
    createdAt: toIso(run.created_at),
    startedAt: toIsoOrNull(run.started_at),
    completedAt: toIsoOrNull(run.completed_at),
  };
}

function toReasons(counts: readonly ReasonCount[]): BackfillRun['reasons'] {
  const byReason = Map.groupBy(counts, ({ reason }) => reason);
  return [...byReason]
    .flatMap(([reason, rows]) => {
      const count = rows.reduce((total, row) => total + row.count, 0);
      return reason === null ? [] : [{ classification: classOf(reason), reason, count }];
    })
    .toSorted((a, b) => b.count - a.count || (a.reason < b.reason ? -1 : 1));
}

export const toItemView = (item: NamedItem): BackfillItem => ({
  itemId: toWireId(item.id),
  fileId: toWireId(item.file_id),
  fileHash: item.file_hash,
  fileName: item.file_name,
  status: item.status,
  classification: item.classification,
  reason: item.reason,
  evidenceDigest: item.evidence_digest,
  manifestHash: item.manifest_hash,
  attempts: item.attempts,
  updatedAt: toIso(item.updated_at),
});

/** For the metadata of a file without a manifest: the verdict of the newest run; null if no run has examined it. */
export async function findGovernance(db: Db, tenantId: Key, fileId: Key): Promise<Governance | null> {
  const item = await findLatestVerdict(db, tenantId, fileId);
  if (item === null || item.classification === null || item.reason === null) return null;
  return {
    manifestStatus: item.status,
    manifestClassification: item.classification,
    manifestErrorCode: item.reason,
    legacyDownloadAllowed: false, // nothing is delivered that cannot be verified against a manifest
  };
}
