// All SQL on marks.

import type { MarkReason, MarkState } from '@recordproof/shared/api/sweep.ts';
import { type Selectable, sql } from 'kysely';
import { claim, endClaim, LeaseLost } from '../../platform/db/claim.ts';
import type { Engine } from '../../platform/db/open-db.ts';
import { findFirst, selectWhere } from '../../platform/db/rows.ts';
import type { SliceRequest } from '../../platform/db/slice.ts';
import type { Db, Key, Tables, Time, Tx } from '../../platform/db/tables.ts';

export type MarkRow = Selectable<Tables['sweep_mark']>;

/** As a literal: the query builder would use a parameter, for which the partial indexes are not used. */
const isMarked = sql<boolean>`state = 'MARKED'`;

export async function findOpenMark(db: Db, tenantId: Key, path: string): Promise<MarkRow | null> {
  const query = db.selectFrom('sweep_mark').selectAll().where('tenant_id', '=', tenantId).where('path', '=', path);
  return (await query.where(isMarked).executeTakeFirst()) ?? null;
}

type NewMark = Pick<MarkRow, 'tenant_id' | 'census_id' | 'path' | 'sha256' | 'size' | 'created_at' | 'protected_until'>;

/** Returns null if it is already marked. */
export const insertMark = (tx: Tx, mark: NewMark): Promise<MarkRow | null> =>
  findFirst(
    tx
      .insertInto('sweep_mark')
      .values({ ...mark, state: 'MARKED', attempts: 0, due_at: mark.protected_until, fence: 0 })
      .onConflict(conflict => conflict.columns(['tenant_id', 'path']).where(isMarked).doNothing())
      .returningAll(),
  );

export function listMarks(
  db: Db,
  tenantId: Key,
  { limit, cursor, state }: SliceRequest & { readonly state: MarkState | undefined },
): Promise<MarkRow[]> {
  let query = db.selectFrom('sweep_mark').selectAll().where('tenant_id', '=', tenantId);
  if (state !== undefined) query = query.where('state', '=', state);
  if (cursor !== undefined) query = query.where('id', '<', cursor);
  return query.orderBy('id', 'desc').limit(limit).execute();
}

export async function countMarks(db: Db, tenantId: Key): Promise<ReadonlyMap<MarkState, number>> {
  const rows = await selectWhere(db, 'sweep_mark', { tenant_id: tenantId })
    .select(eb => ['state', eb.fn.countAll<number>().as('count')])
    .groupBy('state')
    .execute();
  return new Map(rows.map(({ state, count }) => [state, Number(count)]));
}

/** Of all tenants if none is given. */
export async function countWaiting(db: Db, tenantId?: Key): Promise<number> {
  const all = db.selectFrom('sweep_mark').select(eb => eb.fn.countAll<number>().as('count'));
  const query = all.$if(tenantId !== undefined, marks => marks.where('tenant_id', '=', tenantId as Key));
  return Number((await query.where(isMarked).executeTakeFirstOrThrow()).count);
}

/** Tenants with due marks. */
export async function listTenantsDue(db: Db, now: Time): Promise<Key[]> {
  const query = db.selectFrom('sweep_mark').select('tenant_id').distinct();
  return (await query.where(isMarked).where('due_at', '<=', now).execute()).map(row => row.tenant_id);
}

type Due = { readonly tenantId: Key; readonly now: Time };

export async function hasDue(db: Db, { tenantId, now }: Due): Promise<boolean> {
  const query = db.selectFrom('sweep_mark').select('id').where('tenant_id', '=', tenantId);
  return (await query.where(isMarked).where('due_at', '<=', now).limit(1).executeTakeFirst()) !== undefined;
}

type Claiming = Due & { readonly until: Time; readonly limit: number; readonly markedBefore: Key };

/** Due marks, made after an earlier census than this one; each is claimed by one server. */
export function claimMarks(
  db: Db,
  engine: Engine,
  { tenantId, now, until, limit, markedBefore }: Claiming,
): Promise<MarkRow[]> {
  const due = selectWhere(db, 'sweep_mark', { tenant_id: tenantId })
    .select('id')
    .where(isMarked)
    .where('due_at', '<=', now)
    .where('census_id', '<', markedBefore)
    .orderBy('due_at')
    .limit(limit);
  return claim(db, engine, 'sweep_mark', { due, until });
}

export type MarkChange = Partial<Pick<MarkRow, 'state' | 'reason' | 'attempts' | 'due_at' | 'ended_at'>>;

/** Ends the claim of a mark; throws `LeaseLost`. */
export async function endMark(tx: Tx, mark: MarkRow, change: MarkChange): Promise<void> {
  if (!(await endClaim(tx, 'sweep_mark', mark, change))) throw new LeaseLost(`the mark ${mark.id} was taken over`);
}

/** Postpones due marks, with the reason. */
export async function postponeMarks(db: Db, { tenantId, now }: Due, until: Time, reason: MarkReason): Promise<void> {
  await db
    .updateTable('sweep_mark')
    .set({ due_at: until, reason })
    .where('tenant_id', '=', tenantId)
    .where(isMarked)
    .where('due_at', '<=', now)
    .execute();
}
