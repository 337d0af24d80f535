// Figures of the audit log: overview, high frequency, errors, times, anomalies, and their thresholds.
import { z } from 'zod';
import { auditCall, auditPrefix, timeSpan } from './audit-review.ts';
import { count, isoTime, recordId } from './common.ts';
import { endpoint } from './endpoint.ts';

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

export const getAuditOverview = endpoint('getAuditOverview', {
  ...auditCall,
  route: `GET ${auditPrefix}/overview`,
  summary: 'The figures of the audit log: in all, today, the last seven days',
  description: 'Days are days in UTC. Counts of all time include what was moved into backups.',
  answer: overviewView,
});

export const mostHighFrequency = 100;

export const listHighFrequency = endpoint('listHighFrequency', {
  ...auditCall,
  route: `GET ${auditPrefix}/high-frequency`,
  summary: 'Who did more in five minutes than HIGH_FREQ_THRESHOLD, from one address',
  description:
    'Within the last 24 hours unless told otherwise; what is counted by the minute is kept for two days. At most 100, the busiest first.',
  query: z.object(timeSpan),
  answer: z.array(highFrequencyView).max(mostHighFrequency),
});

export const listAuditErrors = endpoint('listAuditErrors', {
  ...auditCall,
  route: `GET ${auditPrefix}/error-stats`,
  summary: 'What was refused, and how often: the hundred most frequent',
  description: 'Within the last seven days unless told otherwise.',
  query: z.object(timeSpan),
  answer: z.array(errorView),
});

export const getTimeDistribution = endpoint('getTimeDistribution', {
  ...auditCall,
  route: `GET ${auditPrefix}/time-distribution`,
  summary: 'Operations by day of the week and hour, of all users or of one',
  description: 'Within the last thirty days unless told otherwise. Whole hours, in UTC.',
  query: z.object({ userId: recordId.optional(), ...timeSpan }),
  answer: z.array(hourView),
});

export const listAuditConfigs = endpoint('listAuditConfigs', {
  ...auditCall,
  route: `GET ${auditPrefix}/configs`,
  summary: 'What counts as sensitive or unusual, and how long rows stay',
  answer: z.array(configView),
});

export const putAuditConfig = endpoint('putAuditConfig', {
  ...auditCall,
  access: 'system:admin',
  route: `PUT ${auditPrefix}/configs`,
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
  ...auditCall,
  route: `GET ${auditPrefix}/check-anomalies`,
  summary: 'What is unusual right now',
  answer: anomaliesView,
});
