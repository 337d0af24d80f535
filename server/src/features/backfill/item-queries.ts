// SQL on the items of backfill runs: discovery, claims, outcomes, counts. Every write under a claim names its fence,
// and changes nothing once another server has claimed the item.

import type { BackfillItemStatus } from '@recordproof/shared/api/backfill.ts';
import type { BackfillClassification, BackfillReason } from '@recordproof/shared/api/backfill-reasons.ts';
import { type Selectable, sql } from 'kysely';
import { type Claim, endClaim, integer } from '../../platform/db/claim.ts';
import { findFirst, selectWhere } from '../../platform/db/rows.ts';
import type { SliceRequest } from '../../platform/db/slice.ts';
import type { Db, Key, Tables, Time, Tx } from '../../platform/db/tables.ts';
import { countItemsBy } from '../runs/index.ts';

export type RunRow = Selectable<Tables['backfill_run']>;
export type ItemRow = Selectable<Tables['backfill_item']>;

export const backfillItems = { table: 'backfill_item', isOpen: sql<boolean>`due_at is not null` } as const;

type Discovery = { readonly run: RunRow; readonly limit: number; readonly now: Time };

/** Inserts the next page of files or scanned items as items; returns the last id of the page, null if it was empty. */
export async function insertItems(tx: Tx, { run, limit, now }: Discovery): Promise<Key | null> {
  const page =
    run.mode === 'SCAN'
      ? sql`select id as seen, id as file_id, file_hash, null as expected from file
          where tenant_id = ${run.tenant_id} and id > ${run.seen_id} and id <= ${run.last_id}
          order by id limit ${limit}`
      : sql`select id as seen, file_id, file_hash, evidence_digest as expected from backfill_item
          where tenant_id = ${run.tenant_id} and run_id = ${run.snapshot_run_id} and classification = 'BACKFILLABLE'
            and id > ${run.seen_id} and id <= ${run.last_id}
          order by id limit ${limit}`;
  const { rows } = await sql<{ seen: Key }>`select max(seen) as seen from (${page}) p`.execute(tx);
  const seen = rows[0]?.seen ?? null;
  if (seen === null) return null;
  await sql`
    insert into backfill_item
      (tenant_id, run_id, file_id, file_hash, status, expected_digest, attempts, fence, due_at, updated_at)
    select ${integer(run.tenant_id)}, ${integer(run.id)}, p.file_id, p.file_hash, 'PENDING',
      cast(p.expected as text), 0, 0, ${integer(now)}, ${integer(now)}
    from (${page}) p order by p.seen`.execute(tx);
  return seen;
}

/** Ends items as WORKER_LOST if their lease has ended at their last attempt. */
export async function failLost(db: Db, run: RunRow, maxAttempts: number, now: Time): Promise<void> {
  const verdict = { classification: 'FAILED', reason: 'WORKER_LOST' } as const;
  await db
    .updateTable('backfill_item')
    .set({ ...verdict, status: 'FAILED', due_at: null, updated_at: now })
    .where('tenant_id', '=', run.tenant_id)
    .where('run_id', '=', run.id)
    .where('status', '=', 'RUNNING')
    .where('due_at', '<=', now)
    .where('attempts', '>=', maxAttempts)
    .execute();
}

export type ItemEnding = Pick<ItemRow, 'status' | 'due_at'> &
  Partial<Pick<ItemRow, 'classification' | 'reason' | 'evidence_digest' | 'manifest_hash'>>;

/** Returns false if the claim was lost. */
export const endItem = (db: Db, item: Claim, ending: ItemEnding, now: Time): Promise<boolean> =>
  endClaim(db, 'backfill_item', item, { ...ending, updated_at: now });

/** For a server that shuts down: another one may claim the item at once, and the attempt does not count. */
export const releaseItem = (db: Db, item: Claim, now: Time): Promise<boolean> =>
  endClaim(db, 'backfill_item', item, { status: 'PENDING', attempts: sql`attempts - 1`, due_at: now });

/** For a failed run: drops every claim, so that no item changes any more. */
export const dropOpenItems = (tx: Tx, run: RunRow, now: Time) =>
  tx
    .updateTable('backfill_item')
    .set({ status: 'PENDING', fence: sql<number>`fence + 1`, due_at: null, updated_at: now })
    .where('tenant_id', '=', run.tenant_id)
    .where('run_id', '=', run.id)
    .where(backfillItems.isOpen)
    .execute();

