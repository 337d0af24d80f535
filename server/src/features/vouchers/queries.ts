// All SQL of vouchers.
import { type Selectable, sql } from 'kysely';
import { insertInto, selectWhere, updateWhere } from '../../platform/db/rows.ts';
import type { Db, Key, Tables, Time, Tx } from '../../platform/db/tables.ts';
import type { VoucherKind } from './migrations.ts';

type VoucherRow = Selectable<Tables['voucher']>;
type TargetRow = Selectable<Tables['voucher_target']>;
export type WitnessedRow = Selectable<Tables['voucher_witnessed_log']>;

const newTarget = { vouched_size: 0, vouched_at: null, failures: 0, last_error: null, next_at: 0 } as const;

export async function findTarget(db: Db, name: string): Promise<TargetRow> {
  const row = await db.selectFrom('voucher_target').selectAll().where('name', '=', name).executeTakeFirst();
  return row ?? { name, ...newTarget };
}

export async function saveTarget(db: Db, name: string, change: Partial<Omit<TargetRow, 'name'>>): Promise<void> {
  await db
    .insertInto('voucher_target')
    .values({ name, ...newTarget, ...change })
    .onConflict(conflict => conflict.column('name').doUpdateSet(change))
    .execute();
}

type NewVoucher = Omit<VoucherRow, 'id'>;

export const firstUpgradePauseMs = 10 * 60_000;

/** One voucher per checkpoint, kind and target: later ones are ignored. */
export async function insertVoucher(tx: Tx, voucher: NewVoucher, isPending = false): Promise<void> {
  const added = await tx
    .insertInto('voucher')
    .values(voucher)
    .onConflict(conflict => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  if (added === undefined || !isPending) return;
  const next_at = voucher.created_at + firstUpgradePauseMs;
  await insertInto(tx, 'voucher_pending', { voucher_id: added.id, tries: 0, next_at });
}

const pendingVouchers = (db: Db) =>
  db.selectFrom('voucher_pending').innerJoin('voucher', 'voucher.id', 'voucher_pending.voucher_id');

/** Those of these targets that have waited longest. */
export const listDueUpgrades = (db: Db, targets: readonly string[], now: Time, limit: number) =>
  pendingVouchers(db)
    .select(['voucher.id', 'voucher.checkpoint_size', 'voucher.target', 'voucher.content', 'voucher_pending.tries'])
    .where('voucher_pending.next_at', '<=', now)
    .where('voucher.target', 'in', targets)
    .orderBy('voucher_pending.next_at')
    .limit(limit)
    .execute();

export const postponeUpgrade = (
  db: Db,
  voucherId: Key,
  { tries, nextAt, error }: { readonly tries: number; readonly nextAt: Time; readonly error: string | null },
): Promise<void> =>
  updateWhere(db, 'voucher_pending', { voucher_id: voucherId }, { tries, next_at: nextAt, last_error: error });

/** Returns false if it was already done. */
export async function saveUpgrade(tx: Tx, voucherId: Key, content: Uint8Array): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('voucher_pending')
    .where('voucher_id', '=', voucherId)
    .executeTakeFirst();
  if (numDeletedRows === 0n) return false;
  await updateWhere(tx, 'voucher', { id: voucherId }, { content });
  return true;
}

/** How many calendar answers are pending, since when, and the last error of a calendar. */
export async function countPending(db: Db): Promise<{ count: number; since: Time | null; error: string | null }> {
  const row = await pendingVouchers(db)
    .select(({ fn }) => [
      fn.countAll().as('count'),
      fn.min('voucher.created_at').as('since'),
      fn.max('voucher_pending.last_error').as('error'),
    ])
    .executeTakeFirstOrThrow();
  return { count: Number(row.count), since: row.since === null ? null : Number(row.since), error: row.error };
}

/** For one checkpoint, in a stable order. */
export const findVouchers = (db: Db, checkpointSize: number, kind: VoucherKind): Promise<VoucherRow[]> =>
  selectWhere(db, 'voucher', { checkpoint_size: checkpointSize, kind }).selectAll().orderBy('target').execute();

