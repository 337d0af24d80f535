// Integrity, for administrators: checks of stored files against their records, and the resulting alerts.
import { z } from 'zod';
import { byId, count, isoTime, numberFromText, optionalText, pageOf, pageQuery, recordId } from './common.ts';
import { endpoint } from './endpoint.ts';

export const checkLevels = ['LIGHTWEIGHT', 'MEDIUM', 'HEAVY', 'FULL'] as const;
export type CheckLevel = (typeof checkLevels)[number];

/** Findings of checks and downloads. */
export const foundTypes = [
  'MANIFEST_MISSING',
  'MANIFEST_INVALID',
  'OBJECT_NOT_FOUND',
  'METADATA_MISMATCH',
  'CONTENT_HASH_MISMATCH',
  'CHAIN_MISMATCH',
  'CHAIN_NOT_FOUND',
] as const;
export type FoundType = (typeof foundTypes)[number];

/** With two types of older records that are no longer created. */
export const alertTypes = [...foundTypes, 'HASH_MISMATCH', 'FILE_NOT_FOUND'] as const;
export type AlertType = (typeof alertTypes)[number];

export const alertSeverities = ['WARNING', 'ERROR', 'CRITICAL'] as const;
export type AlertSeverity = (typeof alertSeverities)[number];

export const alertStatuses = ['PENDING', 'ACKNOWLEDGED', 'RESOLVED'] as const;
export type AlertStatus = (typeof alertStatuses)[number];

/** How an alert was resolved: by a person, or because the stored bytes were verified again. */
const resolutions = ['MANUAL', 'REPAIRED', 'UPLOADED_AGAIN', 'FOUND_WHOLE'] as const;
export type Resolution = (typeof resolutions)[number];

const alertView = z.object({
  id: recordId,
  fileId: recordId,
  fileName: z.string(),
  ownerName: z.string(),
  alertType: z.enum(alertTypes),
  severity: z.enum(alertSeverities),
  status: z.enum(alertStatuses),
  /** The finding, and the number of affected chunks. */
  evidence: z.record(z.string(), z.unknown()),
  actualHash: z.string().nullable(),
  chainHash: z.string().nullable(),
  /** Advice for an operator. */
  repairHint: z.string(),
  acknowledgedBy: z.string().nullable(),
  acknowledgedAt: isoTime.nullable(),
  resolvedBy: z.string().nullable(),
  resolvedAt: isoTime.nullable(),
  resolution: z.enum(resolutions).nullable(),
  note: z.string().nullable(),
  createdAt: isoTime,
  updatedAt: isoTime,
});
export type IntegrityAlert = z.infer<typeof alertView>;

/** Why the stored bytes of a chunk are unusable. */
const damagedChunk = z.object({
  index: count,
  size: count,
  plainSize: count,
  plainHash: z.string(),
  cipherHash: z.string(),
  problem: z.enum(foundTypes),
});
export type DamagedChunk = z.infer<typeof damagedChunk>;

const repairView = z.object({
  alert: alertView,
  /** Chunks whose stored bytes were replaced by verified ones. */
  healedChunks: count,
  contentHash: z.string(),
  fileSize: count,
  chunkSize: count,
  /** Chunks still damaged, whose bytes may be supplied from a backup. At most 1000 are named. */
  damaged: z.array(damagedChunk),
});
export type RepairResult = z.infer<typeof repairView>;

const prefix = '/api/v1/admin/integrity-alerts';
const common = { feature: 'integrity', access: 'system:admin', rate: 'other' } as const;

export const listIntegrityAlerts = endpoint('listIntegrityAlerts', {
  ...common,
  route: `GET ${prefix}`,
  summary: 'List the integrity alerts of the own tenant',
  query: pageQuery(['createdAt', 'updatedAt']).extend({
    status: z.enum(alertStatuses).optional(),
    severity: z.enum(alertSeverities).optional(),
    type: z.enum(alertTypes).optional(),
    fileId: recordId.optional(),
  }),
  answer: pageOf(alertView),
});

export const getIntegrityAlert = endpoint('getIntegrityAlert', {
  ...common,
  route: `GET ${prefix}/{id}`,
  summary: 'One integrity alert',
  params: byId,
  answer: alertView,
  errors: ['RESULT_DATA_NONE'],
});

