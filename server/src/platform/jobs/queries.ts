// All SQL of the job table but `enqueue`. Every change to a running job names its fence; where nothing was changed,
// the lease had been lost.
import { sql } from 'kysely';
import { claimedFrom, integer } from '../db/claim.ts';
import type { Engine } from '../db/open-db.ts';
import type { Db, Key, Time, Tx } from '../db/tables.ts';
import type { JobHandler } from './jobs.ts';

export type Claimed = {
  readonly id: Key;
  readonly kind: string;
  readonly payload: string;
  readonly attempt: number;
  readonly max_attempts: number | null;
  readonly fence: number;
};

export type Claim = Pick<Claimed, 'id' | 'fence'>;

type Claimer = {
  readonly db: Db;
  readonly engine: Engine;
  readonly handlers: ReadonlyMap<string, JobHandler>;
};

function leaseEnd(handlers: ReadonlyMap<string, JobHandler>, now: Time) {
  const cases = [...handlers.values()].map(
    ({ kind, leaseSeconds }) => sql`when ${kind} then ${integer(now + leaseSeconds * 1000)}`,
  );
  return sql<number>`case kind ${sql.join(cases, sql` `)} end`;
}

/** Takes up to `limit` jobs that are due, or whose server has not been heard of, the longest due first. */
export async function claimDue({ db, engine, handlers }: Claimer, limit: number, now: Time): Promise<Claimed[]> {
  if (handlers.size === 0) return [];
  const due = db
    .selectFrom('job')
    .select('id')
    .where('due_at', '<=', now)
    .where('kind', 'in', [...handlers.keys()])
    .orderBy('due_at')
    .orderBy('id')
    .limit(limit);
  const claimed = await claim(db, handlers, now).where(claimedFrom(engine, due)).execute();
  return claimed.sort((a, b) => a.id - b.id);
}

/** Takes this one job, when it is due. */
export async function claimOne({ db, handlers }: Claimer, id: Key, now: Time): Promise<Claimed | undefined> {
  return claim(db, handlers, now)
    .where('id', '=', id)
    .where('due_at', '<=', now)
    .where('kind', 'in', [...handlers.keys()])
    .executeTakeFirst();
}

const claim = (db: Db, handlers: ReadonlyMap<string, JobHandler>, now: Time) =>
  db
    .updateTable('job')
    .set(eb => ({
      state: 'RUNNING',
      due_at: leaseEnd(handlers, now),
      attempt: eb('attempt', '+', 1),
      fence: eb('fence', '+', 1),
    }))
    .returning(['id', 'kind', 'payload', 'attempt', 'max_attempts', 'fence']);

const ours = (db: Db, { id, fence }: Claim) =>
  db.updateTable('job').where('id', '=', id).where('fence', '=', fence).where('state', '=', 'RUNNING');

/** False when the lease is lost. */
export async function renewLease(db: Db, job: Claim, until: Time): Promise<boolean> {
  const { numUpdatedRows } = await ours(db, job).set({ due_at: until }).executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Whether the lease is still held; when it is, nobody takes it before this transaction ends. */
export async function holdsLease(tx: Tx, engine: Engine, { id, fence }: Claim): Promise<boolean> {
  const row = await tx
    .selectFrom('job')
    .select('id')
    .where('id', '=', id)
    .where('fence', '=', fence)
    .where('state', '=', 'RUNNING')
    .$if(engine === 'postgres', query => query.forUpdate())
    .executeTakeFirst();
  return row !== undefined;
}

/** The job is done and its row gone. False when the lease was lost. */
export async function finish(db: Db, { id, fence }: Claim): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('job')
    .where('id', '=', id)
    .where('fence', '=', fence)
    .where('state', '=', 'RUNNING')
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export type PutBack = { readonly dueAt: Time; readonly attempt: number; readonly lastError?: string };

/** The job waits again; where another one with its key waits already, that one does the work. */
export async function putBack(db: Db, job: Claim, { dueAt, attempt, lastError }: PutBack): Promise<boolean> {
  const { numUpdatedRows } = await ours(db, job)
    .set({ state: 'WAITING', due_at: dueAt, attempt, ...(lastError === undefined ? {} : { last_error: lastError }) })
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('job as other')
            .select('other.id')
            .whereRef('other.kind', '=', 'job.kind')
            .whereRef('other.unique_key', '=', 'job.unique_key')
            .where('other.state', '=', 'WAITING'),
        ),
      ),
    )
    .executeTakeFirst();
  return numUpdatedRows > 0n || finish(db, job);
}

/** The job is given up and kept, for people to look at. */
export async function bury(db: Db, job: Claim, lastError: string): Promise<boolean> {
  const { numUpdatedRows } = await ours(db, job)
    .set({ state: 'DEAD', due_at: null, last_error: lastError })
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export type DeadJob = { id: Key; kind: string; attempt: number; last_error: string | null; created_at: Time };

export const listDeadJobs = (db: Db, limit: number): Promise<DeadJob[]> =>
  db
    .selectFrom('job')
    .select(['id', 'kind', 'attempt', 'last_error', 'created_at'])
    .where('state', '=', 'DEAD')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();

/** Gives a dead job all its attempts again. False when there is none, or another one with its key waits. */
export async function reviveDeadJob(tx: Tx, id: Key, now: Time): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('job')
    .set({ state: 'WAITING', due_at: now, attempt: 0 })
    .where('id', '=', id)
    .where('state', '=', 'DEAD')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('job as other')
            .select('other.id')
            .whereRef('other.kind', '=', 'job.kind')
            .whereRef('other.unique_key', '=', 'job.unique_key')
            .where('other.state', '=', 'WAITING'),
        ),
      ),
    )
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export type JobCounts = { waiting: number; running: number; dead: number; oldestDueAt: Time | null };

/** Over all servers. */
export async function countJobs(db: Db, now: Time): Promise<JobCounts> {
  const states = await db
    .selectFrom('job')
    .select(({ fn }) => ['state', fn.countAll<number>().as('count')])
    .groupBy('state')
    .execute();
  const oldest = await db
    .selectFrom('job')
    .select(({ fn }) => fn.min('due_at').as('due_at'))
    .where('state', '=', 'WAITING')
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
