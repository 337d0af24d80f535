// Anomalies in a tenant's log: high frequency, failed sign-ins, rejected operations.
import { type AuditAnomalies, type HighFrequency, mostHighFrequency } from '@recordproof/shared/api/audit-figures.ts';
import { toIso } from '../../platform/clock.ts';
import type { Db, Key, Time } from '../../platform/db/tables.ts';
import { toWireId } from '../../platform/ids.ts';
import { minuteMs } from './count-rows.ts';
import { listBusyMinutes, type Pace } from './figures.ts';
import { countSince, type FailedLogins, listFailedLogins } from './queries.ts';
import type { AuditSettings } from './settings.ts';

const windowMinutes = 5;
const hourMinutes = 60;
/** One rejection out of two operations is not significant. */
const leastOperations = 20;

type Span = { readonly from: Time; readonly to: Time };

/**
 * The worst hundred episodes within `span` in which a user exceeded the rate: minutes of that user, five of which in a
 * row reach the threshold.
 */
export async function findHighFrequency(
  db: Db,
  tenantId: Key,
  span: Span,
  threshold: number,
): Promise<HighFrequency[]> {
  const paces = await listBusyMinutes(db, tenantId, span, threshold);
  const people = Map.groupBy(paces, ({ userId, requestIp }) => `${userId} ${requestIp}`);
  return [...people.values()]
    .flatMap(minutes => toEpisodes(minutes, threshold).map(toHighFrequency))
    .sort((a, b) => b.operationCount - a.operationCount)
    .slice(0, mostHighFrequency);
}

/** Groups the minutes of one user and address, ordered by time, into runs covered by windows over the threshold. */
function toEpisodes(minutes: readonly Pace[], threshold: number): Pace[][] {
  const episodes: Pace[][] = [];
  let covered = -1; // index of the last minute of the current episode
  let [start, sum] = [0, 0];
  for (const [end, pace] of minutes.entries()) {
    sum += pace.operations;
    for (; (minutes[start]?.minute ?? 0) <= pace.minute - windowMinutes; start += 1)
      sum -= minutes[start]?.operations ?? 0;
    if (sum < threshold) continue;
    const last = episodes.at(-1);
    if (last !== undefined && start <= covered) last.push(...minutes.slice(covered + 1, end + 1));
    else episodes.push(minutes.slice(start, end + 1));
    covered = end;
  }
  return episodes;
}

function toHighFrequency(episode: readonly Pace[]): HighFrequency {
  const [first, last] = [episode[0], episode.at(-1)];
  if (!first || !last) throw new RangeError('internal: an episode has no minutes');
  return {
    userId: toWireId(first.userId),
    username: last.username,
    requestIp: first.requestIp,
    operationCount: episode.reduce((sum, { operations }) => sum + operations, 0),
    startTime: toIso(first.minute * minuteMs),
    endTime: toIso((last.minute + 1) * minuteMs),
    timeSpanSeconds: (last.minute + 1 - first.minute) * 60,
  };
}

const toFailedLogin = ({ username, count, last_at }: FailedLogins) => ({
  username,
  failedCount: count,
  lastTime: toIso(last_at),
});

export type AnomalyReport = AuditAnomalies & { readonly isErrorRateHigh: boolean };

export async function findAnomalies(db: Db, tenantId: Key, settings: AuditSettings, now: Time): Promise<AnomalyReport> {
  const anHourAgo = now - hourMinutes * minuteMs;
  const recent = { from: now - 2 * windowMinutes * minuteMs, to: now };
  const [highFrequencyUsers, logins, { all, failed }] = await Promise.all([
    findHighFrequency(db, tenantId, recent, settings.highFrequency),
    listFailedLogins(db, tenantId, anHourAgo, now),
    countSince(db, tenantId, anHourAgo),
  ]);
  const failedLoginUsers = logins.filter(({ count }) => count >= settings.failedLogins).map(toFailedLogin);
  const errorRatePercent = all === 0 ? 0 : Math.round((failed * 10_000) / all) / 100;
  const isErrorRateHigh = all >= leastOperations && errorRatePercent >= settings.errorRatePercent;
  return {
    isErrorRateHigh,
    hasAnomalies: highFrequencyUsers.length > 0 || failedLoginUsers.length > 0 || isErrorRateHigh,
    anomalyDetails: {
      highFrequencyUsers,
      failedLoginUsers,
      errorRatePercent,
      thresholds: {
        highFrequency: settings.highFrequency,
        highFrequencyMinutes: windowMinutes,
        failedLogins: settings.failedLogins,
        failedLoginMinutes: hourMinutes,
        errorRatePercent: settings.errorRatePercent,
        errorRateMinutes: hourMinutes,
        errorRateLeastOperations: leastOperations,
      },
    },
    checkTime: toIso(now),
  };
}