export const checkIntegrity = endpoint('checkIntegrity', {
  ...common,
  takesLong: true,
  route: `POST ${prefix}/check`,
  summary: 'Check the stored files of the own tenant, or one of them',
  description:
    'LIGHTWEIGHT asks the store about each chunk without reading it, MEDIUM also checks the manifest as a whole, HEAVY reads sampled chunks, compares with the chain, opens the key of the file and checks its proof, FULL reads every byte. Answers once all is checked; an outage of store, chain or key provider is counted as an error and raises no alert. The check ends when its caller goes away.',
  body: z.object({ level: z.enum(checkLevels).default('HEAVY'), fileId: recordId.optional() }),
  answer: z.object({
    totalChecked: count,
    mismatchesFound: count,
    errorsEncountered: count,
    level: z.enum(checkLevels),
  }),
  errors: ['CONFLICT', 'FILE_NOT_EXIST'],
});

const scrubView = z.object({
  enabled: z.boolean(),
  /** The limit, over all servers. */
  bytesPerSecond: count,
  /** Hours of the day, in the time zone of the server, such as 22-6. */
  hours: z.string(),
  /** Every byte is read again within this many days. */
  withinDays: count,
  /** Without those that arrived since the scrub looked last, at most five minutes ago. */
  objects: count,
  bytes: count,
  /** Objects to be read next. */
  dueObjects: count,
  dueBytes: count,
  /** Objects that cannot be read although the store answers; retried every six hours. */
  unreadableObjects: count,
  /** The hour in which the least recently read object was read, or arrived; null while there is none. */
  oldestVerifiedAt: isoTime.nullable(),
});
export type IntegrityScrub = z.infer<typeof scrubView>;

export const getIntegrityScrub = endpoint('getIntegrityScrub', {
  ...common,
  route: 'GET /api/v1/admin/integrity-scrub',
  summary: 'Progress of the scrub through the stored bytes of the own tenant',
  description:
    'The scrub reads every stored byte again, the least recently read first, and raises an alert where it is not as recorded. A check at level FULL reads all of the tenant at once.',
  answer: scrubView,
});

export const acknowledgeIntegrityAlert = endpoint('acknowledgeIntegrityAlert', {
  ...common,
  route: `PUT ${prefix}/{id}/acknowledge`,
  summary: 'Acknowledge an alert',
  params: byId,
  answer: alertView,
  errors: ['RESULT_DATA_NONE', 'CONFLICT'],
});

export const resolveIntegrityAlert = endpoint('resolveIntegrityAlert', {
  ...common,
  route: `PUT ${prefix}/{id}/resolve`,
  summary: 'Resolve an alert',
  description: 'If the damage is still there, the next check that meets it raises another one.',
  params: byId,
  body: z.object({ note: optionalText(512).default('') }),
  answer: alertView,
  errors: ['RESULT_DATA_NONE', 'CONFLICT'],
});

export const repairIntegrityAlert = endpoint('repairIntegrityAlert', {
  ...common,
  takesLong: true,
  route: `POST ${prefix}/{id}/repair`,
  summary: 'Repair a damaged file from another record of the same content',
  description:
    'Reads every chunk again. What is damaged is taken from other files of the tenant that have the same content and prove it; nothing is replaced by bytes that are not exactly the recorded ones. The alert is resolved when every chunk is intact.',
  params: byId,
  answer: repairView,
  errors: ['RESULT_DATA_NONE', 'CONFLICT', 'UNPROCESSABLE'],
});

export const repairChunk = endpoint('repairChunk', {
  ...common,
  route: `PUT ${prefix}/{id}/chunks/{index}`,
  summary: 'Heal one damaged chunk with bytes from a backup',
  description:
    'Form `stored` takes the bytes as they lay in the store, `plain` those of the file itself; either way they must be exactly the recorded ones. Sealed chunks whose first bytes are lost can be repaired by their stored form alone.',
  params: z.object({ id: recordId, index: numberFromText(z.int().min(0).max(9999)) }),
  query: z.object({ form: z.enum(['stored', 'plain']).default('stored') }),
  bodyForms: ['bytes'],
  answer: z.object({ index: count, healed: z.literal(true) }),
  errors: ['RESULT_DATA_NONE', 'CONFLICT', 'UNPROCESSABLE', 'DATA_IS_WRONG'],
});
