// The census job: continues a census to its end. After a crash it resumes where it stopped; a store that stays
// unreachable ends it.
import { localCall } from '../../platform/call.ts';
import type { Key, Tx } from '../../platform/db/tables.ts';
import { enqueue, exponentialBackoff, type JobHandler } from '../../platform/jobs/jobs.ts';
import type { Server } from '../../platform/server.ts';
import { recordAudit } from '../audit/index.ts';
import { type CensusRow, deleteOlderDetails, findCensus, moveCensus } from './census-queries.ts';
import { censusJobKind } from './take-census.ts';
import { CensusMoved, type Walking, walkCensus } from './walk-census.ts';
import { workJobKind } from './work-marks.ts';

type TakesCensus = Walking & Pick<Server, 'log' | 'sweepMetrics'>;

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
    await noteEnd(tx, census, now);
    await enqueue(tx, { kind: workJobKind, uniqueKey: workJobKind }, now);
  });
  sweepMetrics.censusEnded('COMPLETED');
}

async function fail({ database, clock, sweepMetrics }: TakesCensus, { tenant_id, id }: CensusRow): Promise<void> {
  await database.db.transaction().execute(async tx => {
    const now = clock.now();
    const current = await findCensus(tx, tenant_id, id);
    const failed = current && (await moveCensus(tx, current, { state: 'FAILED', completed_at: now, moved_at: now }));
    if (failed) await noteEnd(tx, failed, now);
  });
  sweepMetrics.censusEnded('FAILED');
}

const noteEnd = (tx: Tx, census: CensusRow, now: number) =>
  recordAudit(
    tx,
    localCall('sweep', census.tenant_id, now),
    now,
    'sweep.end-census',
    `reference census ${census.id} ended: ${census.state}`,
    {
      censusId: census.id,
      censusDigest: `sha256:${census.digest}`,
      knownReferences: census.known_references,
      unknownHolds: census.unknown_holds,
      objects: census.objects,
      unreferenced: census.unreferenced,
    },
  );
