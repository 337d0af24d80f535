// Tables of integrity alerts, checks and repairs.
import { string } from '@oclif/core/args';
import { recordId } from '@recordproof/shared/api/common.ts';
import type { AnswerOf } from '@recordproof/shared/api/endpoint.ts';
import type {
  checkIntegrity,
  IntegrityAlert,
  IntegrityScrub,
  RepairResult,
} from '@recordproof/shared/api/integrity.ts';
import { parseField } from '../platform/fields.ts';
import { toMinute } from '../platform/output.ts';
import { pagesOf } from '../platform/pages.ts';
import { alignRows, below, extra, name, tableOf } from '../platform/table.ts';
import { toCount, toSize } from '../platform/units.ts';

type CheckResult = AnswerOf<typeof checkIntegrity>;

export const alertArgument = { alert: string({ required: true, description: 'Number of the alert.' }) };
export const toAlertParams = (alert: string) => ({ id: parseField('Alert', recordId, alert) });

export const alertPages = pagesOf('alert', 'alerts', ['createdAt', 'updatedAt']);

export const alertsTable = tableOf<IntegrityAlert>({
  ALERT: alert => alert.id,
  TYPE: alert => alert.alertType,
  SEVERITY: extra(alert => alert.severity),
  STATUS: alert => alert.status,
  FILE: name(alert => alert.fileName),
  OWNER: extra(alert => alert.ownerName),
  FOUND: alert => toMinute(alert.createdAt),
});

const byWhom = (who: string | null, when: string | null): string =>
  when === null ? 'no' : `${toMinute(when)}${who === null ? '' : ` by ${who}`}`;

const factsOf = (alert: IntegrityAlert): string =>
  alignRows([
    ['alert', alert.id],
    ['type', `${alert.alertType}, ${alert.severity}`],
    ['status', alert.status],
    ['file', `${alert.fileId}  ${alert.fileName}`],
    ['owner', alert.ownerName],
    ...Object.entries(alert.evidence).map(([what, value]) => [what, String(value)]),
    ...(alert.actualHash === null ? [] : [['actual hash', alert.actualHash]]),
    ...(alert.chainHash === null ? [] : [['chain hash', alert.chainHash]]),
    ['found', toMinute(alert.createdAt)],
    ['acknowledged', byWhom(alert.acknowledgedBy, alert.acknowledgedAt)],
    ['resolved', byWhom(alert.resolvedBy, alert.resolvedAt)],
    ...(alert.resolution === null ? [] : [['resolution', alert.resolution]]),
    ...(alert.note === null ? [] : [['note', alert.note]]),
  ]);

export const alertText = (alert: IntegrityAlert) =>
  below(factsOf(alert), alert.status === 'RESOLVED' ? '' : `What to do: ${alert.repairHint}`);

export const checkText = (result: CheckResult): string =>
  alignRows([
    ['level', result.level],
    ['files', String(result.totalChecked)],
    ['mismatches', String(result.mismatchesFound)],
    ['errors', String(result.errorsEncountered)],
  ]);

export const scrubText = (scrub: IntegrityScrub): string =>
  alignRows([
    ['scrub', scrub.enabled ? `within ${scrub.withinDays} days` : 'off'],
    ['pace', `at most ${toSize(scrub.bytesPerSecond)} per second, hours ${scrub.hours}`],
    ['stored', `${toCount(scrub.objects)} objects, ${toSize(scrub.bytes)}`],
    ['due', `${toCount(scrub.dueObjects)} objects, ${toSize(scrub.dueBytes)}`],
    ['unreadable', `${toCount(scrub.unreadableObjects)} objects`],
    ['oldest reading', scrub.oldestVerifiedAt === null ? 'none' : toMinute(scrub.oldestVerifiedAt)],
  ]);

const damagedLines = tableOf<RepairResult['damaged'][number]>({
  CHUNK: chunk => String(chunk.index),
  PROBLEM: chunk => chunk.problem,
  BYTES: chunk => String(chunk.size),
  SHA256: extra(chunk => chunk.cipherHash),
});

export const repairText = ({ alert, healedChunks, damaged }: RepairResult) =>
  below(
    alignRows([
      ['alert', alert.id],
      ['status', alert.status],
      ['repaired chunks', String(healedChunks)],
      ...(alert.note === null ? [] : [['note', alert.note]]),
    ]),
    damagedLines(damaged),
  );
