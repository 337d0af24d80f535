// All SQL on dead jobs, of one tenant or of the whole installation.
import { sql } from 'kysely';
import { findPage, type RowPage } from '../db/page.ts';
import { findFirst } from '../db/rows.ts';
import type { Db, Key, Time, Tx } from '../db/tables.ts';
import { announceWork } from '../db/work-notifications.ts';
import { type Claimed, noOtherWaits, ofEvents } from './queries.ts';

/** The jobs of one tenant, or all. */
export type Owner = { readonly tenantId: Key } | 'installation';

type DeadJobs = {
  readonly owner: Owner;
  readonly kind?: string | undefined;
  /** Only events, or only other jobs. */
  readonly areEvents?: boolean | undefined;
};

const dead = (db: Db, owner: Owner) => {
  const query = db.selectFrom('job').where(sql<boolean>`state = 'DEAD'`);
  return owner === 'installation' ? query : query.where('tenant_id', '=', owner.tenantId);
};

/** Newest first. */
export async function findDeadJobs(
  db: Db,
  { owner, kind, areEvents }: DeadJobs,
  request: { readonly page: number; readonly size: number },
): Promise<RowPage<Claimed>> {
  let query = dead(db, owner);
  if (kind !== undefined) query = query.where('kind', '=', kind);
  if (areEvents !== undefined) query = query.where(areEvents ? ofEvents : sql<boolean>`not ${ofEvents}`);
  return findPage(query, request, matching => matching.selectAll().orderBy('id', 'desc'));
}

export const findDeadJob = (db: Db, owner: Owner, id: Key): Promise<Claimed | null> =>
  findFirst(dead(db, owner).selectAll().where('id', '=', id));

/** Makes a dead job due now with all its attempts. False if it is no longer dead, or another job with its key waits. */
export async function reviveDeadJob(tx: Tx, { id, kind }: Pick<Claimed, 'id' | 'kind'>, now: Time): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('job')
    .set({ state: 'WAITING', due_at: now, attempt: 0, tenant_id: null })
    .where('id', '=', id)
    .where('state', '=', 'DEAD')
    .where(noOtherWaits)
    .executeTakeFirst();
  if (numUpdatedRows > 0n) await announceWork(tx, kind);
  return numUpdatedRows > 0n;
}

/** False if it is no longer dead. */
export async function dropDeadJob(tx: Tx, id: Key): Promise<boolean> {
  const query = tx.deleteFrom('job').where('id', '=', id).where('state', '=', 'DEAD');
  return (await query.executeTakeFirst()).numDeletedRows > 0n;
}
