// SQL on the items of key rotations: discovery, claims, outcomes, counts. Every write under a claim names it, and
// changes nothing once another server has claimed the item.

import { type Selectable, sql } from 'kysely';
import { integer } from '../../platform/db/claim.ts';
import { isOneOf } from '../../platform/db/key-set.ts';
import type { Engine } from '../../platform/db/open-db.ts';
import { selectWhere, updateAndCount, updateWhere } from '../../platform/db/rows.ts';
import type { SliceRequest } from '../../platform/db/slice.ts';
import type { Db, Key, Tables, Time, Tx } from '../../platform/db/tables.ts';
import { countItemsBy } from '../runs/index.ts';
import type { RunRow } from './queries.ts';

export type ItemRow = Selectable<Tables['key_rotation_item']>;

export const rotationItems = {
  table: 'key_rotation_item',
  isOpen: sql<boolean>`status in ('PENDING', 'RUNNING')`,
} as const;

type Discovery = { readonly run: RunRow; readonly limit: number; readonly now: Time };

/**
 * Inserts the next envelopes as items, those that need no rewrapping with their outcome; returns the last envelope,
 * null if there was none. This completes a dry run, which never calls a key provider.
 */
export async function insertItems(tx: Tx, { run, limit, now }: Discovery): Promise<Key | null> {
  const isDry = run.mode === 'DRY_RUN';
  const alreadyThere = isDry ? 'DRY_RUN_ALREADY_TARGET' : 'SKIPPED_ALREADY_TARGET';
  const [otherStatus, otherOutcome] = isDry ? ['SUCCEEDED', 'DRY_RUN_CANDIDATE'] : ['PENDING', null];
  const isThere = sql`e.provider = ${run.provider} and e.provider_contract = ${run.provider_contract}
    and e.provider_key_version = ${run.provider_key_version}`;
  const { rows } = await sql<{ envelope_id: Key }>`
    insert into key_rotation_item
      (tenant_id, run_id, envelope_id, recipient_type, status, outcome, retryable, attempts, due_at, updated_at)
    select e.tenant_id, ${integer(run.id)}, e.id, e.recipient_type,
      case when ${isThere} then 'SKIPPED' else ${otherStatus} end,
      case when ${isThere} then ${alreadyThere} else cast(${otherOutcome} as text) end,
      0, 0, ${integer(now)}, ${integer(now)}
    from envelope e
    where e.tenant_id = ${run.tenant_id} and e.id > ${run.seen_envelope_id} and e.id <= ${run.last_envelope_id}
      and e.status = 'ACTIVE'
    order by e.id limit ${limit}
    returning envelope_id`.execute(tx);
  return rows.length === 0 ? null : Math.max(...rows.map(row => row.envelope_id));
}

type SetClaim = { readonly token: string; readonly ids: readonly Key[] };

/** Locks the items that are still under this claim. */
export async function lockClaimed(tx: Tx, engine: Engine, { token, ids }: SetClaim): Promise<ReadonlySet<Key>> {
  const rows = await tx
    .selectFrom('key_rotation_item')
    .select('id')
    .where(isOneOf(engine, 'id', ids))
    .where('claim', '=', token)
    .where('status', '=', 'RUNNING')
    .orderBy('id')
    .$if(engine === 'postgres', query => query.forUpdate())
    .execute();
  return new Set(rows.map(row => row.id));
}

export type ItemEnding = Pick<ItemRow, 'status' | 'outcome' | 'failure_category' | 'retryable'>;

type Ending = ItemEnding & { readonly due_at?: Time };

export const endItems = (tx: Tx, engine: Engine, ids: readonly Key[], ending: Ending, now: Time) =>
  tx
    .updateTable('key_rotation_item')
    .set({ ...ending, claim: null, updated_at: now })
    .where(isOneOf(engine, 'id', ids))
    .execute();

/** For a failed run: no server may end its items any more. */
export const releaseClaims = (tx: Tx, runId: Key, now: Time) =>
  updateWhere(
    tx,
    'key_rotation_item',
    { run_id: runId, status: 'RUNNING' },
    { status: 'PENDING', claim: null, updated_at: now },
  );

/** Requeues failed items that can be retried; returns how many. */
export const requeueFailed = (tx: Tx, runId: Key, now: Time): Promise<number> =>
  updateAndCount(
    tx,
    'key_rotation_item',
    { run_id: runId, status: 'FAILED', retryable: 1 },
    { status: 'PENDING', failure_category: null, retryable: 0, attempts: 0, due_at: now, updated_at: now },
  );

/** Counted from the items each time. */
export async function countItems(db: Db, runId: Key) {
  const rows = await countItemsBy(db, rotationItems, runId, ['status', 'retryable']);
  const sum = (matches: (row: (typeof rows)[number]) => boolean) =>
    rows.filter(matches).reduce((total, row) => total + row.count, 0);
  return {
    total: sum(() => true),
    succeeded: sum(row => row.status === 'SUCCEEDED'),
    skipped: sum(row => row.status === 'SKIPPED'),
    remaining: sum(row => row.status === 'PENDING' || row.status === 'RUNNING'),
    failed: sum(row => row.status === 'FAILED'),
    retryable: sum(row => row.status === 'FAILED' && row.retryable === 1),
  };
}

/** The failed items by category, most frequent first. */
export async function countFailures(db: Db, runId: Key) {
  const rows = await selectWhere(db, 'key_rotation_item', { run_id: runId, status: 'FAILED' })
    .select(eb => ['failure_category as category', eb.fn.countAll<number>().as('count')])
    .groupBy('failure_category')
    .execute();
  return rows
    .map(({ category, count }) => ({ category: category ?? 'INTERNAL', count: Number(count) }))
    .toSorted((a, b) => b.count - a.count || (a.category < b.category ? -1 : 1));
}

/** Ordered by envelope, which is indexed. */
export function listItems(db: Db, run: RunRow, { limit, cursor }: SliceRequest): Promise<ItemRow[]> {
  const ofRun = db.selectFrom('key_rotation_item').where('tenant_id', '=', run.tenant_id).where('run_id', '=', run.id);
  const query = ofRun
    .selectAll()
    .$if(cursor !== undefined, q =>
      q.where('envelope_id', '>', ofRun.select('envelope_id').where('id', '=', cursor as Key)),
    );
  return query.orderBy('envelope_id').limit(limit).execute();
}
