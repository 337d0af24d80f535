// Key rotation, for administrators: the target key, runs that rewrap envelopes, and retirement of the old key. Keys
// are named by provider and version; no response has key material.
import { z } from 'zod';
import { count, isoTime, recordId, sliceQuery } from './common.ts';
import { endpoint } from './endpoint.ts';
import { blockers } from './retirement-blockers.ts';
import { runEndpoints } from './runs.ts';

export const failureCategories = [
  'THROTTLED',
  'TIMEOUT',
  'UNAVAILABLE',
  'PERMISSION_DENIED',
  'KEY_NOT_FOUND',
  'KEY_DISABLED',
  'CONFIGURATION',
  'INVALID_CIPHERTEXT',
  'INVALID_RESPONSE',
  'INTERNAL',
] as const;

export const itemOutcomes = [
  'SUCCEEDED',
  'SKIPPED_ALREADY_TARGET',
  'SKIPPED_REVOKED',
  'SKIPPED_SOURCE_CHANGED',
  'DRY_RUN_CANDIDATE',
  'DRY_RUN_ALREADY_TARGET',
] as const;

const upTo = (min: number, max: number, fallback: number) => z.int().min(min).max(max).default(fallback);
export const longestSeconds = 31_536_000;

const target = {
  expectedProvider: z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/, 'must be the name of a key provider'),
  expectedProviderContract: z.int().min(1),
  expectedProviderKeyVersion: z.string().regex(/^[A-Za-z0-9._:-]{1,128}$/, 'must be a version of its key'),
  targetLogicalKeyVersion: z.int().min(1),
};

const knobs = {
  batchSize: upTo(1, 500, 50),
  maxItemsPerMinute: upTo(1, 60_000, 600),
  scheduleEnabled: z.boolean().default(false),
  scheduleIntervalSeconds: z.int().min(60).max(longestSeconds).nullable().default(null),
  maxAttempts: upTo(1, 20, 5),
  initialBackoffSeconds: upTo(1, 86_400, 5),
  maxBackoffSeconds: upTo(1, 86_400, 300),
  leaseSeconds: upTo(10, 3600, 120),
  gracePeriodSeconds: upTo(0, longestSeconds, 604_800),
};

const policyBody = z
  .object({ ...target, ...knobs })
  .refine(body => body.maxBackoffSeconds >= body.initialBackoffSeconds, {
    path: ['maxBackoffSeconds'],
    message: 'must not be less than initialBackoffSeconds',
  })
  .refine(body => !body.scheduleEnabled || body.scheduleIntervalSeconds !== null, {
    path: ['scheduleIntervalSeconds'],
    message: 'is required where scheduleEnabled is true',
  });

/** The policy, and why the old key cannot be retired yet. */
const policyView = z.object({
  policyVersion: z.int().min(1),
  provider: z.string(),
  providerContract: z.int(),
  providerKeyVersion: z.string(),
  targetLogicalKeyVersion: z.int(),
  batchSize: count,
  maxItemsPerMinute: count,
  scheduleEnabled: z.boolean(),
  scheduleIntervalSeconds: count.nullable(),
  maxAttempts: count,
  initialBackoffSeconds: count,
  maxBackoffSeconds: count,
  leaseSeconds: count,
  gracePeriodSeconds: count,
  /** False: this server is configured not to process runs (key.rotation.enabled). */
  workerEnabled: z.boolean(),
  retirement: z.object({
    state: z.enum(['NOT_READY', 'READY', 'ACKNOWLEDGED']),
    reason: z.enum(blockers).nullable(),
    readyAt: isoTime.nullable(),
    acknowledgedAt: isoTime.nullable(),
  }),
  updatedAt: isoTime,
});
export type KeyRotationPolicy = z.infer<typeof policyView>;

const runStatuses = [
  'PLANNED',
  'RUNNING',
  'PAUSED',
  'CANCELLED',
  'COMPLETED',
  'COMPLETED_WITH_FAILURES',
  'FAILED',
] as const;
export type RunStatus = (typeof runStatuses)[number];

const runMode = z.enum(['DRY_RUN', 'APPLY']);

const runView = z.object({
  runId: recordId,
  requestId: z.string(),
  mode: runMode,
  status: z.enum(runStatuses),
  policyVersion: z.int(),
  provider: z.string(),
  providerContract: z.int(),
  providerKeyVersion: z.string(),
  /** False while envelopes are still being found and the counts grow. */
  discoveryCompleted: z.boolean(),
  totalCount: count,
  succeededCount: count,
  skippedCount: count,
  remainingCount: count,
  failedCount: count,
  /** Failed items that `retry` requeues. */
  retryableCount: count,
  /** The failed items by category, most frequent first. */
  failures: z.array(z.object({ category: z.enum(failureCategories), count })),
  failureCategory: z.enum(failureCategories).nullable(),
  createdAt: isoTime,
  startedAt: isoTime.nullable(),
  completedAt: isoTime.nullable(),
});
export type KeyRotationRun = z.infer<typeof runView>;

