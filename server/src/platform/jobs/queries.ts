// All SQL on the job table except `enqueue`. Every change to a running job names its fence; if nothing was changed, the
// lease was lost.
import { type ExpressionBuilder, type Selectable, sql } from 'kysely';
import { type Claim, claim, claimEnds, heldBy, integer } from '../db/claim.ts';
import type { Engine } from '../db/open-db.ts';
import { selectWhere } from '../db/rows.ts';
import type { Db, Key, Tables, Time } from '../db/tables.ts';

export type Claimed = Selectable<Tables['job']>;

/** The lease of each kind. */
export type Leases = ReadonlyMap<string, { readonly leaseSeconds: number }>;

type Claimer = { readonly db: Db; readonly engine: Engine; readonly handlers: Leases };

/** Claims up to `limit` jobs that are due or whose lease has expired, longest due first. */
export async function claimDue({ db, engine, handlers }: Claimer, limit: number, now: Time): Promise<Claimed[]> {
  if (handlers.size === 0) return [];
  const due = dueQuery(db, handlers, now).orderBy('due_at').orderBy('id').limit(limit);
  const claimed = await claim(db, engine, 'job', { due, ...toRunning(handlers, now) });
  return claimed.sort((a, b) => a.id - b.id);
}

/** Claims this job if it is due. */
export async function claimOne({ db, engine, handlers }: Claimer, id: Key, now: Time): Promise<Claimed | undefined> {
  const due = dueQuery(db, handlers, now).where('id', '=', id);
  const [claimed] = await claim(db, engine, 'job', { due, waits: true, ...toRunning(handlers, now) });
  return claimed;
}

const dueQuery = (db: Db, handlers: Leases, now: Time) =>
  db
    .selectFrom('job')
    .select('id')
    .where('due_at', '<=', now)
    .where('kind', 'in', [...handlers.keys()]);

function toRunning(handlers: Leases, now: Time) {
  const cases = [...handlers].map(
    ([kind, { leaseSeconds }]) => sql`when ${kind} then ${integer(now + leaseSeconds * 1000)}`,
  );
  return {
    until: sql<Time>`case kind ${sql.join(cases, sql` `)} end`,
    set: { state: 'RUNNING', attempt: sql`attempt + 1` },
  } as const;
}

/** Deletes the finished job. False if the lease was lost. */
export const finish = async (db: Db, job: Claim): Promise<boolean> => (await finishAll(db, [job])).length > 0;

/** Returns those whose lease was not lost. */
export async function finishAll<Job extends Claim>(db: Db, jobs: readonly Job[]): Promise<Job[]> {
  if (jobs.length === 0) return [];
  const rows = await db.deleteFrom('job').where(heldBy(jobs)).returning('id').execute();
  const finished = new Set(rows.map(({ id }) => id));
  return jobs.filter(({ id }) => finished.has(id));
}

type PutBack = {
  readonly dueAt: Time;
  readonly attempt: number;
  readonly lastError?: string;
  /** Whether a waiting job with its key takes over the attempts and the pause. */
  readonly sharesAttempts?: boolean | undefined;
};

const unclaimed = (db: Db, job: Claim) =>
  db
    .updateTable('job')
    .set(claimEnds)
    .where(heldBy([job]));

export const noOtherWaits = ({ not, exists, selectFrom }: ExpressionBuilder<Tables, 'job'>) =>
  not(
    exists(
      selectFrom('job as other')
        .select('other.id')
        .whereRef('other.kind', '=', 'job.kind')
        .whereRef('other.unique_key', '=', 'job.unique_key')
        .where('other.state', '=', 'WAITING'),
    ),
  );

/** Returns the job to the queue; if another one with its key waits, that one does the work. */
export async function putBack(db: Db, job: Claim, { sharesAttempts = false, ...input }: PutBack): Promise<boolean> {
  const { dueAt, attempt, lastError } = input;
  const error = lastError === undefined ? {} : { last_error: lastError };
  const put = async () => {
    const query = unclaimed(db, job).set({ state: 'WAITING', due_at: dueAt, attempt, ...error });
    return (await query.where(noOtherWaits).executeTakeFirst()).numUpdatedRows > 0n;
  };
  if (await put()) return true;
  if (sharesAttempts && !(await handOver(db, job, input)) && (await put())) return true;
  return finish(db, job);
}

