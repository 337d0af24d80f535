// Begins a census: a row, and a job that walks. One at a time for a tenant; whoever asks meanwhile is told of that one.
import type { Call, Party } from '../../platform/call.ts';
import type { Time, Tx } from '../../platform/db/tables.ts';
import { enqueue, type NewJob } from '../../platform/jobs/jobs.ts';
import type { Server } from '../../platform/server.ts';
import { recordAudit } from '../audit/index.ts';
import { type CensusRow, findRunningCensus, insertCensus } from './census-queries.ts';
import { startOfDigest } from './digest.ts';

export const censusJobKind = 'sweep.census';

export const toCensusJob = ({ id, tenant_id }: Pick<CensusRow, 'id' | 'tenant_id'>): NewJob => ({
  kind: censusJobKind,
  payload: { censusId: id, tenantId: tenant_id },
  uniqueKey: String(id),
});

export const takeCensus = (
  { database, clock }: Pick<Server, 'database' | 'clock'>,
  call: Call<Party>,
): Promise<CensusRow> =>
  database.db.transaction().execute(async tx => {
    const { tenantId } = call.actor;
    const now = clock.now();
    for (;;) {
      const census = await insertCensus(tx, tenantId, startOfDigest, now);
      if (census !== null) return begin(tx, call, census, now);
      const running = await findRunningCensus(tx, tenantId);
      if (running !== null) return running; // else it has ended in between
    }
  });

async function begin(tx: Tx, call: Call<Party>, census: CensusRow, now: Time): Promise<CensusRow> {
  await recordAudit(tx, call, now, 'sweep.take-census', `reference census ${census.id} begun`, {
    censusId: census.id,
  });
  await enqueue(tx, toCensusJob(census), now);
  return census;
}
