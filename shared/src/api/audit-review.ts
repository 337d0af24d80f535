// The audit log for administrators and monitors: pages, figures, anomalies, spreadsheet; and, for administrators,
// thresholds and backups.
import { z } from 'zod';
import { isoTime, numberInText, pageOf, pageQuery, plainText, recordId } from './common.ts';
import { endpoint } from './endpoint.ts';

const count = z.int().min(0);
const timestamp = z.iso.datetime({ offset: true });
const word = plainText(64);
const pageNumber = numberInText(z.int().min(1).max(1_000_000_000).optional());
const pageSize = numberInText(z.int().min(1).max(100).optional());

const span = { startTime: timestamp.optional(), endTime: timestamp.optional() };

const filter = {
  userId: recordId.optional(),
  username: word.optional(),
  module: word.optional(),
  operationType: word.optional(),
  status: numberInText(z.union([z.literal(0), z.literal(1)]).optional()).meta({ description: '0 done, 1 refused' }),
  requestIp: word.optional(),
  ...span,
};

export const auditSortFields = ['operationTime'] as const;
const paging = pageQuery(auditSortFields).extend({
  pageNum: pageNumber.meta({ description: 'another name of page' }),
  pageSize: pageSize.meta({ description: 'another name of size' }),
});
const search = paging.extend(filter);

const rowView = z.object({
  id: recordId,
  module: z.string(),
  operationType: z.string(),
  description: z.string(),
  method: z.string(),
  requestUrl: z.string(),
  requestMethod: z.string(),
  requestIp: z.string(),
  /** JSON, without secrets. */
  requestParam: z.string(),
  status: z.union([z.literal(0), z.literal(1)]),
  errorMsg: z.string().nullable(),
  userId: recordId.nullable(),
  username: z.string().nullable(),
  operationTime: isoTime,
  executionTime: count.meta({ description: 'milliseconds' }),
  repeated: count.default(0).meta({
    description:
      'of a refusal: how often the same account met the same again within the minute; figures count these too',
  }),
});
export type AuditRow = z.infer<typeof rowView>;

const linkedView = rowView.extend({ position: z.int().min(1), previousHash: z.string(), hash: z.string() });
export type LinkedAuditRow = z.infer<typeof linkedView>;

const overviewView = z.object({
  totalOperations: count,
  todayOperations: count,
  totalErrorOperations: count,
  todayErrorOperations: count,
  todaySensitiveOperations: count,
  todayActiveUsers: count,
  highFrequencyAlerts: count,
  dailyStats: z.array(
    z.object({ date: z.iso.date(), operationCount: count, errorCount: count, sensitiveCount: count }),
  ),
  auditEnabled: z.boolean(),
  logRetentionDays: count,
});
export type AuditOverview = z.infer<typeof overviewView>;

const highFrequencyView = z.object({
  userId: recordId,
  username: z.string(),
  requestIp: z.string(),
  operationCount: count,
  startTime: isoTime,
  endTime: isoTime,
  timeSpanSeconds: count,
});
export type HighFrequency = z.infer<typeof highFrequencyView>;

const errorView = z.object({
  module: z.string(),
  operationType: z.string(),
  errorMsg: z.string(),
  errorCount: count,
  lastTime: isoTime,
});
export type AuditErrors = z.infer<typeof errorView>;

const hourView = z.object({
  dayOfWeek: z.int().min(1).max(7).meta({ description: '1 Monday to 7 Sunday, UTC' }),
  hourOfDay: z.int().min(0).max(23),
  operationCount: count,
});
export type AuditHour = z.infer<typeof hourView>;

export const auditConfigKeys = [
  'AUDIT_ENABLED',
  'LOG_RETENTION_DAYS',
  'SENSITIVE_MODULES',
  'HIGH_FREQ_THRESHOLD',
  'FAILED_LOGIN_THRESHOLD',
  'ERROR_RATE_THRESHOLD',
] as const;
export type AuditConfigKey = (typeof auditConfigKeys)[number];

const configView = z.object({
  configKey: z.enum(auditConfigKeys),
  configValue: z.string(),
  description: z.string(),
  /** Null if never changed. */
  updatedAt: isoTime.nullable(),
});
export type AuditConfig = z.infer<typeof configView>;

const anomaliesView = z.object({
  hasAnomalies: z.boolean(),
  anomalyDetails: z.object({
    highFrequencyUsers: z.array(highFrequencyView),
    failedLoginUsers: z.array(z.object({ username: z.string(), failedCount: count, lastTime: isoTime })),
    errorRatePercent: z.number().min(0).max(100),
    thresholds: z.object({
      highFrequency: count,
      highFrequencyMinutes: count,
      failedLogins: count,
      failedLoginMinutes: count,
      errorRatePercent: z.number(),
      errorRateMinutes: count,
      errorRateLeastOperations: count,
    }),
  }),
  checkTime: isoTime,
});
export type AuditAnomalies = z.infer<typeof anomaliesView>;

const backupView = z.object({
  backupId: recordId,
  firstPosition: count,
  lastPosition: count,
  rowCount: count,
  /** Of the compressed file. */
  fileSize: count,
  /** SHA-256 over the lines of rows in the file. */
  digest: z.string(),
  lastHash: z.string(),
  createdAt: isoTime,
  /** Whether its rows are deleted, or being deleted, from the log. */
  deleted: z.boolean(),
});
export type AuditBackup = z.infer<typeof backupView>;

const prefix = '/api/v1/system/audit';
const common = { feature: 'audit-review', access: 'system:audit', rate: 'other' } as const;

