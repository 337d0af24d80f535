// SQL on candidates. Changes to a claimed candidate name the claim.
import { expressionBuilder, type Selectable, sql } from 'kysely';
import { claim, integer } from '../../platform/db/claim.ts';
import type { Engine } from '../../platform/db/open-db.ts';
import { findWhere, updateAndCount, updateWhere } from '../../platform/db/rows.ts';
import type { Db, Key, Tables, Time, Tx } from '../../platform/db/tables.ts';
import type { CandidateStatus } from './migrations.ts';

export type CandidateRow = Selectable<Tables['attestation_candidate']>;

export type Admission = { readonly tenantId: Key; readonly fileIds?: readonly Key[]; readonly limit: number };

/**
 * Inserts candidates for these stored files, or for the oldest that have none (index `file_unattested`); returns the
 * files. One statement over the tables of files and manifests, because every stored file passes here once.
 */
export async function insertCandidates(
  tx: Tx,
  { tenantId, fileIds, limit }: Admission,
  now: Time,
): Promise<readonly Key[]> {
  const file = expressionBuilder<{ f: Tables['file'] }, 'f'>();
  const these = fileIds === undefined ? sql<boolean>`true` : file('f.id', 'in', fileIds);
  const { rows } = await sql<{ file_id: Key }>`
    insert into attestation_candidate
      (tenant_id, file_id, file_version, manifest_hash, status, attempts, admitted_at, due_at)
    select f.tenant_id, f.id, f.version, m.manifest_hash, 'READY', 0, ${integer(now)}, ${integer(now)}
    from file f
    join manifest m on m.tenant_id = f.tenant_id and m.file_id = f.id
      and m.status = 'ACTIVE' and m.deleted = 0 and m.manifest_hash = f.manifest_hash
    where f.proof_status = 'NONE' and f.status = 1 and f.manifest_hash is not null and f.tenant_id = ${tenantId} and ${these}
      and not exists (select 1 from attestation_candidate c where c.file_id = f.id)
    order by f.id
    limit ${limit}
    on conflict (file_id) do nothing
    returning file_id`.execute(tx);
  return rows.map(row => row.file_id);
}

type Claiming = {
  readonly tenantId: Key;
  readonly token: string;
  readonly limit: number;
  readonly now: Time;
  readonly until: Time;
};

/** Claims the candidates that have waited longest, exclusively. */
export async function claimCandidates(
  tx: Tx,
  engine: Engine,
  { tenantId, token, limit, now, until }: Claiming,
): Promise<CandidateRow[]> {
  const due = tx
    .selectFrom('attestation_candidate')
    .select('id')
    .where(sql<boolean>`status = 'READY'`)
    .where('tenant_id', '=', tenantId)
    .where('due_at', '<=', now)
    .orderBy('admitted_at')
    .orderBy('id')
    .limit(limit);
  const set = { status: 'CLAIMED', attempts: sql`attempts + 1` } as const;
  return claim(tx, engine, 'attestation_candidate', { due, until, token, set });
}

/** Releases claims whose lease has ended; candidates with too many attempts fail. */
export async function recoverClaims(
  tx: Tx,
  tenantId: Key,
  { now, maxAttempts }: { readonly now: Time; readonly maxAttempts: number },
): Promise<{ readonly dead: readonly Key[] }> {
  const expired = (query: 'dead' | 'ready') =>
    tx
      .updateTable('attestation_candidate')
      .set({
        status: query === 'dead' ? 'DEAD_LETTER' : 'READY',
        claim: null,
        last_error: 'the server that was at work on it did not finish',
      })
      .where('tenant_id', '=', tenantId)
      .where('status', '=', 'CLAIMED')
      .where('due_at', '<=', now)
      .where('attempts', query === 'dead' ? '>=' : '<', maxAttempts);
  const dead = await expired('dead').returning('file_id').execute();
  await expired('ready').execute();
  return { dead: dead.map(row => row.file_id) };
}

/** Makes due now what a fast clock has deferred further than any claim or pause lasts. */
export async function correctAttestationTimes(db: Db, now: Time, longestMs: number): Promise<void> {
  const latest = now + longestMs;
  // As literals, so that the partial indexes over open candidates are used.
  for (const isOpen of [sql<boolean>`status = 'READY'`, sql<boolean>`status = 'CLAIMED'`])
    await db
      .updateTable('attestation_candidate')
      .set({ due_at: now })
      .where(isOpen)
      .where('due_at', '>', latest)
      .execute();
  const isOpen = sql<boolean>`status <> 'COMPLETED'`;
  await db.updateTable('attestation_batch').set({ due_at: now }).where(isOpen).where('due_at', '>', latest).execute();
}

export const failCandidate = (
  tx: Tx,
  candidate: CandidateRow,
  change: { readonly status: 'READY' | 'DEAD_LETTER'; readonly dueAt: Time; readonly error: string },
) =>
  tx
    .updateTable('attestation_candidate')
    .set({ status: change.status, claim: null, due_at: change.dueAt, last_error: change.error })
    .where('id', '=', candidate.id)
    .where('claim', '=', candidate.claim)
    .where('status', '=', 'CLAIMED')
    .execute();

/** Puts candidates still under this claim into the batch; returns how many. */
export const batchClaimed = (tx: Tx, claim: string, batchId: Key): Promise<number> =>
  updateAndCount(
    tx,
    'attestation_candidate',
    { claim, status: 'CLAIMED' },
    { status: 'BATCHED', claim: null, batch_id: batchId, last_error: null },
  );

/** Releases the claim of a run that could not continue. */
export const releaseClaim = (db: Db, claim: string, now: Time) =>
  updateWhere(db, 'attestation_candidate', { claim, status: 'CLAIMED' }, { status: 'READY', claim: null, due_at: now });

/** Returns whether at least `count` wait; reads no more rows than that. */
export async function areReady(db: Db, tenantId: Key, count: number, now: Time): Promise<boolean> {
  const rows = await db
    .selectFrom('attestation_candidate')
    .select('id')
    .where(sql<boolean>`status = 'READY'`)
    .where('tenant_id', '=', tenantId)
    .where('due_at', '<=', now)
    .limit(count)
    .execute();
  return rows.length >= count;
}

/** Of one tenant, or of all. */
export async function countBacklog(db: Db, tenantId?: Key) {
  const rows = await db
    .selectFrom('attestation_candidate')
    .select(eb => ['status', eb.fn.countAll<number>().as('count'), eb.fn.min<number>('admitted_at').as('oldest')])
    // As literals, so that the partial indexes are used and batched candidates are not read.
    .where(sql<boolean>`(status = 'READY' or status = 'CLAIMED' or status = 'DEAD_LETTER')`)
    .$if(tenantId !== undefined, query => query.where('tenant_id', '=', tenantId as Key))
    .groupBy('status')
    .execute();
  const of = (status: CandidateStatus) => rows.find(row => row.status === status);
  return {
    ready: Number(of('READY')?.count ?? 0),
    claimed: Number(of('CLAIMED')?.count ?? 0),
    dead: Number(of('DEAD_LETTER')?.count ?? 0),
    oldestReadyAt: of('READY')?.oldest ?? null,
  };
}

export const findCandidate = (db: Db, tenantId: Key, fileId: Key): Promise<CandidateRow | null> =>
  findWhere(db, 'attestation_candidate', { file_id: fileId, tenant_id: tenantId });
