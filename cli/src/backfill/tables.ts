// How runs and items look on a terminal.

import type { BackfillItem, BackfillRun } from '@recordproof/shared/api/backfill.ts';
import { toMinute } from '../platform/output.ts';
import { alignRows, extra, tableOf } from '../platform/table.ts';
import { doneOf, toCount } from './run-texts.ts';

const reasonRows = ({ reasons }: BackfillRun): string[][] =>
  reasons.map(({ reason, classification, count }) => [`  ${reason}`, `${toCount(count)}, ${classification}`]);

export const runText = (run: BackfillRun): string =>
  alignRows([
    ['run', run.runId],
    ['mode', run.mode],
    ['status', run.failure === null ? run.status : `${run.status}: ${run.failure}`],
    ...(run.snapshotRunId === null ? [] : [['of scan', run.snapshotRunId]]),
    ['snapshot', run.snapshotDigest ?? 'not yet'],
    ['records', `${toCount(run.totalCount)}${run.discoveryCompleted ? '' : ' found so far'}`],
    ['waiting', toCount(run.remainingCount)],
    ...(run.mode === 'APPLY' ? [['backfilled', toCount(run.backfilledCount)]] : []),
    ['failed', toCount(run.failedCount)],
    ...reasonRows(run),
    ...(run.workerEnabled ? [] : [['worked on here', 'no: that is switched off (backfill.worker or backfill.apply)']]),
    ['created', run.createdAt],
    ['started', run.startedAt ?? 'not yet'],
    ['completed', run.completedAt ?? 'not yet'],
  ]);

const runLines = tableOf<BackfillRun>({
  RUN: run => run.runId,
  MODE: run => run.mode,
  STATUS: run => run.status,
  DONE: run => `${doneOf(run)}/${run.totalCount}`,
  FAILED: run => String(run.failedCount),
  SCAN: run => run.snapshotRunId ?? '',
  SNAPSHOT: extra(run => run.snapshotDigest ?? ''),
  CREATED: run => toMinute(run.createdAt),
});

const itemLines = tableOf<BackfillItem>({
  ITEM: item => item.itemId,
  FILE: item => item.fileName,
  STATUS: item => item.status,
  REASON: item => item.reason ?? '',
  'FILE HASH': extra(item => item.fileHash),
  TRIES: extra(item => String(item.attempts)),
});

type Slice<T> = { readonly records: readonly T[]; readonly nextCursor: string | null };

export const runsTable = ({ records }: Slice<BackfillRun>) => runLines(records);
export const itemsTable = ({ records }: Slice<BackfillItem>) => itemLines(records);

export const sliceNote = ({ records, nextCursor }: Slice<unknown>, many: string): string =>
  records.length === 0 ? `no ${many}` : nextCursor === null ? '' : `there are more: --after ${nextCursor}`;
