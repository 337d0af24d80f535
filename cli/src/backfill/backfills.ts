// Backfills as a kind of runs.
import { option } from '@oclif/core/flags';
import {
  type BackfillItem,
  type BackfillItemStatus,
  type BackfillRun,
  backfillItemStatuses,
  getBackfill,
  listBackfillItems,
  listBackfills,
  pauseBackfill,
  resumeBackfill,
} from '@recordproof/shared/api/backfill.ts';
import {
  type BackfillClassification,
  type BackfillReason,
  backfillClassifications,
  backfillReasons,
} from '@recordproof/shared/api/backfill-reasons.ts';
import { runLine } from '../platform/dashboard/run-texts.ts';
import type { RunKind } from '../platform/run-commands.ts';
import { itemsTable, runsTable, runText } from './tables.ts';

type ItemFilter = {
  readonly status?: BackfillItemStatus;
  readonly class?: BackfillClassification;
  readonly reason?: BackfillReason;
};

const toQuery = ({ status, class: classification, reason }: ItemFilter) => ({
  ...(status !== undefined && { status }),
  ...(classification !== undefined && { classification }),
  ...(reason !== undefined && { reason }),
});

export const backfills: RunKind<BackfillRun, BackfillItem> = {
  topic: 'admin backfill',
  firstCommand: 'scan --watch',
  call: {
    list: (client, query) => client.call(listBackfills, { query }),
    get: (client, runId, signal) => client.call(getBackfill, { params: { runId }, ...(signal && { signal }) }),
    items: (client, runId, query, flags) =>
      client.call(listBackfillItems, { params: { runId }, query: { ...query, ...toQuery(flags as ItemFilter) } }),
    pause: (client, runId) => client.call(pauseBackfill, { params: { runId } }),
    resume: (client, runId) => client.call(resumeBackfill, { params: { runId } }),
  },
  itemFlags: {
    status: option({ options: backfillItemStatuses, summary: 'Only those in this state.' })(),
    class: option({ options: backfillClassifications, summary: 'Only those of this class.' })(),
    reason: option({ options: backfillReasons, helpValue: '<reason>', summary: 'Only those with this reason.' })(),
  },
  itemExamples: [
    { command: 'admin backfill items 7 --class REUPLOAD_REQUIRED', description: 'Whose owners have to be asked' },
    { command: 'admin backfill items 7 --reason OBJECT_MISSING --after 50', description: 'What comes behind item 50' },
  ],
  isSuccess: ({ status, failedCount }) => status !== 'FAILED' && failedCount === 0,
  toText: runText,
  toLine: (run, samples) => runLine(run, samples, `${run.mode}  ${run.status}`),
  toTable: runsTable,
  toItemTable: itemsTable,
  loadDrawing: async () => (await import('./drawing.ts')).drawing,
  screenText: 'progress, pace and what was found',
  failureText: 'where anything failed',
};
