// Starting a census: a row, and a job that walks. One at a time per tenant; concurrent requests return the running one.
import { anonymousParty, type Call, callAs, type Party } from '../../platform/call.ts';
import type { Time, Tx } from '../../platform/db/tables.ts';
import { enqueue, type NewJob } from '../../platform/jobs/jobs.ts';
import type { Server } from '../../platform/server.ts';
import { listTenants } from '../accounts/index.ts';
import { recordAudit } from '../audit/index.ts';
import { type CensusRow, findRunningCensus, insertCensus } from './census-queries.ts';
import { startOfDigest } from './walk-census.ts';

export const censusJobKind = 'sweep.census';

export const toCensusJob = ({
  id,
  tenant_id,
}: Pick<CensusRow, 'id' | 'tenant_id'>): NewJob & { readonly uniqueKey: string } => ({
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
      if (running !== null) return running; // otherwise it has just ended
    }
  });

async function begin(tx: Tx, call: Call<Party>, census: CensusRow, now: Time): Promise<CensusRow> {
  await recordAudit(tx, call, now, 'sweep.take-census', `reference census ${census.id} started`, {
    censusId: census.id,
  });
  await enqueue(tx, toCensusJob(census), now);
  return census;
}

/** Of every tenant, each in its own transaction and audit log, with the name of the caller. */
export async function takeAllCensuses(server: Pick<Server, 'database' | 'clock'>, call: Call): Promise<void> {
  for (const { id: tenantId } of await listTenants(server.database.db))
    await takeCensus(server, callAs(call, { ...anonymousParty(tenantId), username: call.actor.username }));
}
