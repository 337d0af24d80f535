// Backfills as a kind of runs.
import { option } from '@oclif/core/flags';
import {
  type BackfillItem,
  type BackfillItemStatus,
  type BackfillRun,
  backfillItemStatuses,
} from '@recordproof/shared/api/backfill.ts';
import {
  type BackfillClassification,
  type BackfillReason,
  backfillClassifications,
  backfillReasons,
} from '@recordproof/shared/api/backfill-reasons.ts';
import { runKinds } from '@recordproof/shared/api/run-kinds.ts';
import { runLine } from '../platform/dashboard/run-texts.ts';
import type { RunKind } from '../platform/run-commands.ts';
import { itemsTable, runsTable, runText } from './tables.ts';

type ItemFilter = {
  readonly status?: BackfillItemStatus;
  readonly class?: BackfillClassification;
  readonly reason?: BackfillReason;
};

const toItemQuery = ({ status, class: classification, reason }: ItemFilter) => ({
  ...(status !== undefined && { status }),
  ...(classification !== undefined && { classification }),
  ...(reason !== undefined && { reason }),
});

export const backfills: RunKind<BackfillRun, BackfillItem> = {
  topic: 'admin backfill',
  firstCommand: 'scan --watch',
  endpoints: runKinds.backfill.runs,
  itemFlags: {
    status: option({ options: backfillItemStatuses, summary: 'Only those in this state.' })(),
    class: option({ options: backfillClassifications, summary: 'Only those of this class.' })(),
    reason: option({ options: backfillReasons, helpValue: '<reason>', summary: 'Only those with this reason.' })(),
  },
  toItemQuery,
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
