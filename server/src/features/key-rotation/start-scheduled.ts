// Scheduled key rotations: each due policy with envelopes to rewrap gets a run.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { localCall } from '../../platform/call.ts';
import type { Server } from '../../platform/server.ts';
import { toErrorText } from '../../platform/telemetry/error-text.ts';
import { hasEnvelopesBeside } from '../envelopes/index.ts';
import { findLatestApply, listDuePolicies, moveSchedule, type PolicyRow } from './queries.ts';
import { toTarget } from './retirement.ts';
import { type Starts, startRotation } from './rotations.ts';

/**
 * Starts the runs of due schedules. One that cannot start, because another run is unfinished, is skipped; after a
 * failure of the database the schedule stays due.
 */
export async function startScheduled(server: Starts & Pick<Server, 'log'>, limit: number): Promise<void> {
  const { database, clock, log } = server;
  for (const policy of await listDuePolicies(database.db, clock.now(), limit)) {
    const { tenant_id: tenantId, schedule_interval_seconds } = policy;
    const now = clock.now();
    try {
      await startOne(server, policy);
    } catch (error) {
      log.warn({ tenantId, error: toErrorText(error) }, 'a scheduled key rotation did not start');
      if (!(error instanceof ApiError)) continue;
    }
    await moveSchedule(database.db, policy, now + (schedule_interval_seconds ?? 0) * 1000);
  }
}

/** Nothing to do if a run is complete and no envelope is left to rewrap: another run would restart the grace period. */
async function startOne(server: Starts, policy: PolicyRow): Promise<void> {
  const { tenant_id: tenantId, version, next_run_at } = policy;
  const { db } = server.database;
  const latest = await findLatestApply(db, tenantId);
  const isComplete = latest?.policy_version === version && latest.status === 'COMPLETED';
  if (isComplete && !(await hasEnvelopesBeside(db, tenantId, toTarget(policy)))) return;
  const input = { mode: 'APPLY', requestId: `schedule-${version}-${next_run_at}` } as const;
  await startRotation(server, localCall('key-rotation schedule', tenantId, server.clock.now()), input);
}
