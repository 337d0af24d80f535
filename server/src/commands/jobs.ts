// `jobs`: dead jobs and events of every tenant and of the installation, on the server's machine.

import { recordId } from '@recordproof/shared/api/common.ts';
import type { DeadJob } from '@recordproof/shared/api/jobs.ts';
import { getDefaultTenant } from '../features/accounts/index.ts';
import { dropJob, reviveJob, toDeadJobView } from '../features/jobs/index.ts';
import { localCall } from '../platform/call.ts';
import { systemClock } from '../platform/clock.ts';
import type { Database } from '../platform/db/open-db.ts';
import { toKey } from '../platform/ids.ts';
import { findDeadJob, findDeadJobs } from '../platform/jobs/dead-jobs.ts';
import type { Claimed } from '../platform/jobs/queries.ts';
import type { Input } from './declared/local.ts';
import { openLocal, openToChange } from './local.ts';
import { type Answer, answer, CommandRejected, toJson, UsageError } from './outcome.ts';

const owner = 'installation';

type Act = (database: Database, job: Claimed) => Promise<Answer>;

const actions = {
  show: async (_database, job) => {
    const json = toDeadJobView(job);
    return { json, text: toJson(json) };
  },
  revive: toChange('revived', reviveJob),
  drop: toChange('dropped', dropJob),
} satisfies Readonly<Record<string, Act>>;

export async function jobs(action: keyof typeof actions, { values, configArgs }: Input<'id'>): Promise<number> {
  if (!recordId.safeParse(values.id).success) throw new UsageError('--id N is missing; "jobs list" shows them.');
  await using local = await (action === 'show' ? openLocal : openToChange)(configArgs);
  const job = await findDeadJob(local.database.db, owner, toKey(values.id ?? ''));
  if (job === null) throw new CommandRejected(`there is no dead job ${values.id}; "jobs list" shows them.`);
  return answer(values.json, await actions[action](local.database, job));
}

/** Audited in the tenant of the job; jobs of the installation in the first tenant. */
function toChange(done: string, change: typeof reviveJob): Act {
  return async (database, job) => {
    const tenantId = job.tenant_id ?? (await getDefaultTenant(database.db));
    const call = localCall(`jobs ${done}`, tenantId, systemClock.now());
    await change({ database, clock: systemClock }, call, { owner, id: job.id });
    return { json: { id: String(job.id), [done]: true }, text: `${job.id} ${done}\n` };
  };
}

const size = 100;

export async function list({ values, configArgs }: Input): Promise<number> {
  await using local = await openLocal(configArgs);
  const dead: DeadJob[] = [];
  for (let page = 1; ; page += 1) {
    const { rows, total } = await findDeadJobs(local.database.db, { owner }, { page, size });
    dead.push(...rows.map(toDeadJobView));
    if (page * size >= total) break;
  }
  return answer(values.json, { json: { jobs: dead }, text: dead.map(toLine).join('') });
}

const toLine = ({ id, kind, eventType, attempts, createdAt, lastError }: DeadJob): string =>
  `${id}\t${eventType ?? kind}\t${attempts} attempts\t${createdAt}\t${lastError ?? ''}\n`;
