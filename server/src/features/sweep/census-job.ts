// The census job: continues a census to its end. After a crash it resumes where it stopped; a store that stays
// unreachable ends it.
import { type Call, localCall, type Party } from '../../platform/call.ts';
import type { Key, Tx } from '../../platform/db/tables.ts';
import { enqueue, exponentialBackoff, type JobHandler } from '../../platform/jobs/jobs.ts';
import type { Server } from '../../platform/server.ts';
import { appendAudit } from '../audit/index.ts';
import { type CensusRow, deleteOlderDetails, findCensus, moveCensus } from './census-queries.ts';
import type { SweepMetrics } from './metrics.ts';
import { censusJobKind } from './take-census.ts';
import { CensusMoved, type Walking, walkCensus } from './walk-census.ts';
import { workJobKind } from './work-marks.ts';

type TakesCensus = Walking & Pick<Server, 'log'> & { readonly sweepMetrics: SweepMetrics };

const maxAttempts = 20;
const longestSeconds = 24 * 3600;

export const censusJob = (server: TakesCensus): JobHandler => ({
  kind: censusJobKind,
  leaseSeconds: 120,
  maxAttempts,
  maxSeconds: longestSeconds,
  backoffSeconds: exponentialBackoff(5, 300),
  run: async ({ payload, attempt, signal }) => {
    const census = await findCensus(server.database.db, payload.tenantId as Key, payload.censusId as Key);
    if (census?.state !== 'RUNNING') return;
    try {
      await complete(server, await walkCensus(server, census, signal));
    } catch (error) {
      if (error instanceof CensusMoved) return;
      signal.throwIfAborted();
      if (attempt >= maxAttempts) await fail(server, census);
      throw error;
    }
  },
});

/** Deletes the results of earlier ones. Due marks have waited for this one. */
async function complete(server: TakesCensus, walked: CensusRow): Promise<void> {
  const { database, clock, sweepMetrics } = server;
  const now = clock.now();
  await database.db.transaction().execute(async tx => {
    const ended = { state: 'COMPLETED', phase: 'DONE', position: '', completed_at: now, moved_at: now } as const;
    const census = await moveCensus(tx, walked, ended);
    if (census === null) throw new CensusMoved(`census ${walked.id} was completed by another server`);
    await deleteOlderDetails(tx, census);
    await note(tx, localCall('sweep', census.tenant_id, now), census, now);
    await enqueue(tx, { kind: workJobKind, uniqueKey: workJobKind }, now);
  });
  sweepMetrics.censusEnded('COMPLETED');
}

async function fail({ database, clock, sweepMetrics }: TakesCensus, { tenant_id, id }: CensusRow): Promise<void> {
  await database.db.transaction().execute(async tx => {
    const now = clock.now();
    const stands = await findCensus(tx, tenant_id, id);
    const failed = stands && (await moveCensus(tx, stands, { state: 'FAILED', completed_at: now, moved_at: now }));
    if (failed) await note(tx, localCall('sweep', tenant_id, now), failed, now);
  });
  sweepMetrics.censusEnded('FAILED');
}

const note = (tx: Tx, call: Call<Party>, census: CensusRow, now: number) =>
  appendAudit(
    tx,
    call,
    {
      module: 'sweep',
      operation: 'end-census',
      description: `reference census ${census.id} ended: ${census.state}`,
      param: {
        censusId: census.id,
        censusDigest: `sha256:${census.digest}`,
        knownReferences: census.known_references,
        unknownHolds: census.unknown_holds,
        objects: census.objects,
        unreferenced: census.unreferenced,
      },
    },
    now,
  );
