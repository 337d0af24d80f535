// Jobs of attestation: a poll over all tenants with work, and runs for one tenant that are requested when a batch is
// full or a retry is due.
import type { Key } from '../../platform/db/tables.ts';
import { longestPauseMs } from '../../platform/jobs/clock-jumps.ts';
import { exponentialBackoff, type JobHandler } from '../../platform/jobs/jobs.ts';
import type { Schedule } from '../../platform/jobs/schedules.ts';
import { toErrorText } from '../../platform/telemetry/error-text.ts';
import { requestRun, runJobKind } from './admit-candidates.ts';
import { listTenantsWithWork, retryBatchesNow } from './batch-queries.ts';
import { areReady, correctAttestationTimes } from './candidate-queries.ts';
import type { Attesting } from './metrics.ts';
import { runProduction } from './run-production.ts';

const pollJobKind = 'attestation.poll';

const common = { leaseSeconds: 60, maxAttempts: 5, backoffSeconds: exponentialBackoff(2, 60) } as const;

export const pollSchedule = ({ config }: Attesting): Schedule => ({
  name: 'attestation-production',
  everySeconds: config.attestation.pollMs / 1000,
  firstAfterSeconds: config.attestation.initialDelayMs / 1000,
  jobKind: pollJobKind,
});

/** A run that ended at one of its limits enqueues the next one, behind other due jobs. */
async function runAndGoOn(server: Attesting, tenantId: Key, signal: AbortSignal): Promise<void> {
  const { maxBatchesPerRun, seedLimit, minBatchSize } = server.config.attestation;
  const { batchesCreated, candidatesAdmitted } = await runProduction(server, { tenantId, force: false }, signal);
  const mayBeMissed = seedLimit > 0 && candidatesAdmitted >= seedLimit;
  if (batchesCreated < maxBatchesPerRun && !mayBeMissed) return;
  const now = server.clock.now();
  await server.database.db.transaction().execute(async tx => {
    if (mayBeMissed || (await areReady(tx, tenantId, minBatchSize, now))) await requestRun(tx, tenantId, now);
  });
}

/** A failing tenant does not delay the others. */
const pollTenants = (server: Attesting): JobHandler => ({
  kind: pollJobKind,
  ...common,
  run: async job => {
    if (!server.config.attestation.enabled) return server.attestationMetrics.runEnded('disabled');
    const longestMs = Math.max(2 * server.config.attestation.claimLeaseSeconds * 1000, longestPauseMs);
    await correctAttestationTimes(server.database.db, server.clock.now(), longestMs);
    for (const tenantId of await listTenantsWithWork(server.database.db, server.clock.now())) {
      if (job.signal.aborted) return;
      await runAndGoOn(server, tenantId, job.signal).catch(error =>
        server.log.error({ tenantId, error: toErrorText(error) }, 'an attestation run failed'),
      );
    }
  },
});

const runTenant = (server: Attesting): JobHandler => ({
  kind: runJobKind,
  ...common,
  run: async job => {
    await runAndGoOn(server, job.payload.tenantId as Key, job.signal);
  },
});

/** Retries at once when disk space is available again, which the ledger may have lacked. */
export const retryForSpace = ({ database, clock }: Pick<Attesting, 'database' | 'clock'>): Promise<void> =>
  database.db.transaction().execute(async tx => {
    const now = clock.now();
    for (const tenantId of await retryBatchesNow(tx, now)) await requestRun(tx, tenantId, now);
  });

export const attestationJobs = (server: Attesting): JobHandler[] => [pollTenants(server), runTenant(server)];
