// Retrying and dropping of dead jobs. Of concurrent calls one succeeds.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Call, Party } from '../../platform/call.ts';
import { isTaken } from '../../platform/db/database-errors.ts';
import type { Key, Tx } from '../../platform/db/tables.ts';
import { dropDeadJob, findDeadJob, type Owner, reviveDeadJob } from '../../platform/jobs/dead-jobs.ts';
import type { Claimed } from '../../platform/jobs/queries.ts';
import type { Server } from '../../platform/server.ts';
import { appendAudit } from '../audit/index.ts';

type Dependencies = Pick<Server, 'database' | 'clock'>;
type Which = { readonly owner: Owner; readonly id: Key };

const doneElsewhere = () =>
  new ApiError('CONFLICT', 'an equivalent job is already queued; drop this one, or wait until that one has finished');

export async function reviveJob(server: Dependencies, call: Call<Party>, which: Which): Promise<void> {
  const now = server.clock.now();
  try {
    await changeDeadJob(server, call, which, { operation: 'revive', done: 'revived' }, async (tx, job) => {
      if (await reviveDeadJob(tx, job, now)) return;
      throw (await findDeadJob(tx, which.owner, which.id)) === null ? noDeadJob(which.id) : doneElsewhere();
    });
  } catch (error) {
    throw isTaken(error) ? doneElsewhere() : error; // the other one was enqueued concurrently
  }
}

export const dropJob = (server: Dependencies, call: Call<Party>, which: Which): Promise<void> =>
  changeDeadJob(server, call, which, { operation: 'drop', done: 'dropped' }, async (tx, { id }) => {
    if (!(await dropDeadJob(tx, id))) throw noDeadJob(id);
  });

export const noDeadJob = (id: Key) =>
  new ApiError('RESULT_DATA_NONE', `there is no dead job ${id}: list the dead jobs to see their ids`);

type Deed = { readonly operation: string; readonly done: string };

async function changeDeadJob(
  { database, clock }: Dependencies,
  call: Call<Party>,
  { owner, id }: Which,
  { operation, done }: Deed,
  change: (tx: Tx, job: Claimed) => Promise<void>,
): Promise<void> {
  await database.db.transaction().execute(async tx => {
    const job = await findDeadJob(tx, owner, id);
    if (job === null) throw noDeadJob(id);
    await change(tx, job);
    const description = `job ${id} (${job.kind}) ${done} after ${job.attempt} attempts`;
    const param = { jobId: id, kind: job.kind };
    await appendAudit(tx, call, { module: 'jobs', operation, description, param }, clock.now());
  });
}
