// SQL on sagas.
import { selectWhere } from '../db/rows.ts';
import type { Db, Key, Time } from '../db/tables.ts';
import type { SagaStatus, SagaTable } from './migrations.ts';
import { type SagaState, sagaJobKey, sagaJobKind } from './saga.ts';

export type SagaRow = Omit<SagaTable, 'id'> & { id: Key };

export const findSagaRow = (db: Db, id: Key): Promise<SagaRow | undefined> =>
  db.selectFrom('saga').selectAll().where('id', '=', id).executeTakeFirst();

export type SagaChange = Partial<
  Pick<SagaRow, 'status' | 'step' | 'data' | 'attempt' | 'ends_as' | 'last_error' | 'ended_at'>
>;

/** False if a later run has written already. */
export async function updateSaga(db: Db, id: Key, fence: number, change: SagaChange): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('saga')
    .set({ ...change, fence })
    .where('id', '=', id)
    .where('fence', '<=', fence)
    .where('ended_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function getSagaState(db: Db, id: Key): Promise<SagaState> {
  const row = await findSagaRow(db, id);
  if (!row) throw new Error(`there is no saga ${id}`);
  const { status, step, last_error: lastError } = row;
  return { id, status, step, data: JSON.parse(row.data) as SagaState['data'], lastError };
}

export async function findSagaJob(db: Db, id: Key): Promise<{ id: Key; running: boolean } | undefined> {
  const row = await selectWhere(db, 'job', { kind: sagaJobKind, unique_key: sagaJobKey(id) })
    .select(['id', 'state'])
    .executeTakeFirst();
  return row && { id: row.id, running: row.state === 'RUNNING' };
}

export type SagaCounts = { running: number; compensating: number; failed: number };

/** Across all servers; failed ones until they are swept. */
export async function countSagas(db: Db): Promise<SagaCounts> {
  const rows = await db
    .selectFrom('saga')
    .select(({ fn }) => ['status', fn.countAll<number>().as('count')])
    .where('status', 'in', ['RUNNING', 'COMPENSATING', 'FAILED'])
    .groupBy('status')
    .execute();
  const count = (status: SagaStatus) => rows.find(row => row.status === status)?.count ?? 0;
  return { running: count('RUNNING'), compensating: count('COMPENSATING'), failed: count('FAILED') };
}

/** Deletes one batch of sagas that ended long ago and returns their number. */
export async function sweepSagas(
  db: Db,
  statuses: readonly SagaStatus[],
  { before, limit }: { before: Time; limit: number },
): Promise<number> {
  const old = db
    .selectFrom('saga')
    .select('id')
    .where('status', 'in', statuses)
    .where('ended_at', '<', before)
    .limit(limit);
  const { numDeletedRows } = await db.deleteFrom('saga').where('id', 'in', old).executeTakeFirst();
  return Number(numDeletedRows);
}