export const getAuditOverview = endpoint('getAuditOverview', {
  ...common,
  method: 'GET',
  path: `${prefix}/overview`,
  summary: 'The figures of the audit log: in all, today, the last seven days',
  description: 'Days are days in UTC. Counts of all time include what was moved into backups.',
  answer: overviewView,
});

export const listAuditLogs = endpoint('listAuditLogs', {
  ...common,
  method: 'GET',
  path: `${prefix}/logs/page`,
  summary: 'Rows of the audit log, newest first',
  query: search,
  answer: pageOf(rowView),
});

export const searchAuditLogs = endpoint('searchAuditLogs', {
  isAllowedInMaintenance: true,
  ...common,
  method: 'POST',
  path: `${prefix}/logs/page`,
  summary: 'The same, asked for in a body',
  body: search,
  answer: pageOf(rowView),
});

export const getAuditLog = endpoint('getAuditLog', {
  ...common,
  method: 'GET',
  path: `${prefix}/logs/{id}`,
  summary: 'One row, with its place in the chain of hashes',
  params: z.object({ id: recordId }),
  answer: linkedView,
  errors: ['RESULT_DATA_NONE'],
});

export const exportAuditLogs = endpoint('exportAuditLogs', {
  isAllowedInMaintenance: true,
  ...common,
  method: 'POST',
  path: `${prefix}/logs/export`,
  summary: 'Rows as a spreadsheet (.xlsx), at most 10,000, newest first',
  description:
    'A text that a spreadsheet would take for a formula stands behind an apostrophe. The header X-Audit-Rows tells how many rows match.',
  rate: 'download',
  // Strict, so that a misspelled filter does not return more than intended.
  body: z.strictObject(filter),
  answerForm: 'bytes',
});

export const mostHighFrequency = 100;

export const listHighFrequency = endpoint('listHighFrequency', {
  ...common,
  method: 'GET',
  path: `${prefix}/high-frequency`,
  summary: 'Who did more in five minutes than HIGH_FREQ_THRESHOLD, from one address',
  description:
    'Within the last 24 hours unless told otherwise; what is counted by the minute is kept for two days. At most 100, the busiest first.',
  query: z.object(span),
  answer: z.array(highFrequencyView).max(mostHighFrequency),
});

export const listSensitiveOperations = endpoint('listSensitiveOperations', {
  isAllowedInMaintenance: true,
  ...common,
  method: 'POST',
  path: `${prefix}/sensitive/page`,
  summary: 'Rows of the modules in SENSITIVE_MODULES, and of operations that delete, reveal or take away',
  body: search,
  answer: pageOf(rowView),
});

export const listAuditErrors = endpoint('listAuditErrors', {
  ...common,
  method: 'GET',
  path: `${prefix}/error-stats`,
  summary: 'What was refused, and how often: the hundred most frequent',
  description: 'Within the last seven days unless told otherwise.',
  query: z.object(span),
  answer: z.array(errorView),
});

export const getTimeDistribution = endpoint('getTimeDistribution', {
  ...common,
  method: 'GET',
  path: `${prefix}/time-distribution`,
  summary: 'When in the week things are done, by everybody or by one user',
  description: 'Within the last thirty days unless told otherwise. Whole hours, in UTC.',
  query: z.object({ userId: recordId.optional(), ...span }),
  answer: z.array(hourView),
});

export const listAuditConfigs = endpoint('listAuditConfigs', {
  ...common,
  method: 'GET',
  path: `${prefix}/configs`,
  summary: 'What counts as sensitive or unusual, and how long rows stay',
  answer: z.array(configView),
});

export const putAuditConfig = endpoint('putAuditConfig', {
  ...common,
  access: 'system:admin',
  method: 'PUT',
  path: `${prefix}/configs`,
  summary: 'Change one of them',
  description:
    'AUDIT_ENABLED false ends the watch for what is unusual. The log itself cannot be switched off: every change is written down.',
  body: z.object({
    configKey: z.enum(auditConfigKeys),
    configValue: z.union([z.string().max(1000), z.number(), z.boolean()]),
  }),
  answer: z.array(configView),
});

export const checkAnomalies = endpoint('checkAnomalies', {
  ...common,
  method: 'GET',
  path: `${prefix}/check-anomalies`,
  summary: 'What is unusual right now',
  answer: anomaliesView,
});

export const backUpAuditLogs = endpoint('backUpAuditLogs', {
  ...common,
  access: 'system:admin',
  method: 'POST',
  path: `${prefix}/backup-logs`,
  stepUp: true,
  summary: 'Write old rows into a signed, compressed file, and only then delete them, where that is asked for',
  description:
    'Takes the oldest rows that no backup has, up to the first that is not older than retentionDays (LOG_RETENTION_DAYS), at most 200,000. `complete` is false where more are left: call again. The chain of hashes stays verifiable.',
  body: z.object({
    retentionDays: z.int().min(1).max(36_500).optional(),
    deleteAfterBackup: z.boolean().default(false),
  }),
  answer: z.object({ backup: backupView.nullable(), complete: z.boolean() }),
  errors: ['UNPROCESSABLE', 'CONFLICT'],
});

export const listAuditBackups = endpoint('listAuditBackups', {
  ...common,
  method: 'GET',
  path: `${prefix}/backup-logs`,
  summary: 'Backups of the audit log, newest first',
  query: pageQuery(['createdAt']),
  answer: pageOf(backupView),
});

export const downloadAuditBackup = endpoint('downloadAuditBackup', {
  ...common,
  method: 'GET',
  path: `${prefix}/backup-logs/{id}`,
  summary: 'A backup: gzip of a line of JSON for each row, and a signed last line',
  rate: 'download',
  params: z.object({ id: recordId }),
  answerForm: 'bytes',
  errors: ['RESULT_DATA_NONE'],
});
