// Attestation administration: the backlog, and one bounded run on demand.
import { z } from 'zod';
import { count, isoTime, recordId } from './common.ts';
import { endpoint } from './endpoint.ts';

const attestationRun = z.object({
  /** False: the feature is off, nothing was read or written and all other fields are zero. */
  enabled: z.boolean(),
  force: z.boolean(),
  candidatesAdmitted: count,
  candidatesClaimed: count,
  candidatesDeadLettered: count,
  /** Resumed batches of an earlier, interrupted run. */
  batchesRecovered: count,
  batchesCreated: count,
  batchesCompleted: count,
  batchesRetrying: count,
  batchesManualReview: count,
  /** Candidates wait, but too few and not long enough. */
  thresholdDeferred: z.boolean(),
  /** The batches that this run created or advanced, in order. */
  batchIds: z.array(recordId),
});
export type AttestationRun = z.infer<typeof attestationRun>;

const attestationStatusView = z.object({
  enabled: z.boolean(),
  minBatchSize: count,
  maxBatchSize: count,
  maxWaitSeconds: count,
  seedLimit: count,
  maxBatchesPerRun: count,
  readyCandidates: count,
  claimedCandidates: count,
  batchedCandidates: count,
  deadLetterCandidates: count,
  oldestReadyAt: isoTime.nullable(),
  /** Batches whose root is due to be sent to the chain. */
  dueBatches: count,
});

const common = { feature: 'attestation', access: 'system:admin', rate: 'other' } as const;

export const triggerAttestation = endpoint('triggerAttestation', {
  ...common,
  route: 'POST /api/v1/admin/attestation-batches/production/trigger',
  summary: 'Force one bounded attestation run for the own tenant',
  description:
    'Takes up files without candidate, batches what is ready without waiting for more, and sends the roots to the chain, all within the limits of one run. While the feature is off the answer says so and nothing is read or written.',
  answer: attestationRun,
});

export const attestationStatus = endpoint('attestationStatus', {
  ...common,
  route: 'GET /api/v1/admin/attestation-batches/production/status',
  summary: 'State, limits and backlog of attestation in the own tenant',
  answer: attestationStatusView,
});
