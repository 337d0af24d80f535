// All SQL on backfill runs.

import type { BackfillMode } from '@recordproof/shared/api/backfill.ts';
import { type Selectable, sql } from 'kysely';
import { type Claim, claim, endClaim } from '../../platform/db/claim.ts';
import type { Engine } from '../../platform/db/open-db.ts';
import type { SliceRequest } from '../../platform/db/slice.ts';
import type { Db, Key, Tables, Time, Tx } from '../../platform/db/tables.ts';

export type RunRow = Selectable<Tables['backfill_run']>;

/** The builder would hand these over as values, and the index over the few open runs would not be used. */
const isUnfinished = sql<boolean>`status in ('PLANNED', 'SCANNING', 'APPLYING', 'PAUSED')`;
export const isAtWork = sql<boolean>`status in ('SCANNING', 'APPLYING')`;

const runsOf = (db: Db, tenantId: Key) => db.selectFrom('backfill_run').selectAll().where('tenant_id', '=', tenantId);

export async function findRun(db: Db, tenantId: Key, id: Key): Promise<RunRow | null> {
  return (await runsOf(db, tenantId).where('id', '=', id).executeTakeFirst()) ?? null;
}

/** As it is and stays until the transaction ends. */
export async function holdRun(tx: Tx, engine: Engine, tenantId: Key, id: Key): Promise<RunRow | null> {
  const query = runsOf(tx, tenantId).where('id', '=', id);
  return (await query.$if(engine === 'postgres', q => q.forUpdate()).executeTakeFirst()) ?? null;
}

export async function hasUnfinishedRun(db: Db, tenantId: Key): Promise<boolean> {
  return (await runsOf(db, tenantId).where(isUnfinished).limit(1).executeTakeFirst()) !== undefined;
}

export async function isSnapshotInUse(db: Db, run: RunRow): Promise<boolean> {
  const query = runsOf(db, run.tenant_id).where('snapshot_run_id', '=', run.id).limit(1);
  return (await query.executeTakeFirst()) !== undefined;
}

export function listRuns(db: Db, tenantId: Key, { limit, cursor }: SliceRequest): Promise<RunRow[]> {
  const query = runsOf(db, tenantId).$if(cursor !== undefined, q => q.where('id', '<', cursor as Key));
  return query.orderBy('id', 'desc').limit(limit).execute();
}

/** Of all tenants. */
export const listRunnable = (db: Db, modes: readonly BackfillMode[], limit: number): Promise<RunRow[]> =>
  db
    .selectFrom('backfill_run')
    .selectAll()
    .where(isUnfinished)
    .where('status', '!=', 'PAUSED')
    .where('mode', 'in', modes)
    .orderBy('id')
    .limit(limit)
    .execute();

export const insertRun = (tx: Tx, run: Omit<RunRow, 'id'>): Promise<RunRow> =>
  tx.insertInto('backfill_run').values(run).returningAll().executeTakeFirstOrThrow();

type RunChange = Partial<
  Pick<RunRow, 'status' | 'snapshot_digest' | 'seen_id' | 'failure' | 'counts' | 'started_at' | 'completed_at'>
>;

/** Null where it is no longer in the state that the change starts from. */
export async function updateRun(tx: Tx, run: RunRow, change: RunChange): Promise<RunRow | null> {
  const row = await tx
    .updateTable('backfill_run')
    .set(change)
    .where('tenant_id', '=', run.tenant_id)
    .where('id', '=', run.id)
    .where('status', '=', run.status)
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

/** Who finds the items of the run and ends it; null while somebody else does. A row that is only looked at is waited for. */
export async function claimLead(db: Db, engine: Engine, run: RunRow, now: Time, until: Time): Promise<RunRow | null> {
  const due = db
    .selectFrom('backfill_run')
    .select('id')
    .where(isAtWork)
    .where('tenant_id', '=', run.tenant_id)
    .where('id', '=', run.id)
    .where('due_at', '<=', now);
  const [row] = await claim(db, engine, 'backfill_run', { due, until, waits: true });
  return row ?? null;
}

/** Somebody else may lead at once. */
export const leaveLead = (db: Db, lead: Claim, now: Time): Promise<boolean> =>
  endClaim(db, 'backfill_run', lead, { due_at: now });

export async function findLastFileId(db: Db, tenantId: Key): Promise<Key> {
  const row = await db
    .selectFrom('file')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.id ?? 0;
}

export async function findLastItemId(db: Db, run: RunRow): Promise<Key> {
  const row = await db
    .selectFrom('backfill_item')
    .select('id')
    .where('tenant_id', '=', run.tenant_id)
    .where('run_id', '=', run.id)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.id ?? 0;
}
