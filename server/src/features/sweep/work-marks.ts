// Processing of due marks: it requires a recent census later than the mark, no unknown references, and an unchanged
// object; only then deletes it. Deletes nothing while the sweep is disabled.
import { localCall } from '../../platform/call.ts';
import { workClaimed } from '../../platform/db/lease.ts';
import type { Key } from '../../platform/db/tables.ts';
import { enqueueUnlessPending, exponentialBackoff, type JobHandler } from '../../platform/jobs/jobs.ts';
import type { Server } from '../../platform/server.ts';
import { type CensusRow, findNewestCensus, listStalled } from './census-queries.ts';
import { claimMarks, hasDue, listTenantsDue, postponeMarks } from './mark-queries.ts';
import { type Sweeping, sweepMark } from './sweep-mark.ts';
import { takeCensus, toCensusJob } from './take-census.ts';

export const workJobKind = 'sweep.work';

type Working = Sweeping & Pick<Server, 'config'>;

/** The maximum age of a census. */
const freshMs = 3600_000;
/** Marks blocked by unknown references wait this long for another census. */
const blockedMs = 3600_000;
/** A census without progress for this long has lost its job. */
const stalledMs = 3600_000;
const resumedAtOnce = 100;
const sweptAtOnce = 4;

export const workJob = (server: Working): JobHandler => ({
  kind: workJobKind,
  leaseSeconds: 120,
  maxAttempts: 3,
  backoffSeconds: exponentialBackoff(30, 300),
  run: async ({ signal }) => {
    await resumeStalled(server);
    if (!server.config.sweep.deleteEnabled) return;
    for (const tenantId of await listTenantsDue(server.database.db, server.clock.now())) {
      signal.throwIfAborted();
      await sweepTenant(server, tenantId, signal);
    }
  },
});

async function resumeStalled({ database, clock }: Working): Promise<void> {
  const now = clock.now();
  for (const census of await listStalled(database.db, now - stalledMs, resumedAtOnce))
    await database.db.transaction().execute(tx => enqueueUnlessPending(tx, toCensusJob(census), now));
}

async function sweepTenant(server: Working, tenantId: Key, signal: AbortSignal): Promise<void> {
  const { database, clock } = server;
  const now = clock.now();
  const newest = await findNewestCensus(database.db, tenantId);
  if (newest?.state === 'RUNNING') return; // its end enqueues this job again
  const fresh = newest?.state === 'COMPLETED' && (newest.completed_at ?? 0) > now - freshMs ? newest : null;
  if (fresh !== null && fresh.unknown_holds > 0)
    return postponeMarks(database.db, { tenantId, now }, now + blockedMs, 'UNKNOWN_HOLDS');
  if (fresh !== null) await sweepBy(server, fresh, signal);
  if (await hasDue(database.db, { tenantId, now })) await takeCensus(server, localCall('sweep', tenantId, now));
}

async function sweepBy(server: Working, census: CensusRow, signal: AbortSignal): Promise<void> {
  const { database, clock, config } = server;
  const { batchSize, leaseSeconds } = config.sweep;
  for (;;) {
    signal.throwIfAborted();
    const now = clock.now();
    const due = { tenantId: census.tenant_id, now, markedBefore: census.id };
    const leaseMs = leaseSeconds * 1000;
    const until = now + leaseMs;
    const marks = await claimMarks(database.db, database.kind, { ...due, until, limit: batchSize });
    if (marks.length === 0) return;
    const leasing = { db: database.db, engine: database.kind, clock, leaseMs, signal };
    const claimed = { ...leasing, table: 'sweep_mark', rows: marks, atOnce: sweptAtOnce } as const;
    await workClaimed(claimed, (mark, lost) => sweepMark(server, census, { mark, until, lost }));
  }
}