/** Sizes of the newest checkpoints with a voucher of this kind, newest first. */
export async function listVouchedSizes(db: Db, kind: VoucherKind, most: number): Promise<number[]> {
  const rows = await selectWhere(db, 'voucher', { kind })
    .select('checkpoint_size')
    .distinct()
    .orderBy('checkpoint_size', 'desc')
    .limit(most)
    .execute();
  return rows.map(row => row.checkpoint_size);
}

/** A required number of vouchers of a kind. */
export type Requirement = {
  readonly kind: VoucherKind;
  /** Only vouchers of these targets count; absent: all. */
  readonly targets?: readonly string[];
  readonly count: number;
};

const vouchedSizes = (db: Db, { kind, targets }: Omit<Requirement, 'count'>) => {
  const query = db.selectFrom('voucher').select('checkpoint_size').where('kind', '=', kind);
  return (targets === undefined ? query : query.where('target', 'in', targets)).groupBy('checkpoint_size').limit(1);
};

/** The size of the earliest checkpoint from `fromSize` on that meets the requirement. */
export async function findEarliestMeeting(db: Db, required: Requirement, fromSize: number): Promise<number | null> {
  if (required.targets?.length === 0) return null;
  const row = await vouchedSizes(db, required)
    .where('checkpoint_size', '>=', fromSize)
    .having(({ fn }) => fn.countAll(), '>=', required.count)
    .orderBy('checkpoint_size')
    .executeTakeFirst();
  return row?.checkpoint_size ?? null;
}

/** The size of the newest checkpoint after `afterSize` that meets the requirement. */
export async function findNewestMeeting(db: Db, required: Requirement, afterSize: number): Promise<number | null> {
  if (required.targets?.length === 0) return null;
  const row = await vouchedSizes(db, required)
    .where('checkpoint_size', '>', afterSize)
    .having(({ fn }) => fn.countAll(), '>=', required.count)
    .orderBy('checkpoint_size', 'desc')
    .executeTakeFirst();
  return row?.checkpoint_size ?? null;
}

/** The size of the checkpoint from `fromSize` on with vouchers of the most targets, the earliest of those. */
export async function findMostVouchedSize(
  db: Db,
  kind: VoucherKind,
  targets: readonly string[],
  fromSize: number,
): Promise<number | null> {
  if (targets.length === 0) return null;
  const row = await vouchedSizes(db, { kind, targets })
    .where('checkpoint_size', '>=', fromSize)
    .orderBy(({ fn }) => fn.countAll(), 'desc')
    .orderBy('checkpoint_size')
    .executeTakeFirst();
  return row?.checkpoint_size ?? null;
}

/** When the first existing checkpoint after this size was published. */
export async function findPublishedAfter(db: Db, size: number): Promise<Time | null> {
  const row = await db
    .selectFrom('ledger_checkpoint')
    .select('published_at')
    .where('size', '>', size)
    .orderBy('size')
    .limit(1)
    .executeTakeFirst();
  return row?.published_at ?? null;
}

/** Locks the row of the log until the transaction ends, on both databases. */
export async function lockWitnessedLog(tx: Tx, origin: string): Promise<WitnessedRow> {
  return tx
    .insertInto('voucher_witnessed_log')
    .values({ origin, size: 0, root: '', note: '', time_seconds: 0 })
    .onConflict(conflict => conflict.column('origin').doUpdateSet({ origin: sql`excluded.origin` }))
    .returningAll()
    .executeTakeFirstOrThrow();
}

export const saveWitnessedLog = (
  tx: Tx,
  origin: string,
  next: Pick<WitnessedRow, 'size' | 'root' | 'note' | 'time_seconds'>,
): Promise<void> => updateWhere(tx, 'voucher_witnessed_log', { origin }, next);

/** Only the first contradiction of a log is kept. */
export async function keepFork(db: Db, origin: string, first: string, second: string): Promise<void> {
  await db
    .updateTable('voucher_witnessed_log')
    .set({ fork_of: first, fork: second })
    .where('origin', '=', origin)
    .where('fork', 'is', null)
    .execute();
}

export async function listForks(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('voucher_witnessed_log').select('origin').where('fork', 'is not', null).execute();
  return rows.map(({ origin }) => origin);
}
