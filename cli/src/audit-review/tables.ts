// Tables of the audit log.
import type {
  AuditAnomalies,
  AuditConfig,
  AuditErrors,
  AuditHour,
  AuditOverview,
  HighFrequency,
} from '@recordproof/shared/api/audit-figures.ts';
import {
  type AuditBackup,
  type AuditRow,
  auditSortFields,
  type LinkedAuditRow,
} from '@recordproof/shared/api/audit-review.ts';
import { indented, printable, toMinute } from '../platform/output.ts';
import { pagesOf } from '../platform/pages.ts';
import { alignRows, below, extra, type Fitting, name, tableOf, words } from '../platform/table.ts';
import { toCount, toSize } from '../platform/units.ts';

const toSecond = (iso: string): string => iso.slice(0, 19).replace('T', ' ');
const statusOf = ({ status }: AuditRow): string => (status === 0 ? 'ok' : 'ERROR');

export const rowsTable = tableOf<AuditRow>({
  ID: row => row.id,
  TIME: row => toSecond(row.operationTime),
  BY: name(row => row.username ?? '-'),
  OPERATION: row => `${row.module}.${row.operationType}`,
  STATUS: statusOf,
  FROM: extra(row => row.requestIp),
  WHAT: words(row => {
    const what = row.errorMsg === null ? row.description : `${row.description}: ${row.errorMsg}`;
    return row.repeated === 0 ? what : `${what} (repeated ${row.repeated} times)`;
  }),
});

export const rowPages = pagesOf('row', 'rows', auditSortFields);

export const rowText = (row: LinkedAuditRow): string =>
  alignRows([
    ['id', row.id],
    ['time', row.operationTime],
    ['by', row.username === null ? 'anonymous' : `${row.username} (${row.userId ?? 'no account'})`],
    ['operation', row.method],
    ['status', statusOf(row)],
    ['description', row.description],
    ...(row.errorMsg === null ? [] : [['error', row.errorMsg]]),
    ...(row.repeated === 0 ? [] : [['repeated', `${row.repeated} times within a minute`]]),
    ['request', `${row.requestMethod} ${row.requestUrl}`],
    ['from', row.requestIp],
    ['asked for', row.requestParam],
    ['took', `${row.executionTime} ms`],
    ['position', String(row.position)],
    ['previous hash', row.previousHash],
    ['hash', row.hash],
  ]);

const dayLines = tableOf<AuditOverview['dailyStats'][number]>({
  DAY: day => day.date,
  OPERATIONS: day => toCount(day.operationCount),
  ERRORS: day => toCount(day.errorCount),
  SENSITIVE: day => toCount(day.sensitiveCount),
});

export const overviewText = (overview: AuditOverview): Fitting =>
  below(
    alignRows([
      ['operations', `${toCount(overview.totalOperations)}, ${toCount(overview.todayOperations)} today`],
      ['errors', `${toCount(overview.totalErrorOperations)}, ${toCount(overview.todayErrorOperations)} today`],
      ['sensitive', `${toCount(overview.todaySensitiveOperations)} today`],
      ['active users', `${toCount(overview.todayActiveUsers)} today`],
      ['too fast', `${toCount(overview.highFrequencyAlerts)} today`],
      ['watched', overview.auditEnabled ? 'yes' : 'no: AUDIT_ENABLED is false'],
      ['kept for', `${overview.logRetentionDays} days before a backup takes it`],
    ]),
    dayLines(overview.dailyStats),
  );

const fastLines = tableOf<HighFrequency>({
  USER: name(one => one.username),
  ID: extra(one => one.userId),
  FROM: one => one.requestIp,
  OPERATIONS: one => toCount(one.operationCount),
  START: one => toMinute(one.startTime),
  MINUTES: one => String(one.timeSpanSeconds / 60),
});
export const fastTable = (found: readonly HighFrequency[]): Fitting => fastLines(found);

const errorLines = tableOf<AuditErrors>({
  OPERATION: one => `${one.module}.${one.operationType}`,
  COUNT: one => toCount(one.errorCount),
  LAST: one => toMinute(one.lastTime),
  ERROR: words(one => one.errorMsg),
});
export const errorsTable = (found: readonly AuditErrors[]): Fitting => errorLines(found);

const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const shades = ' .:-=+*#%@';

/** A line per day, a character per hour: darker means more operations. */
export function hoursText(hours: readonly AuditHour[]): string {
  if (hours.length === 0) return '';
  const most = Math.max(...hours.map(({ operationCount }) => operationCount));
  const counts = new Map(hours.map(one => [`${one.dayOfWeek} ${one.hourOfDay}`, one.operationCount]));
  const toShade = (count: number): string => shades[Math.ceil((count / most) * (shades.length - 1))] ?? ' ';
  const toDay = (weekday: string, index: number): string => {
    const day = Array.from({ length: 24 }, (_none, hour) => counts.get(`${index + 1} ${hour}`) ?? 0);
    const sum = day.reduce((total, count) => total + count, 0);
    return `${weekday}  |${day.map(count => toShade(count).repeat(2)).join('')}|  ${toCount(sum)}`;
  };
  return ['UTC   0     3     6     9     12    15    18    21', ...weekdays.map(toDay)].join('\n');
}

const changedText = ({ updatedAt }: AuditConfig): string =>
  updatedAt === null ? '' : `, changed ${toMinute(updatedAt)}`;

/** Never cut: a shortened list of modules would be useless. */
export const configsText = (configs: readonly AuditConfig[]): string =>
  configs
    .map(
      one =>
        `${printable(`${one.configKey} ${one.configValue}`)}\n${indented(`${one.description}${changedText(one)}`)}`,
    )
    .join('\n');

const loginLines = tableOf<AuditAnomalies['anomalyDetails']['failedLoginUsers'][number]>({
  'FAILED LOGINS AS': name(one => one.username),
  COUNT: one => toCount(one.failedCount),
  LAST: one => toMinute(one.lastTime),
});

export const anomaliesText = ({ anomalyDetails, hasAnomalies }: AuditAnomalies): Fitting =>
  below(
    alignRows([
      ['unusual', hasAnomalies ? 'YES' : 'nothing'],
      [
        'refused',
        `${anomalyDetails.errorRatePercent} % within an hour, ${anomalyDetails.thresholds.errorRatePercent} % is too much`,
      ],
    ]),
    fastLines(anomalyDetails.highFrequencyUsers),
    loginLines(anomalyDetails.failedLoginUsers),
  );

const backupLines = tableOf<AuditBackup>({
  BACKUP: backup => backup.backupId,
  ROWS: backup => `${backup.firstPosition} to ${backup.lastPosition}`,
  SIZE: backup => toSize(backup.fileSize),
  MADE: backup => toMinute(backup.createdAt),
  'IN THE LOG': backup => (backup.deleted ? 'no' : 'yes'),
  DIGEST: extra(backup => backup.digest),
});
export const backupsTable = (backups: readonly AuditBackup[]): Fitting => backupLines(backups);