const itemView = z.object({
  itemId: recordId,
  recipientType: z.enum(['OWNER', 'SHARE', 'FRIEND_SHARE']),
  status: z.enum(['PENDING', 'RUNNING', 'SUCCEEDED', 'SKIPPED', 'FAILED']),
  outcome: z.enum(itemOutcomes).nullable(),
  failureCategory: z.enum(failureCategories).nullable(),
  attempts: count,
  updatedAt: isoTime,
});
export type KeyRotationItem = z.infer<typeof itemView>;

const keyName = { provider: z.string(), contract: z.int(), keyVersion: z.string() };

/** The signed content and its signature, as defined in docs/spec/key-retirement.md. */
const certificateDocument = z.object({
  certificate: z.object({
    schema: z.literal('recordproof.key-retirement-certificate.v1'),
    tenantId: recordId,
    issuedAt: isoTime,
    policy: z.object({ version: z.int(), ...keyName, logicalKeyVersion: z.int() }),
    run: z.object({
      runId: recordId,
      requestId: z.string(),
      createdAt: isoTime,
      startedAt: isoTime,
      completedAt: isoTime,
    }),
    counts: z.object({ total: count, succeeded: count, alreadyTarget: count, revoked: count, sourceChanged: count }),
    keys: z.array(z.object({ ...keyName, before: count, after: count })),
    items: z.object({ bytes: count, digest: z.string() }),
    oldKeyInUse: z.boolean(),
    audit: z.object({ position: count, hash: z.string() }),
    signature: z.object({ keyId: z.string(), keyVersion: z.int(), publicKeyFingerprint: z.string() }),
  }),
  jws: z.string(),
});

const prefix = '/api/v1/admin/key-rotation';
const common = { feature: 'key-rotation', access: 'system:admin', rate: 'other' } as const;

export const getKeyRotationPolicy = endpoint('getKeyRotationPolicy', {
  ...common,
  route: `GET ${prefix}/policy`,
  summary: 'The policy of key rotation, and whether the old key may be retired',
  answer: policyView,
  errors: ['RESULT_DATA_NONE'],
});

export const putKeyRotationPolicy = endpoint('putKeyRotationPolicy', {
  ...common,
  route: `PUT ${prefix}/policy`,
  stepUp: true,
  summary: 'Save the target key and the pace',
  description:
    'What is expected must be what wraps new files already; otherwise 422, with the reason in data.detail.reason. Every change has a version of its own.',
  body: policyBody,
  answer: policyView,
  errors: ['UNPROCESSABLE', 'SERVICE_UNAVAILABLE'],
});

export const acknowledgeKeyRetirement = endpoint('acknowledgeKeyRetirement', {
  ...common,
  route: `POST ${prefix}/policy/retirement/acknowledge`,
  stepUp: true,
  summary: 'Note that the old key was retired where it is kept',
  description: 'Only once it is READY; nothing is done to any key.',
  answer: policyView,
  errors: ['RESULT_DATA_NONE', 'RUN_STATE_CONFLICT'],
});

export const startKeyRotation = endpoint('startKeyRotation', {
  ...common,
  route: `POST ${prefix}/runs`,
  stepUp: true,
  summary: 'Begin a run over all envelopes of the own tenant',
  description:
    'The same requestId answers the same run; with another mode or after a change of the policy it is rejected. DRY_RUN only counts. One run at a time.',
  body: z.object({
    mode: runMode,
    requestId: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, _ or -'),
  }),
  answer: runView,
  errors: ['UNPROCESSABLE', 'REQUEST_ID_REUSED', 'RUN_STATE_CONFLICT'],
});

const runs = runEndpoints({
  ...{ feature: 'key-rotation', prefix: `${prefix}/runs`, name: 'KeyRotation' },
  run: runView,
  item: itemView,
  itemQuery: sliceQuery,
});

export const rotationRuns = {
  ...runs,
  cancel: runs.toChange('cancel', 'Cancel a run; what was moved stays moved'),
  retry: runs.toChange('retry', 'Retry the failed items that may succeed next time'),
};

export const {
  list: listKeyRotations,
  get: getKeyRotation,
  items: listKeyRotationItems,
  pause: pauseKeyRotation,
  resume: resumeKeyRotation,
  cancel: cancelKeyRotation,
  retry: retryKeyRotation,
} = rotationRuns;

const ofRun = {
  ...common,
  params: z.object({ runId: recordId }),
  errors: ['RESULT_DATA_NONE', 'RUN_STATE_CONFLICT'],
} as const;

export const issueRetirementCertificate = endpoint('issueRetirementCertificate', {
  ...ofRun,
  route: `POST ${prefix}/runs/{runId}/certificate`,
  summary: 'The signed certificate of a completed run',
  description:
    'Says which keys wrapped how much before and after, with the digest of all items. Issued at the first call, the same at every other. Only for an APPLY run that is COMPLETED.',
  answer: certificateDocument,
});

export const exportRotationItems = endpoint('exportRotationItems', {
  ...ofRun,
  route: `GET ${prefix}/runs/{runId}/certificate/items`,
  summary: 'The items that the certificate of a run has the digest of',
  description:
    'A line of canonical JSON for each item: the record of its file on the ledger, and the names of the keys before and after. The SHA-256 of the whole is items.digest of the certificate.',
  rate: 'download',
  answerForm: 'bytes',
});
