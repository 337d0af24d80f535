// Reference census and sweep: finds objects of a tenant that are unreferenced, and deletes them in steps that each
// check again. No single call deletes anything.
import { z } from 'zod';
import { count, isoTime, recordId, sliceOf, sliceQuery } from './common.ts';
import { endpoint } from './endpoint.ts';

const censusStates = ['RUNNING', 'COMPLETED', 'FAILED'] as const;
export type CensusState = (typeof censusStates)[number];

/** The phases of a census, in order. */
const censusPhases = ['FILES', 'REFERENCES', 'OBJECTS', 'DONE'] as const;
export type CensusPhase = (typeof censusPhases)[number];

export const markStates = ['MARKED', 'DELETED', 'RETAINED', 'FAILED'] as const;
export type MarkState = (typeof markStates)[number];

/** The reason for a mark's state; for a MARKED one, why it is not deleted yet. */
const markReasons = [
  'UNREFERENCED',
  'ALREADY_GONE',
  'REFERENCED',
  'OBJECT_CHANGED',
  'UNKNOWN_HOLDS',
  'STORE_FAILED',
] as const;
export type MarkReason = (typeof markReasons)[number];

const unknownHoldReasons = ['MANIFEST_MISSING', 'MANIFEST_UNREADABLE'] as const;
export type UnknownHoldReason = (typeof unknownHoldReasons)[number];

const digest = z.string().regex(/^sha256:[0-9a-f]{64}$/, 'must be sha256: and 64 hexadecimal digits');

const censusView = z.object({
  censusId: recordId,
  state: z.enum(censusStates),
  phase: z.enum(censusPhases),
  /** SHA-256 over all results, in the order of the walk; null until completed. */
  censusDigest: digest.nullable(),
  knownReferenceCount: count,
  /** Files with unknown references: while there are any, nothing is deleted. */
  unknownHoldCount: count,
  objectCount: count,
  unreferencedCount: count,
  unreferencedBytes: count,
  /** Objects with foreign names: ignored. */
  foreignCount: count,
  startedAt: isoTime,
  completedAt: isoTime.nullable(),
});
export type Census = z.infer<typeof censusView>;

const candidateView = z.object({
  candidateId: recordId,
  storagePath: z.string(),
  size: count,
  cipherHash: digest,
  modifiedAt: isoTime,
});
export type SweepCandidate = z.infer<typeof candidateView>;

const unknownHoldView = z.object({
  fileId: recordId,
  fileHash: z.string(),
  fileName: z.string(),
  ownerName: z.string(),
  reason: z.enum(unknownHoldReasons),
  /** How an administrator can resolve it. */
  hint: z.string(),
});
export type UnknownHold = z.infer<typeof unknownHoldView>;

const markView = z.object({
  markId: recordId,
  state: z.enum(markStates),
  reason: z.enum(markReasons).nullable(),
  storagePath: z.string(),
  cipherHash: digest,
  size: count,
  attempts: count,
  markedAt: isoTime,
  protectedUntil: isoTime,
  endedAt: isoTime.nullable(),
});
export type SweepMark = z.infer<typeof markView>;

const statusView = z.object({
  markEnabled: z.boolean(),
  deleteEnabled: z.boolean(),
  protectionDays: count,
  /** The newest, in any state. */
  census: censusView.nullable(),
  marks: z.object({ marked: count, deleted: count, retained: count, failed: count }),
});
export type SweepStatus = z.infer<typeof statusView>;

const root = '/api/v1/admin/manifest-backfill-runs';
const common = { feature: 'sweep', access: 'system:admin', rate: 'other' } as const;
const byCensus = z.object({ censusId: recordId });

export const getSweepStatus = endpoint('getSweepStatus', {
  ...common,
  route: `GET ${root}/reference-sweep`,
  summary: 'The switches of the sweep, the newest census and the marks of the own tenant',
  answer: statusView,
});

const installationView = z.object({
  tenants: z.array(statusView.pick({ census: true, marks: true }).extend({ tenantId: recordId, tenant: z.string() })),
});
export type InstallationSweep = z.infer<typeof installationView>;

const ofInstallation = { feature: 'sweep', access: 'installation:admin', rate: 'other' } as const;

export const getInstallationSweep = endpoint('getInstallationSweep', {
  ...ofInstallation,
  route: `GET ${root}/reference-sweep/tenants`,
  summary: 'The newest census and the marks of every tenant: counts, no names',
  answer: installationView,
});

export const takeAllCensuses = endpoint('takeAllCensuses', {
  ...ofInstallation,
  route: `POST ${root}/reference-census/tenants`,
  summary: 'Take a census of every tenant',
  description: 'As for one tenant: in the background, and where one is RUNNING no second one begins.',
  answer: installationView,
});

export const takeCensus = endpoint('takeCensus', {
  ...common,
  route: `POST ${root}/reference-census`,
  summary: 'Take a census of what is stored for the own tenant and what refers to it',
  description:
    'Runs in the background and survives restarts; ask for it by its id. While one is RUNNING it is the answer, and no second one begins.',
  answer: censusView,
});

export const getCensus = endpoint('getCensus', {
  ...common,
  route: `GET ${root}/reference-census/{censusId}`,
  summary: 'A census and its counts',
  params: byCensus,
  answer: censusView,
  errors: ['RESULT_DATA_NONE'],
});

export const listCandidates = endpoint('listCandidates', {
  ...common,
  route: `GET ${root}/reference-census/{censusId}/candidates`,
  summary: 'Objects that a census found nothing to refer to',
  params: byCensus,
  query: sliceQuery,
  answer: sliceOf(candidateView),
  errors: ['CONFLICT', 'RESULT_DATA_NONE'],
});

export const listUnknownHolds = endpoint('listUnknownHolds', {
  ...common,
  route: `GET ${root}/reference-census/{censusId}/unknown-holds`,
  summary: 'Files of which a census could not tell what they keep',
  params: byCensus,
  query: sliceQuery,
  answer: sliceOf(unknownHoldView),
  errors: ['CONFLICT', 'RESULT_DATA_NONE'],
});

export const markObject = endpoint('markObject', {
  ...common,
  route: `POST ${root}/reference-sweep/marks`,
  stepUp: true,
  summary: 'Mark an unreferenced object for deletion after the protection window',
  description:
    'Refused while sweep.mark.enabled is off, while the newest census is not completed or knows of unknown holds, and for everything that the census does not call unreferenced. What is marked already is answered as it is.',
  body: z.object({ storagePath: z.string().min(1).max(512), cipherHash: digest }),
  answer: markView,
  errors: ['PERMISSION_UNAUTHORIZED', 'RUN_STATE_CONFLICT', 'RESULT_DATA_NONE', 'DATA_IS_WRONG'],
});

export const listMarks = endpoint('listMarks', {
  ...common,
  route: `GET ${root}/reference-sweep/marks`,
  summary: 'The marks of the own tenant, newest first',
  query: sliceQuery.extend({ state: z.enum(markStates).optional() }),
  answer: sliceOf(markView),
});
