// Wire format of the audit log.
import type { AuditHour } from '@recordproof/shared/api/audit-figures.ts';
import type { AuditBackup, AuditRow, LinkedAuditRow } from '@recordproof/shared/api/audit-review.ts';
import { toIso } from '../../platform/clock.ts';
import { toWireId } from '../../platform/ids.ts';
import type { AuditLogRow } from '../audit/index.ts';
import type { BackupRow } from './backup-queries.ts';
import type { HourFigures } from './figures.ts';
import type { ChainedRow } from './queries.ts';

export const toRowView = (row: AuditLogRow): AuditRow => ({
  id: toWireId(row.id),
  module: row.module,
  operationType: row.operation_type,
  description: row.description,
  method: row.method,
  requestUrl: row.request_url,
  requestMethod: row.request_method,
  requestIp: row.request_ip,
  requestParam: row.request_param,
  status: row.status === 0 ? 0 : 1,
  errorMsg: row.error_msg,
  userId: row.user_id === null ? null : toWireId(row.user_id),
  username: row.username,
  operationTime: toIso(row.operation_time),
  executionTime: row.execution_time,
  repeated: row.repeated,
});

export const toLinkedView = (row: ChainedRow): LinkedAuditRow => ({
  ...toRowView(row),
  position: row.position,
  previousHash: row.previousHash,
  hash: row.hash,
});

export const toBackupView = (row: BackupRow): AuditBackup => ({
  backupId: toWireId(row.id),
  firstPosition: row.first_position,
  lastPosition: row.last_position,
  rowCount: row.last_position - row.first_position + 1,
  fileSize: row.file_size,
  digest: row.digest,
  lastHash: row.last_hash,
  createdAt: toIso(row.created_at),
  deleted: row.deleted === 1,
});

const hoursOfWeek = 7 * 24;
/** The first of January 1970 was a Thursday. */
const firstHourOfWeek = 3 * 24;

/** Hours since 1970 as hours of the week, only those with operations. */
export function toHourViews(hours: readonly HourFigures[]): AuditHour[] {
  const sums = new Map<number, number>();
  for (const { hour, operations } of hours) {
    const ofWeek = (hour + firstHourOfWeek) % hoursOfWeek;
    sums.set(ofWeek, (sums.get(ofWeek) ?? 0) + operations);
  }
  return [...sums]
    .sort(([a], [b]) => a - b)
    .map(([ofWeek, operationCount]) => ({
      dayOfWeek: Math.floor(ofWeek / 24) + 1,
      hourOfDay: ofWeek % 24,
      operationCount,
    }));
}