/** False if no other job waits: it may have been claimed meanwhile. */
async function handOver(db: Db, job: Claim, { dueAt, attempt }: PutBack): Promise<boolean> {
  const atLeast = (column: 'attempt' | 'due_at', value: number) =>
    sql<number>`case when ${sql.ref(column)} < ${integer(value)} then ${integer(value)} else ${sql.ref(column)} end`;
  const query = db
    .updateTable('job')
    .set({ attempt: atLeast('attempt', attempt), due_at: atLeast('due_at', dueAt) })
    .where('state', '=', 'WAITING')
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('job as ended')
          .select('ended.id')
          .where('ended.id', '=', job.id)
          .where('ended.fence', '=', job.fence)
          .whereRef('ended.kind', '=', 'job.kind')
          .whereRef('ended.unique_key', '=', 'job.unique_key'),
      ),
    );
  return (await query.executeTakeFirst()).numUpdatedRows > 0n;
}

/** Makes these ended runs due now: jobs put back in the queue, and jobs whose end could not be recorded. */
export async function retryNow(db: Db, jobs: readonly Claim[], now: Time): Promise<void> {
  const ended = jobs.map(({ id, fence }) => ({ id, fence: fence + 1 }));
  for (const [claims, state] of [
    [ended, 'WAITING'],
    [jobs, 'RUNNING'],
  ] as const)
    await db
      .updateTable('job')
      .set({ due_at: now })
      .where(heldBy(claims))
      .where('state', '=', state)
      .where('due_at', '>', now)
      .execute();
}

/** Returns jobs without a key to the queue; this attempt does not count. */
export async function putBackAll(db: Db, jobs: readonly Claim[], dueAt: Time): Promise<void> {
  if (jobs.length === 0) return;
  const notTried = { state: 'WAITING', due_at: dueAt } as const;
  await db
    .updateTable('job')
    .set(eb => ({ ...notTried, ...claimEnds, attempt: eb('attempt', '-', 1) }))
    .where(heldBy(jobs))
    .execute();
}

/** Marks the job dead; it is kept for inspection. */
export async function markDead(db: Db, job: Claim & Pick<Claimed, 'payload'>, lastError: string): Promise<boolean> {
  const { numUpdatedRows } = await unclaimed(db, job)
    .set({ state: 'DEAD', due_at: null, last_error: lastError, tenant_id: toTenantId(job.payload) })
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

function toTenantId(payload: string): Key | null {
  const { tenantId } = JSON.parse(payload) as { tenantId?: unknown };
  return typeof tenantId === 'number' && Number.isSafeInteger(tenantId) ? tenantId : null;
}

export type JobCounts = { waiting: number; running: number; dead: number; oldestDueAt: Time | null };

/** Across all servers. */
export async function countJobs(db: Db, now: Time): Promise<JobCounts> {
  const states = await db
    .selectFrom('job')
    .select(({ fn }) => ['state', fn.countAll<number>().as('count')])
    .groupBy('state')
    .execute();
  const oldest = await selectWhere(db, 'job', { state: 'WAITING' })
    .select(({ fn }) => fn.min('due_at').as('due_at'))
    .where('due_at', '<=', now)
    .executeTakeFirst();
  const count = (state: string) => states.find(row => row.state === state)?.count ?? 0;
  return {
    waiting: count('WAITING'),
    running: count('RUNNING'),
    dead: count('DEAD'),
    oldestDueAt: oldest?.due_at ?? null,
  };
}

/** An event is a job of the kind `event`, or `event.` and a consumer's name. */
export const isEventKind = (kind: string): boolean => kind === 'event' || kind.startsWith('event.');
export const ofEvents = sql<boolean>`(kind = 'event' or kind like 'event.%')`;

type Queue = { readonly waiting: number; readonly running: number; readonly dead: number };

/** Across all servers. */
export async function countQueues(db: Db): Promise<{ readonly jobs: Queue; readonly events: Queue }> {
  const rows = await db
    .selectFrom('job')
    .select(({ fn }) => ['kind', 'state', fn.countAll<number>().as('count')])
    .groupBy(['kind', 'state'])
    .execute();
  const toQueue = (areEvents: boolean): Queue => {
    const count = (jobState: string) =>
      rows
        .filter(({ kind, state }) => isEventKind(kind) === areEvents && state === jobState)
        .reduce((sum, row) => sum + row.count, 0);
    return { waiting: count('WAITING'), running: count('RUNNING'), dead: count('DEAD') };
  };
  return { jobs: toQueue(false), events: toQueue(true) };
}
