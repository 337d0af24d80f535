// SQL on candidates. Whoever changes a claimed candidate names the claim.
import { type Selectable, sql } from 'kysely';
import { claimedFrom } from '../../platform/db/claim.ts';
import type { Engine } from '../../platform/db/open-db.ts';
import type { Db, Key, Tables, Time, Tx } from '../../platform/db/tables.ts';
import type { CandidateStatus } from './migrations.ts';

export type CandidateRow = Selectable<Tables['attestation_candidate']>;

/** Stored files with an active manifest and without a candidate; `file_unattested` is the index behind it. */
const unattested = (tx: Db, tenantId: Key) =>
  tx
    .selectFrom('file')
    .innerJoin('manifest', 'manifest.file_id', 'file.id')
    .where(sql<boolean>`file.proof_status = 'NONE' and file.status = 1 and file.manifest_hash is not null`)
    .where('file.tenant_id', '=', tenantId)
    .where(sql<boolean>`manifest.status = 'ACTIVE' and manifest.deleted = 0`)
    .where('manifest.tenant_id', '=', tenantId)
    .whereRef('manifest.manifest_hash', '=', 'file.manifest_hash')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('attestation_candidate')
            .select('attestation_candidate.id')
            .whereRef('attestation_candidate.file_id', '=', 'file.id'),
        ),
      ),
    );

export type Admission = { readonly tenantId: Key; readonly fileId?: Key; readonly limit: number };

/** Makes candidates of one file or of the oldest; answers the files. A file that is a candidate already is left out. */
export async function insertCandidates(
  tx: Tx,
  { tenantId, fileId, limit }: Admission,
  now: Time,
): Promise<readonly Key[]> {
  const files = unattested(tx, tenantId)
    .$if(fileId !== undefined, query => query.where('file.id', '=', fileId as Key))
    .select(eb => [
      'file.tenant_id',
      'file.id as file_id',
      'file.version as file_version',
      'manifest.manifest_hash',
      eb.val<CandidateStatus>('READY').as('status'),
      sql<number>`cast(0 as bigint)`.as('attempts'),
      sql<number>`cast(${now} as bigint)`.as('admitted_at'),
      sql<number>`cast(${now} as bigint)`.as('due_at'),
    ])
    .orderBy('file.id')
    .limit(limit);
  const columns = [
    'tenant_id', 'file_id', 'file_version', 'manifest_hash', 'status', 'attempts', 'admitted_at', 'due_at',
  ] as const; // biome-ignore format: one list
  const rows = await tx
    .insertInto('attestation_candidate')
    .columns(columns)
    .expression(files)
    .onConflict(conflict => conflict.column('file_id').doNothing())
    .returning('file_id')
    .execute();
  return rows.map(row => row.file_id);
}

export type Claiming = {
  readonly tenantId: Key;
  readonly claim: string;
  readonly limit: number;
  readonly now: Time;
  readonly until: Time;
};

/** The longest waiting first. Nobody else gets the same ones. */
export async function claimCandidates(
  tx: Tx,
  engine: Engine,
  { tenantId, claim, limit, now, until }: Claiming,
): Promise<CandidateRow[]> {
  const ready = tx
    .selectFrom('attestation_candidate')
    .select('id')
    .where(sql<boolean>`status = 'READY'`)
    .where('tenant_id', '=', tenantId)
    .where('due_at', '<=', now)
    .orderBy('admitted_at')
    .orderBy('id')
    .limit(limit);
  return tx
    .updateTable('attestation_candidate')
    .set(eb => ({ status: 'CLAIMED', claim, due_at: until, attempts: eb('attempts', '+', 1) }))
    .where(claimedFrom(engine, ready))
    .returningAll()
    .execute();
}

/** Claims whose server has not been heard of are free again; who was claimed too often is not. */
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

/** What is still under this claim goes into the batch; answers how many that were. */
export async function batchClaimed(tx: Tx, claim: string, batchId: Key): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable('attestation_candidate')
    .set({ status: 'BATCHED', claim: null, batch_id: batchId, last_error: null })
    .where('claim', '=', claim)
    .where('status', '=', 'CLAIMED')
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/** A run that could not go on gives its claim back. */
export const releaseClaim = (db: Db, claim: string, now: Time) =>
  db
    .updateTable('attestation_candidate')
    .set({ status: 'READY', claim: null, due_at: now })
    .where('claim', '=', claim)
    .where('status', '=', 'CLAIMED')
    .execute();

/** Whether at least `count` wait; never looks at more. */
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

export type Backlog = {
  readonly ready: number;
  readonly claimed: number;
  readonly dead: number;
  readonly oldestReadyAt: Time | null;
};

/** Of one tenant, or of all. */
export async function countBacklog(db: Db, tenantId?: Key): Promise<Backlog> {
  const rows = await db
    .selectFrom('attestation_candidate')
    .select(eb => ['status', eb.fn.countAll<number>().as('count'), eb.fn.min<number>('admitted_at').as('oldest')])
    // Spelled out, so that the partial indexes serve and the many that are batched are not looked at.
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

export async function findCandidate(db: Db, tenantId: Key, fileId: Key): Promise<CandidateRow | null> {
  const row = await db
    .selectFrom('attestation_candidate')
    .selectAll()
    .where('file_id', '=', fileId)
    .where('tenant_id', '=', tenantId)
    .executeTakeFirst();
  return row ?? null;
}
