// Monitoring of every tenant's log, once a minute: counts new rows, and reports anomalies to administrators and
// monitors, once, and again only after an hour without them. Rules: anomalies.ts; thresholds: settings.ts. A tenant's
// failure does not affect the others.
import type { Key, Time, Tx } from '../../platform/db/tables.ts';
import { exponentialBackoff, type JobHandler } from '../../platform/jobs/jobs.ts';
import type { Schedule } from '../../platform/jobs/schedules.ts';
import type { Server } from '../../platform/server.ts';
import { toErrorText } from '../../platform/telemetry/error-text.ts';
import { listTenants } from '../accounts/index.ts';
import { sealRejections } from '../audit/index.ts';
import { notify } from '../events/index.ts';
import { forgetAlerts, noteAlert } from './alert-queries.ts';
import { type AnomalyReport, findAnomalies } from './anomalies.ts';
import { countAll, dayMs, forgetMinutes, hourMs } from './count-rows.ts';
import { recordAuditHead } from './record-head.ts';
import { readSettings } from './settings.ts';

const watchJobKind = 'audit-review.watch';
const staff = { kind: 'roles', roles: ['admin', 'monitor'] } as const;
const rememberedMs = 30 * dayMs;

type Dependencies = Pick<Server, 'database' | 'clock' | 'log' | 'ledger' | 'keys'>;

type Unusual = { readonly kind: string; readonly subject: string; readonly detail: string };

export const watchSchedule: Schedule = { name: watchJobKind, everySeconds: 60, jobKind: watchJobKind };

export const watchJob = (server: Dependencies): JobHandler => ({
  kind: watchJobKind,
  leaseSeconds: 60,
  maxAttempts: 3,
  backoffSeconds: exponentialBackoff(5, 60),
  run: async ({ signal }) => {
    const failures: unknown[] = [];
    for (const { id } of await listTenants(server.database.db)) {
      if (signal.aborted) return;
      for (const step of [watchTenant, recordAuditHead])
        await step(server, id, signal).catch(error => {
          server.log.error({ tenant: id, error: toErrorText(error) }, 'failed to review the audit log of a tenant');
          failures.push(error);
        });
    }
    if (failures.length > 0)
      throw new AggregateError(failures, `failed to review the audit logs of ${failures.length} tenants`);
  },
});

async function watchTenant(server: Dependencies, tenantId: Key, signal: AbortSignal): Promise<void> {
  const { clock, database } = server;
  const { db } = database;
  const now = clock.now();
  await sealRejections(database, tenantId, now);
  await countAll(server, tenantId, signal);
  await forgetMinutes(db, tenantId, now);
  await forgetAlerts(db, tenantId, now - rememberedMs);
  const settings = await readSettings(db, tenantId);
  if (!settings.isWatched) return;
  const unusual = toUnusual(await findAnomalies(db, tenantId, settings, now));
  for (const one of unusual) await db.transaction().execute(tx => alertOnce(tx, tenantId, one, now));
}

async function alertOnce(tx: Tx, tenantId: Key, { kind, subject, detail }: Unusual, now: Time): Promise<void> {
  if (!(await noteAlert(tx, { tenantId, kind, subject }, hourMs, now))) return;
  await notify(tx, { tenantId, to: staff, type: 'audit-alert', payload: { kind, detail } }, now);
}

function toUnusual({ isErrorRateHigh, anomalyDetails }: AnomalyReport): Unusual[] {
  const { highFrequencyUsers, failedLoginUsers, errorRatePercent } = anomalyDetails;
  return [
    ...highFrequencyUsers.map(({ userId, username, requestIp, operationCount, timeSpanSeconds }) => ({
      kind: 'HIGH_FREQUENCY',
      subject: `${userId} ${requestIp}`,
      detail: `${username} did ${operationCount} operations in ${timeSpanSeconds} s from ${requestIp}`,
    })),
    ...failedLoginUsers.map(({ username, failedCount }) => ({
      kind: 'FAILED_LOGINS',
      subject: username,
      detail: `${failedCount} failed sign-ins as ${username} within an hour`,
    })),
    ...(isErrorRateHigh
      ? [
          {
            kind: 'ERROR_RATE',
            subject: '',
            detail: `${errorRatePercent} % of operations were rejected within an hour`,
          },
        ]
      : []),
  ];
}
