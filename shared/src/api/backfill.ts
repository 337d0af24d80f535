// Manifest backfill, for administrators: runs that examine older records, classify each, and create manifests for those
// that can be proven.
import { z } from 'zod';
import { backfillClassifications, backfillReasons } from './backfill-reasons.ts';
import { count, isoTime, recordId, sliceQuery } from './common.ts';
import { endpoint } from './endpoint.ts';
import { runEndpoints } from './runs.ts';

export const backfillModes = ['SCAN', 'DRY_RUN', 'APPLY'] as const;
export type BackfillMode = (typeof backfillModes)[number];

const runStatuses = ['PLANNED', 'SCANNING', 'SNAPSHOT_READY', 'APPLYING', 'PAUSED', 'COMPLETED', 'FAILED'] as const;
export type BackfillRunStatus = (typeof runStatuses)[number];

export const backfillItemStatuses = [
  'PENDING',
  'RUNNING',
  'BACKFILLED',
  'REUPLOAD_REQUIRED',
  'UNRECOVERABLE',
  'FAILED',
  'IGNORED',
] as const;
export type BackfillItemStatus = (typeof backfillItemStatuses)[number];

const classification = z.enum(backfillClassifications);
const reason = z.enum(backfillReasons);

const runView = z.object({
  runId: recordId,
  mode: z.enum(backfillModes),
  status: z.enum(runStatuses),
  /** DRY_RUN and APPLY: the scan that they are based on. */
  snapshotRunId: recordId.nullable(),
  /** SHA-256 over the evidence of all items, ordered by record id; that of the scan they are based on. */
  snapshotDigest: z.string().nullable(),
  /** False while records are still being found and the counts grow. */
  discoveryCompleted: z.boolean(),
  totalCount: count,
  remainingCount: count,
  backfilledCount: count,
  failedCount: count,
  /** The examined items by reason, most frequent first. */
  reasons: z.array(z.object({ classification, reason, count })),
  /** False: this server is configured not to process runs of this mode. */
  workerEnabled: z.boolean(),
  failure: z.string().nullable(),
  createdAt: isoTime,
  startedAt: isoTime.nullable(),
  completedAt: isoTime.nullable(),
});
export type BackfillRun = z.infer<typeof runView>;

const itemView = z.object({
  itemId: recordId,
  fileId: recordId,
  fileHash: z.string(),
  fileName: z.string(),
  status: z.enum(backfillItemStatuses),
  classification: classification.nullable(),
  reason: reason.nullable(),
  evidenceDigest: z.string().nullable(),
  /** The written manifest, in APPLY. */
  manifestHash: z.string().nullable(),
  attempts: count,
  updatedAt: isoTime,
});
export type BackfillItem = z.infer<typeof itemView>;

const prefix = '/api/v1/admin/manifest-backfill-runs';
const common = { feature: 'backfill', access: 'system:admin', rate: 'other' } as const;

export const startBackfill = endpoint('startBackfill', {
  ...common,
  route: `POST ${prefix}`,
  summary: 'Begin a backfill run over the records of the own tenant',
  description:
    'SCAN examines every record and takes a snapshot. DRY_RUN and APPLY start from a scan that is SNAPSHOT_READY (snapshotRunId) and examine again what can be backfilled; only APPLY writes, and only where the server allows it (backfill.apply.enabled), otherwise 403. One run at a time.',
  body: z
    .object({ mode: z.enum(backfillModes), snapshotRunId: recordId.optional() })
    .refine(({ mode, snapshotRunId }) => (mode === 'SCAN') === (snapshotRunId === undefined), {
      path: ['snapshotRunId'],
      message: 'is needed for DRY_RUN and APPLY, and for nothing else',
    }),
  answer: runView,
  errors: ['PERMISSION_UNAUTHORIZED', 'RESULT_DATA_NONE', 'RUN_STATE_CONFLICT'],
});

export const backfillRuns = runEndpoints({
  ...{ feature: 'backfill', prefix, name: 'Backfill', adjective: 'backfill' },
  run: runView,
  item: itemView,
  itemQuery: sliceQuery.extend({
    status: z.enum(backfillItemStatuses).optional(),
    classification: classification.optional(),
    reason: reason.optional(),
  }),
});

export const {
  list: listBackfills,
  get: getBackfill,
  items: listBackfillItems,
  pause: pauseBackfill,
  resume: resumeBackfill,
} = backfillRuns;

export const retryBackfillItem = endpoint('retryBackfillItem', {
  ...common,
  route: `POST ${prefix}/{runId}/items/{itemId}/retry`,
  summary: 'Retry an item that failed and may succeed next time',
  description: 'The run goes on with it. An item of a scan cannot be retried once another run started from that scan.',
  params: z.object({ runId: recordId, itemId: recordId }),
  answer: itemView,
  errors: ['RESULT_DATA_NONE', 'RUN_STATE_CONFLICT'],
});
