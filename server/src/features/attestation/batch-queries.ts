// SQL on batches and their leaves. Every change to a batch that is being submitted names its fence.
import { type Selectable, sql } from 'kysely';
import { type Claim, claim, endClaim, integer } from '../../platform/db/claim.ts';
import { joinedRow } from '../../platform/db/joined-rows.ts';
import type { Engine } from '../../platform/db/open-db.ts';
import { insertInto, selectWhere, updateWhere } from '../../platform/db/rows.ts';
import type { Db, Key, Tables, Time, Tx } from '../../platform/db/tables.ts';
import { findHighestBatch, isBatchOnLedger } from '../chain/index.ts';
import type { ReviewReason } from './migrations.ts';

export type BatchRow = Selectable<Tables['attestation_batch']>;
export type LeafRow = Selectable<Tables['attestation_leaf']>;

export const joinedBatch = joinedRow('attestation_batch', {
  ...{ id: 1, tenant_id: 1, status: 1, merkle_root: 1, proof_suite: 1, tree_size: 1, attempts: 1, due_at: 1, fence: 1 },
  ...{ review_reason: 1, last_error: 1, transaction_hash: 1, block_number: 1, confirmation_source: 1, chain_type: 1 },
  ...{ chain_id: 1, group_id: 1, contract_address: 1, ledger_key: 1, created_at: 1, completed_at: 1 },
});

export const joinedLeaf = joinedRow('attestation_leaf', {
  ...{ id: 1, tenant_id: 1, batch_id: 1, file_id: 1, file_version: 1, leaf_index: 1 },
  ...{ manifest_hash: 1, leaf_hash: 1, proof_path: 1 },
});

export type NewLeaf = Omit<LeafRow, 'id' | 'batch_id' | 'tenant_id'>;

const rowsPerInsert = 500;

export const toBatchNo = (batchId: Key): string => `MB-${batchId}`;

/** More than a batch may have. */
const leavesPerBatch = 1_000_000;

/**
 * Moves the id of a newly inserted batch past all numbers that the ledger knows, if it is one of them: a number is
 * never reused, because its root is on the chain permanently; also not after a restore from an older backup, when the
 * ledger knows later batches. The ids of their leaves are not reused either: the id of a proof follows from that of its
 * leaf, and another proof with an issued id would contradict the issued one.
 */
async function ensureUnusedNumber(tx: Tx, engine: Engine, id: Key): Promise<Key> {
  if (!(await isBatchOnLedger(tx, toBatchNo(id)))) return id;
  const free = (await findHighestBatch(tx)) + 1;
  await updateWhere(tx, 'attestation_batch', { id }, { id: free });
  const lostLeaves = integer((free - id) * leavesPerBatch);
  if (engine === 'postgres') {
    // SQLite continues from the greatest id by itself
    await sql`select setval(pg_get_serial_sequence('attestation_batch', 'id'), ${integer(free)})`.execute(tx);
    const leafIds = sql`pg_get_serial_sequence('attestation_leaf', 'id')`;
    await sql`select setval(${leafIds}, nextval(${leafIds}) + ${lostLeaves})`.execute(tx);
    return free;
  }
  await sql`insert into sqlite_sequence (name, seq) select 'attestation_leaf', 0
    where not exists (select 1 from sqlite_sequence where name = 'attestation_leaf')`.execute(tx);
  await sql`update sqlite_sequence set seq = seq + ${lostLeaves} where name = 'attestation_leaf'`.execute(tx);
  return free;
}

type NewBatch = {
  readonly tenantId: Key;
  readonly proofSuite: string;
  readonly merkleRoot: string;
  readonly leaves: readonly NewLeaf[];
};