export const requeueItem = (tx: Tx, item: ItemRow, now: Time): Promise<ItemRow> =>
  tx
    .updateTable('backfill_item')
    .set({ status: 'PENDING', classification: null, reason: null, attempts: 0, due_at: now, updated_at: now })
    .where('tenant_id', '=', item.tenant_id)
    .where('id', '=', item.id)
    .returningAll()
    .executeTakeFirstOrThrow();

const itemsOf = (db: Db, run: RunRow) =>
  db.selectFrom('backfill_item').where('tenant_id', '=', run.tenant_id).where('run_id', '=', run.id);

export const findItem = (db: Db, run: RunRow, id: Key): Promise<ItemRow | null> =>
  findFirst(itemsOf(db, run).selectAll().where('id', '=', id));

export async function countClaimed(db: Db, run: RunRow, now: Time): Promise<number> {
  const claimed = itemsOf(db, run)
    .where(backfillItems.isOpen)
    .where('due_at', '>', now)
    .where('status', '=', 'RUNNING');
  const { count } = await claimed.select(eb => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow();
  return Number(count);
}

export type ReasonCount = Pick<ItemRow, 'classification' | 'reason' | 'status'> & { readonly count: number };

/** Open items have no classification yet. */
export const countItems = (db: Db, { id }: RunRow): Promise<ReasonCount[]> =>
  countItemsBy(db, backfillItems, id, ['classification', 'reason', 'status']);

/** The counts of a finished run are stored in its row; those of an unfinished run are counted. */
export const readCounts = async (db: Db, run: RunRow): Promise<readonly ReasonCount[]> =>
  run.counts === null ? countItems(db, run) : (JSON.parse(run.counts) as ReasonCount[]);

/** For the transaction that ends the run; requires that no item is open or claimed. */
export async function countItemsAsJson(tx: Tx, run: RunRow) {
  const rows = await countItems(tx, run);
  return { rows, counts: JSON.stringify(rows) };
}

export async function findLastItemId(db: Db, run: RunRow): Promise<Key> {
  const last = itemsOf(db, run).select('id').orderBy('id', 'desc').limit(1);
  return (await last.executeTakeFirst())?.id ?? 0;
}

export type ItemFilter = SliceRequest & {
  readonly status?: BackfillItemStatus | undefined;
  readonly classification?: BackfillClassification | undefined;
  readonly reason?: BackfillReason | undefined;
};

export type NamedItem = ItemRow & { readonly file_name: string };

export function listItems(db: Db, run: RunRow, filter: ItemFilter): Promise<NamedItem[]> {
  const { limit, cursor, status, classification, reason } = filter;
  let query = db
    .selectFrom('backfill_item as i')
    .innerJoin('file as f', 'f.id', 'i.file_id')
    .selectAll('i')
    .select('f.file_name')
    .where('i.tenant_id', '=', run.tenant_id)
    .where('i.run_id', '=', run.id);
  if (cursor !== undefined) query = query.where('i.id', '>', cursor);
  if (status !== undefined) query = query.where('i.status', '=', status);
  if (classification !== undefined) query = query.where('i.classification', '=', classification);
  if (reason !== undefined) query = query.where('i.reason', '=', reason);
  return query.orderBy('i.id').limit(limit).execute();
}

export type EvidenceRow = Pick<ItemRow, 'file_hash' | 'classification' | 'reason' | 'evidence_digest'>;

/** Ordered by record id, which is the same on every database and in every run. */
export const listEvidence = (db: Db, run: RunRow, after: string, limit: number): Promise<EvidenceRow[]> =>
  itemsOf(db, run)
    .select(['file_hash', 'classification', 'reason', 'evidence_digest'])
    .where('file_hash', '>', after)
    .orderBy('file_hash')
    .limit(limit)
    .execute();

/** The newest verdict on the file; null if no run has examined it. */
export const findLatestVerdict = (db: Db, tenantId: Key, fileId: Key): Promise<ItemRow | null> =>
  findFirst(
    selectWhere(db, 'backfill_item', { tenant_id: tenantId, file_id: fileId })
      .selectAll()
      .where('classification', 'is not', null)
      .orderBy('id', 'desc')
      .limit(1),
  );
