// Tables of backfill runs and their items.

import type { BackfillItem, BackfillRun } from '@recordproof/shared/api/backfill.ts';
import { toMinute } from '../platform/output.ts';
import { runColumns, timeRows, totalText } from '../platform/plain-runs.ts';
import { alignRows, extra, tableOf } from '../platform/table.ts';
import { toCount } from '../platform/units.ts';

const reasonRows = ({ reasons }: BackfillRun): string[][] =>
  reasons.map(({ reason, classification, count }) => [`  ${reason}`, `${toCount(count)}, ${classification}`]);

export const runText = (run: BackfillRun): string =>
  alignRows([
    ['run', run.runId],
    ['mode', run.mode],
    ['status', run.failure === null ? run.status : `${run.status}: ${run.failure}`],
    ...(run.snapshotRunId === null ? [] : [['of scan', run.snapshotRunId]]),
    ['snapshot', run.snapshotDigest ?? 'not yet'],
    ['records', totalText(run)],
    ['waiting', toCount(run.remainingCount)],
    ...(run.mode === 'APPLY' ? [['backfilled', toCount(run.backfilledCount)]] : []),
    ['failed', toCount(run.failedCount)],
    ...reasonRows(run),
    ...(run.workerEnabled ? [] : [['worked on here', 'no: that is switched off (backfill.worker or backfill.apply)']]),
    ...timeRows(run),
  ]);

export const runsTable = tableOf<BackfillRun>({
  ...runColumns,
  SCAN: run => run.snapshotRunId ?? '',
  SNAPSHOT: extra(run => run.snapshotDigest ?? ''),
  CREATED: run => toMinute(run.createdAt),
});

export const itemsTable = tableOf<BackfillItem>({
  ITEM: item => item.itemId,
  FILE: item => item.fileName,
  STATUS: item => item.status,
  REASON: item => item.reason ?? '',
  'FILE HASH': extra(item => item.fileHash),
  TRIES: extra(item => String(item.attempts)),
});
