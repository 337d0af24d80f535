// Overview figures of a tenant's log.
import type { AuditOverview } from '@recordproof/shared/api/audit-figures.ts';
import { toIso } from '../../platform/clock.ts';
import type { Db, Key, Time } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import { findHighFrequency } from './anomalies.ts';
import { countIfMany, dayMs } from './count-rows.ts';
import { countActiveUsers, type DayFigures, type KindFigures, sumDays, sumKinds } from './figures.ts';
import { type AuditSettings, isSensitive, readSettings } from './settings.ts';

const shownDays = 7;

const operationsOf = (rows: readonly KindFigures[]): number =>
  rows.reduce((sum, { operations }) => sum + operations, 0);
const errorsOf = (rows: readonly KindFigures[]): number => rows.reduce((sum, { errors }) => sum + errors, 0);

const toDay = (day: number, rows: readonly DayFigures[], settings: AuditSettings) => ({
  date: toIso(day * dayMs).slice(0, 10),
  operationCount: operationsOf(rows),
  errorCount: errorsOf(rows),
  sensitiveCount: operationsOf(rows.filter(row => isSensitive(settings, row))),
});

/** The last seven days, oldest first, including today. */
function toDays(rows: readonly DayFigures[], today: number, settings: AuditSettings): AuditOverview['dailyStats'] {
  const byDay = Map.groupBy(rows, ({ day }) => day);
  return Array.from({ length: shownDays }, (_none, index) => {
    const day = today - shownDays + 1 + index;
    return toDay(day, byDay.get(day) ?? [], settings);
  });
}

async function countHighFrequency(db: Db, tenantId: Key, { highFrequency }: AuditSettings, from: Time, to: Time) {
  return (await findHighFrequency(db, tenantId, { from, to }, highFrequency)).length;
}

export async function getOverview(server: Pick<Server, 'database' | 'clock'>, tenantId: Key): Promise<AuditOverview> {
  const { db } = server.database;
  await countIfMany(server, tenantId);
  const settings = await readSettings(db, tenantId);
  const now = server.clock.now();
  const today = Math.floor(now / dayMs);
  const midnight = today * dayMs;
  const [kinds, recent, todayActiveUsers, highFrequencyAlerts] = await Promise.all([
    sumKinds(db, tenantId),
    sumDays(db, tenantId, today - shownDays + 1),
    countActiveUsers(db, tenantId, midnight),
    countHighFrequency(db, tenantId, settings, midnight, now),
  ]);
  const dailyStats = toDays(recent, today, settings);
  const ofToday = dailyStats.at(-1);
  return {
    totalOperations: operationsOf(kinds),
    todayOperations: ofToday?.operationCount ?? 0,
    totalErrorOperations: errorsOf(kinds),
    todayErrorOperations: ofToday?.errorCount ?? 0,
    todaySensitiveOperations: ofToday?.sensitiveCount ?? 0,
    todayActiveUsers,
    highFrequencyAlerts,
    dailyStats,
    auditEnabled: settings.isWatched,
    logRetentionDays: settings.retentionDays,
  };
}
