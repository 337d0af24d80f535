// The audit log for administrators and monitors: pages, search, spreadsheet, and, for administrators, backups.
import { z } from 'zod';
import { byId, count, isoTime, numberFromText, pageOf, pageQuery, plainText, recordId } from './common.ts';
import { endpoint } from './endpoint.ts';

export const mostRetentionDays = 36_500;
const timestamp = z.iso.datetime({ offset: true });
const word = plainText(64);
const pageNumber = numberFromText(z.int().min(1).max(1_000_000_000).optional());
const pageSize = numberFromText(z.int().min(1).max(100).optional());

export const timeSpan = { startTime: timestamp.optional(), endTime: timestamp.optional() };

const filter = {
  userId: recordId.optional(),
  username: word.optional(),
  module: word.optional(),
  operationType: word.optional(),
  status: numberFromText(z.union([z.literal(0), z.literal(1)]).optional()).meta({ description: '0 done, 1 refused' }),
  requestIp: word.optional(),
  ...timeSpan,
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

export const auditPrefix = '/api/v1/system/audit';
export const auditCall = { feature: 'audit-review', access: 'system:audit', rate: 'other' } as const;

export const listAuditLogs = endpoint('listAuditLogs', {
  ...auditCall,
  route: `GET ${auditPrefix}/logs/page`,
  summary: 'Rows of the audit log, newest first',
  query: search,
  answer: pageOf(rowView),
});

export const searchAuditLogs = endpoint('searchAuditLogs', {
  isAllowedInMaintenance: true,
  ...auditCall,
  route: `POST ${auditPrefix}/logs/page`,
  summary: 'The same, asked for in a body',
  body: search,
  answer: pageOf(rowView),
});

export const getAuditLog = endpoint('getAuditLog', {
  ...auditCall,
  route: `GET ${auditPrefix}/logs/{id}`,
  summary: 'One row, with its position in the hash chain',
  params: byId,
  answer: linkedView,
  errors: ['RESULT_DATA_NONE'],
});

export const exportAuditLogs = endpoint('exportAuditLogs', {
  isAllowedInMaintenance: true,
  ...auditCall,
  route: `POST ${auditPrefix}/logs/export`,
  summary: 'Rows as a spreadsheet (.xlsx), at most 10,000, newest first',
  description:
    'A text that a spreadsheet would take for a formula stands behind an apostrophe. The header X-Audit-Rows tells how many rows match.',
  rate: 'download',
  // Strict, so that a misspelled filter does not return more than intended.
  body: z.strictObject(filter),
  answerForm: 'bytes',
});

export const listSensitiveOperations = endpoint('listSensitiveOperations', {
  isAllowedInMaintenance: true,
  ...auditCall,
  route: `POST ${auditPrefix}/sensitive/page`,
  summary: 'Rows of the modules in SENSITIVE_MODULES, and of operations that delete, reveal or take away',
  body: search,
  answer: pageOf(rowView),
});

export const backUpAuditLogs = endpoint('backUpAuditLogs', {
  ...auditCall,
  access: 'system:admin',
  route: `POST ${auditPrefix}/backup-logs`,
  stepUp: true,
  summary: 'Write old rows into a signed, compressed file, and only then delete them, where that is asked for',
  description:
    'Takes the oldest rows that no backup has, up to the first that is not older than retentionDays (LOG_RETENTION_DAYS), at most 200,000. `complete` is false where more are left: call again. The chain of hashes stays verifiable.',
  body: z.object({
    retentionDays: z.int().min(1).max(mostRetentionDays).optional(),
    deleteAfterBackup: z.boolean().default(false),
  }),
  answer: z.object({ backup: backupView.nullable(), complete: z.boolean() }),
  errors: ['UNPROCESSABLE', 'CONFLICT'],
});

export const listAuditBackups = endpoint('listAuditBackups', {
  ...auditCall,
  route: `GET ${auditPrefix}/backup-logs`,
  summary: 'Backups of the audit log, newest first',
  query: pageQuery(['createdAt']),
  answer: pageOf(backupView),
});

export const downloadAuditBackup = endpoint('downloadAuditBackup', {
  ...auditCall,
  route: `GET ${auditPrefix}/backup-logs/{id}`,
  summary: 'A backup: gzip of a line of JSON for each row, and a signed last line',
  rate: 'download',
  params: byId,
  answerForm: 'bytes',
  errors: ['RESULT_DATA_NONE'],
});
