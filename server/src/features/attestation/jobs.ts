// What keeps attestation going by itself: a poll over all tenants with work, and runs for one tenant that were asked for
// because enough had come together or a retry is due.
import type { Key } from '../../platform/db/tables.ts';
import { exponentialBackoff, type JobHandler } from '../../platform/jobs/jobs.ts';
import type { Schedule } from '../../platform/jobs/schedules.ts';
import { toErrorText } from '../../platform/telemetry/error-text.ts';
import { requestRun, runJobKind } from './admit.ts';
import { listTenantsWithWork } from './batch-queries.ts';
import { areReady } from './candidate-queries.ts';
import type { AttestationPorts } from './ports.ts';
import { runProduction } from './run-production.ts';

const pollJobKind = 'attestation.poll';

const common = { leaseSeconds: 60, maxAttempts: 5, backoffSeconds: exponentialBackoff(2, 60) } as const;

export const pollSchedule = ({ limits }: AttestationPorts): Schedule => ({
  name: 'attestation-production',
  everySeconds: limits.pollMs / 1000,
  firstAfterSeconds: limits.initialDelayMs / 1000,
  jobKind: pollJobKind,
});

/** A run that ended at one of its bounds is followed by the next one, behind whatever else is due. */
async function runAndGoOn(ports: AttestationPorts, tenantId: Key, signal: AbortSignal): Promise<void> {
  const { maxBatchesPerRun, seedLimit, minBatchSize } = ports.limits;
  const { batchesCreated, candidatesAdmitted } = await runProduction(ports, { tenantId, force: false }, signal);
  const mayBeMissed = seedLimit > 0 && candidatesAdmitted >= seedLimit;
  if (batchesCreated < maxBatchesPerRun && !mayBeMissed) return;
  const now = ports.clock.now();
  await ports.database.db.transaction().execute(async tx => {
    if (mayBeMissed || (await areReady(tx, tenantId, minBatchSize, now))) await requestRun(tx, tenantId, now);
  });
}

/** A tenant whose run fails does not keep the others waiting. */
const pollTenants = (ports: AttestationPorts): JobHandler => ({
  kind: pollJobKind,
  ...common,
  run: async job => {
    if (!ports.limits.enabled) return ports.metrics.runEnded('disabled');
    for (const tenantId of await listTenantsWithWork(ports.database.db, ports.clock.now())) {
      if (job.signal.aborted) return;
      await runAndGoOn(ports, tenantId, job.signal).catch(error =>
        ports.log.error({ tenantId, error: toErrorText(error) }, 'an attestation run failed'),
      );
    }
  },
});

const runTenant = (ports: AttestationPorts): JobHandler => ({
  kind: runJobKind,
  ...common,
  run: async job => {
    await runAndGoOn(ports, job.payload.tenantId as Key, job.signal);
  },
});

export const attestationJobs = (ports: AttestationPorts): JobHandler[] => [pollTenants(ports), runTenant(ports)];