export async function insertBatch(tx: Tx, engine: Engine, batch: NewBatch, now: Time): Promise<Key> {
  const inserted = await tx
    .insertInto('attestation_batch')
    .values({
      tenant_id: batch.tenantId,
      status: 'CHAIN_PENDING',
      merkle_root: batch.merkleRoot,
      proof_suite: batch.proofSuite,
      tree_size: batch.leaves.length,
      attempts: 0,
      due_at: now,
      fence: 0,
      created_at: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const id = await ensureUnusedNumber(tx, engine, inserted.id);
  for (let at = 0; at < batch.leaves.length; at += rowsPerInsert) {
    const rows = batch.leaves.slice(at, at + rowsPerInsert);
    const leaves = rows.map(leaf => ({ ...leaf, batch_id: id, tenant_id: batch.tenantId }));
    await insertInto(tx, 'attestation_leaf', leaves);
  }
  return id;
}

/**
 * Which open batches of a tenant are processed: those that are due and, on request, those that wait for an operator.
 */
type DueBatches = { readonly tenantId: Key; readonly now: Time; readonly exhausted: boolean };

const dueQuery = (db: Db, { tenantId, now, exhausted }: DueBatches) =>
  db
    .selectFrom('attestation_batch')
    .where(sql<boolean>`status <> 'COMPLETED'`)
    .where('tenant_id', '=', tenantId)
    .where('due_at', '<=', now)
    .where(eb =>
      exhausted
        ? eb.or([eb('status', '<>', 'MANUAL_REVIEW'), eb('review_reason', '=', 'ATTEMPTS_USED_UP')])
        : eb('status', '<>', 'MANUAL_REVIEW'),
    );

export const listDue = (db: Db, due: DueBatches): Promise<BatchRow[]> =>
  dueQuery(db, due).selectAll().orderBy('due_at').orderBy('id').limit(100).execute();

export async function countDue(db: Db, due: DueBatches): Promise<number> {
  const row = await dueQuery(db, due)
    .select(eb => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/** Claims the batch (CHAIN_SUBMITTING) under a new fence; returns null if another server was faster. */
export async function claimBatch(
  db: Db,
  engine: Engine,
  batch: BatchRow,
  { now, until }: { readonly now: Time; readonly until: Time },
): Promise<BatchRow | null> {
  const due = selectWhere(db, 'attestation_batch', { id: batch.id, fence: batch.fence, status: batch.status })
    .select('id')
    .where('due_at', '<=', now);
  const [row] = await claim(db, engine, 'attestation_batch', { due, until, set: { status: 'CHAIN_SUBMITTING' } });
  return row ?? null;
}

type Deferral = Pick<BatchRow, 'due_at' | 'attempts'> & { readonly last_error: string };

export type BatchEnd =
  | ({ readonly status: 'COMPLETED'; readonly completed_at: Time } & Receipt)
  | ({ readonly status: 'CHAIN_RETRY' } & Deferral)
  | ({ readonly status: 'MANUAL_REVIEW'; readonly review_reason: ReviewReason } & Deferral);

type Receipt = {
  readonly transaction_hash: string;
  readonly block_number: number;
  readonly confirmation_source: string;
  readonly chain_type: string;
  readonly chain_id: string;
  readonly group_id: string;
  readonly contract_address: string;
  readonly ledger_key: string | null;
};

/** Returns false if another server has taken over. */
export async function endSubmission(tx: Tx, batch: Claim, end: BatchEnd): Promise<boolean> {
  const cleared = end.status === 'COMPLETED' ? { last_error: null, review_reason: null } : {};
  return endClaim(tx, 'attestation_batch', batch, { ...cleared, ...end });
}

/** Makes batches that wait for a retry due now; returns their tenants. */
export async function retryBatchesNow(tx: Tx, now: Time): Promise<ReadonlySet<Key>> {
  const rows = await tx
    .updateTable('attestation_batch')
    .set({ due_at: now })
    .where(sql<boolean>`status <> 'COMPLETED'`)
    .where('status', '=', 'CHAIN_RETRY')
    .where('due_at', '>', now)
    .returning('tenant_id')
    .execute();
  return new Set(rows.map(row => row.tenant_id));
}

export async function countBatched(db: Db, tenantId: Key): Promise<number> {
  const row = await selectWhere(db, 'attestation_batch', { tenant_id: tenantId })
    .select(eb => eb.fn.sum<number | null>('tree_size').as('count'))
    .executeTakeFirst();
  return Number(row?.count ?? 0);
}

/** Batches whose roots are on the chain. Literals, so that the partial index matches. */
export async function countAnchored(db: Db, tenantId: Key): Promise<number> {
  const { count } = await selectWhere(db, 'attestation_batch', { tenant_id: tenantId })
    .select(eb => eb.fn.countAll<number>().as('count'))
    .where(sql<boolean>`status = 'COMPLETED'`)
    .executeTakeFirstOrThrow();
  return count;
}

/** Tenants for which a run has work. */
export async function listTenantsWithWork(db: Db, now: Time): Promise<Key[]> {
  const { rows } = await sql<{ tenant_id: Key }>`
    select tenant_id from attestation_candidate where status = 'READY' and due_at <= ${now}
    union select tenant_id from attestation_candidate where status = 'CLAIMED' and due_at <= ${now}
    union select tenant_id from attestation_batch
      where status <> 'COMPLETED' and status <> 'MANUAL_REVIEW' and due_at <= ${now}
    union select tenant_id from file where proof_status = 'NONE' and status = 1 and manifest_hash is not null
    order by tenant_id`.execute(db);
  return rows.map(row => row.tenant_id);
}

export type LeafWithBatch = { readonly leaf: LeafRow; readonly batch: BatchRow };

export async function listLeavesOfFiles(db: Db, tenantId: Key, fileIds: readonly Key[]): Promise<LeafWithBatch[]> {
  const leaves = await db
    .selectFrom('attestation_leaf')
    .selectAll()
    .where('file_id', 'in', fileIds)
    .where('tenant_id', '=', tenantId)
    .execute();
  if (leaves.length === 0) return [];
  const batches = await db
    .selectFrom('attestation_batch')
    .selectAll()
    .where('id', 'in', [...new Set(leaves.map(leaf => leaf.batch_id))])
    .where('tenant_id', '=', tenantId)
    .execute();
  const byId = new Map(batches.map(batch => [batch.id, batch]));
  return leaves.flatMap(leaf => {
    const batch = byId.get(leaf.batch_id);
    return batch ? [{ leaf, batch }] : [];
  });
}

export const listLeaves = (db: Db, batchId: Key): Promise<LeafRow[]> =>
  db.selectFrom('attestation_leaf').selectAll().where('batch_id', '=', batchId).orderBy('leaf_index').execute();
