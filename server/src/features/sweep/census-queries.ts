// All SQL on censuses and their results.

import type { UnknownHoldReason } from '@recordproof/shared/api/sweep.ts';
import { type Selectable, sql } from 'kysely';
import { findFirst, selectWhere } from '../../platform/db/rows.ts';
import type { SliceRequest } from '../../platform/db/slice.ts';
import type { Db, Key, Tables, Time, Tx } from '../../platform/db/tables.ts';

export type CensusRow = Selectable<Tables['sweep_census']>;
export type CandidateRow = Selectable<Tables['sweep_candidate']>;

/** As a literal: the query builder would use a parameter, for which the partial index is not used. */
const isRunning = sql<boolean>`state = 'RUNNING'`;

const censusesOf = (db: Db, tenantId: Key) =>
  db.selectFrom('sweep_census').selectAll().where('tenant_id', '=', tenantId);

export const findCensus = (db: Db, tenantId: Key, id: Key): Promise<CensusRow | null> =>
  findFirst(censusesOf(db, tenantId).where('id', '=', id));

/** In any state. */
export const findNewestCensus = (db: Db, tenantId: Key): Promise<CensusRow | null> =>
  findFirst(censusesOf(db, tenantId).orderBy('id', 'desc').limit(1));

export async function findCompletedCensus(db: Db, tenantId: Key): Promise<CensusRow | null> {
  const query = censusesOf(db, tenantId).where('state', '=', 'COMPLETED').orderBy('id', 'desc').limit(1);
  return (await query.executeTakeFirst()) ?? null;
}

/** Its results are deleted, because a later one has completed. */
export async function isSuperseded(db: Db, { tenant_id, id }: CensusRow): Promise<boolean> {
  return ((await findCompletedCensus(db, tenant_id))?.id ?? id) > id;
}

/** Returns null if one is already running. */
export const insertCensus = (tx: Tx, tenantId: Key, digest: string, now: Time): Promise<CensusRow | null> =>
  findFirst(
    tx
      .insertInto('sweep_census')
      .values({
        tenant_id: tenantId,
        state: 'RUNNING',
        phase: 'FILES',
        position: '',
        digest,
        known_references: 0,
        unknown_holds: 0,
        objects: 0,
        unreferenced: 0,
        unreferenced_bytes: 0,
        foreign_objects: 0,
        created_at: now,
        moved_at: now,
      })
      .onConflict(conflict => conflict.column('tenant_id').where(isRunning).doNothing())
      .returningAll(),
  );

export const findRunningCensus = (db: Db, tenantId: Key): Promise<CensusRow | null> =>
  findFirst(censusesOf(db, tenantId).where(isRunning));

export type CensusChange = Partial<Omit<CensusRow, 'id' | 'tenant_id' | 'created_at'>>;

/** From exactly this state; returns null if another server has advanced it meanwhile. */
export const moveCensus = (tx: Tx, from: CensusRow, change: CensusChange): Promise<CensusRow | null> =>
  findFirst(
    tx
      .updateTable('sweep_census')
      .set(change)
      .where('tenant_id', '=', from.tenant_id)
      .where('id', '=', from.id)
      .where('state', '=', 'RUNNING')
      .where('phase', '=', from.phase)
      .where('position', '=', from.position)
      .returningAll(),
  );

/** Running ones of all tenants without progress since. */
export const listStalled = (db: Db, movedUpTo: Time, limit: number): Promise<CensusRow[]> =>
  db.selectFrom('sweep_census').selectAll().where(isRunning).where('moved_at', '<=', movedUpTo).limit(limit).execute();

const keptCensuses = 100;

/** Of earlier ones only the counts are kept, and of the oldest nothing. */
export async function deleteOlderDetails(tx: Tx, { tenant_id, id }: CensusRow): Promise<void> {
  const earlier = tx.selectFrom('sweep_census').select('id').where('tenant_id', '=', tenant_id).where('id', '<', id);
  await tx.deleteFrom('sweep_candidate').where('census_id', 'in', earlier).execute();
  await tx.deleteFrom('sweep_unknown_hold').where('census_id', 'in', earlier).execute();
  await tx.deleteFrom('sweep_reference').where('census_id', 'in', earlier).execute();
  const oldest = await earlier.orderBy('id', 'desc').offset(keptCensuses).limit(1).executeTakeFirst();
  if (oldest === undefined) return;
  await tx.deleteFrom('sweep_census').where('tenant_id', '=', tenant_id).where('id', '<=', oldest.id).execute();
}

const rowsAtOnce = 500;

function* slices<T>(rows: readonly T[]): Generator<T[]> {
  for (let from = 0; from < rows.length; from += rowsAtOnce) yield rows.slice(from, from + rowsAtOnce);
}

/** Returns how many were new. */
export async function insertReferences(tx: Tx, censusId: Key, paths: readonly string[]): Promise<number> {
  let fresh = 0;
  for (const part of slices([...new Set(paths)])) {
    const rows = await tx
      .insertInto('sweep_reference')
      .values(part.map(path => ({ census_id: censusId, path })))
      .onConflict(conflict => conflict.doNothing())
      .returning('path')
      .execute();
    fresh += rows.length;
  }
  return fresh;
}

export async function listReferenced(db: Db, censusId: Key, paths: readonly string[]): Promise<ReadonlySet<string>> {
  if (paths.length === 0) return new Set();
  const rows = await selectWhere(db, 'sweep_reference', { census_id: censusId })
    .select('path')
    .where('path', 'in', paths)
    .execute();
  return new Set(rows.map(({ path }) => path));
}

export type UnknownHold = { readonly fileId: Key; readonly reason: UnknownHoldReason };

export async function insertUnknownHolds(tx: Tx, censusId: Key, holds: readonly UnknownHold[]): Promise<void> {
  if (holds.length === 0) return;
  const rows = holds.map(({ fileId, reason }) => ({ census_id: censusId, file_id: fileId, reason }));
  await tx
    .insertInto('sweep_unknown_hold')
    .values(rows)
    .onConflict(conflict => conflict.doNothing())
    .execute();
}

export type NewCandidate = Omit<CandidateRow, 'id' | 'census_id'>;

export async function insertCandidates(tx: Tx, censusId: Key, found: readonly NewCandidate[]): Promise<void> {
  if (found.length === 0) return;
  const rows = found.map(candidate => ({ ...candidate, census_id: censusId }));
  await tx
    .insertInto('sweep_candidate')
    .values(rows)
    .onConflict(conflict => conflict.doNothing())
    .execute();
}

export async function findCandidate(db: Db, censusId: Key, path: string): Promise<CandidateRow | null> {
  const query = db.selectFrom('sweep_candidate').selectAll().where('census_id', '=', censusId);
  return (await query.where('path', '=', path).executeTakeFirst()) ?? null;
}

export const listCandidates = (db: Db, censusId: Key, { limit, cursor }: SliceRequest): Promise<CandidateRow[]> =>
  selectWhere(db, 'sweep_candidate', { census_id: censusId })
    .selectAll()
    .where('id', '>', cursor ?? 0)
    .orderBy('id')
    .limit(limit)
    .execute();

export type UnknownHoldRow = Selectable<Tables['sweep_unknown_hold']>;

export const listUnknownHolds = (db: Db, censusId: Key, { limit, cursor }: SliceRequest): Promise<UnknownHoldRow[]> =>
  selectWhere(db, 'sweep_unknown_hold', { census_id: censusId })
    .selectAll()
    .where('id', '>', cursor ?? 0)
    .orderBy('id')
    .limit(limit)
    .execute();
