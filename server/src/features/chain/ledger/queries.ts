// All SQL of the embedded ledger. Entries and checkpoints are inserted and never changed.
import { clockSkewMs } from '@recordproof/shared/evidence/ledger-entry.ts';
import { type ExpressionBuilder, type RawBuilder, type Selectable, sql } from 'kysely';
import { integer } from '../../../platform/db/claim.ts';
import {
  deleteWhere,
  findFirst,
  findWhere,
  insertInto,
  selectWhere,
  updateAndCount,
} from '../../../platform/db/rows.ts';
import type { Db, Tables, Time, Tx } from '../../../platform/db/tables.ts';
import type { EntryKind } from '../chain-port.ts';
import { type EntryRow, toEntryRow, toStoredEntry } from './packed-entry.ts';

type LogRow = Selectable<Tables['ledger_log']>;
type StoredEntry = Selectable<Tables['ledger_entry']>;
export type CheckpointRow = Omit<Selectable<Tables['ledger_checkpoint']>, 'is_kept'>;

/** The first server names the log; later ones read that name. */
export async function ensureLog(db: Db, origin: string, publicKey: string): Promise<LogRow> {
  await db
    .insertInto('ledger_log')
    .values({ id: 1, origin, public_key: publicKey, size: 0, published_size: 0, recorded_until: 0, writer_beat: 0 })
    .onConflict(conflict => conflict.doNothing())
    .execute();
  return getLog(db);
}

export const getLog = (db: Db): Promise<LogRow> => db.selectFrom('ledger_log').selectAll().executeTakeFirstOrThrow();

export const findLog = (db: Db): Promise<LogRow | null> => findFirst(db.selectFrom('ledger_log').selectAll());

type LogEnd = Pick<LogRow, 'size' | 'recorded_until'>;
type LockedLog = LogEnd & Pick<LogRow, 'fenced_at'>;

/** An update without changes locks the row on both databases until the transaction ends; returns the newest end. */
export const lockEnd = (tx: Tx): Promise<LockedLog> =>
  tx
    .updateTable('ledger_log')
    .set(eb => ({ size: eb.ref('size') }))
    .returning(['size', 'recorded_until', 'fenced_at'])
    .executeTakeFirstOrThrow();

/** Another database writes this ledger: blocks all appends here. */
export const fenceLog = (db: Db, now: Time): Promise<unknown> =>
  db.updateTable('ledger_log').set({ fenced_at: now }).where('fenced_at', 'is', null).execute();

/** Sets it above `atLeast` and above its old value, and returns it. Clears the fence. */
export async function incrementBeat(db: Db, atLeast: number, nonce: string): Promise<number> {
  const { writer_beat: beat } = await db
    .updateTable('ledger_log')
    .set({
      writer_beat: sql<number>`case when writer_beat > ${integer(atLeast)} then writer_beat else ${integer(atLeast)} end + 1`,
      writer_nonce: nonce,
      fenced_at: null,
    })
    .returning('writer_beat')
    .executeTakeFirstOrThrow();
  return Number(beat);
}

export async function listEntriesAbout(db: Db, kind: EntryKind, subjects: readonly string[]): Promise<EntryRow[]> {
  if (subjects.length === 0) return [];
  const query = db.selectFrom('ledger_entry').selectAll().where('kind', '=', kind).where('subject', 'in', subjects);
  return (await query.execute()).map(toEntryRow);
}

type About = { readonly kind: EntryKind; readonly subjects: readonly string[] };

/** The position of the entry; null if there is none. */
export const positionOf = (kind: EntryKind, subject: string): RawBuilder<number | null> =>
  sql`(select position from ledger_entry where kind = ${sql.lit(kind)} and subject = ${subject})`;

const isAbout = (about: readonly About[]) => (eb: ExpressionBuilder<Tables, 'ledger_entry'>) =>
  eb.or(about.map(({ kind, subjects }) => eb.and([eb('kind', '=', kind), eb('subject', 'in', subjects)])));

/** Entries of the kind whose subject begins so, behind a position, in order. */
export async function listEntriesUnder(
  db: Db,
  kind: EntryKind,
  prefix: string,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<EntryRow[]> {
  const rows = await selectWhere(db, 'ledger_entry', { kind })
    .selectAll()
    .where('position', '>', after)
    .where(eb => eb(eb.fn<string>('substr', ['subject', eb.val(1), eb.val(prefix.length)]), '=', prefix))
    .orderBy('position')
    .limit(limit)
    .execute();
  return rows.map(toEntryRow);
}

export const isBatchOnLedger = async (db: Db, batchNo: string): Promise<boolean> =>
  (await listEntriesAbout(db, 'BATCH_ROOT', [batchNo])).length > 0;

/** In the transaction that locked the size. */
export async function insertEntries(tx: Tx, rows: readonly EntryRow[], end: LogEnd): Promise<void> {
  await insertRows(tx, rows);
  await tx.updateTable('ledger_log').set(end).execute();
}

export const insertRows = (tx: Tx, rows: readonly EntryRow[]): Promise<void> =>
  insertInto(tx, 'ledger_entry', rows.map(toStoredEntry));

/**
 * On SQLite: advances the end of the log for new entries, and returns it. Returns undefined, with nothing changed, if
 * an entry for one of them exists or the clock is behind.
 */
export const takePositions = (
  tx: Tx,
  about: readonly About[],
  { count, now }: { readonly count: number; readonly now: Time },
): Promise<LogEnd | undefined> =>
  tx
    .updateTable('ledger_log')
    .set(eb => ({
      size: eb('size', '+', count),
      recorded_until: eb.fn<number>('max', ['recorded_until', eb.val(now)]),
    }))
    .where('recorded_until', '<=', now + clockSkewMs)
    .where('fenced_at', 'is', null)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('ledger_entry').select('position').where(isAbout(about)))),
    )
    .returning(['size', 'recorded_until'])
    .executeTakeFirst();

/** From a position on, only those that no checkpoint covers. */
export const deleteEntries = (tx: Tx, from: number): Promise<unknown> =>
  tx.deleteFrom('ledger_entry').where('position', '>=', from).execute();

type Undated = Pick<EntryRow, 'kind' | 'subject'> & {
  /** The entry's text before its date and after it. */
  readonly before: string;
  readonly after: string;
  /** The entry, in hex. */
  readonly packed: string;
};

/**
 * For PostgreSQL, in one statement that locks the log: all are dated `now`, or as the newest entry if that is later.
 * Returns no rows, with nothing written, if an entry for one of them exists, if the newest entry is later by more than
 * the skew, or if the log is fenced.
 */
export async function insertUnknown(tx: Tx, undated: readonly Undated[], now: Time): Promise<EntryRow[]> {
  const count = integer(undated.length);
  const numbered = JSON.stringify(undated.map((one, nth) => ({ ...one, nth })));
  const { rows } = await sql<StoredEntry>`
    with draft as materialized (
      select * from json_to_recordset(${numbered}::json) as draft (
        nth bigint, kind text, subject text, before text, after text, packed text
      )
    ), log as (
      update ledger_log set size = size + ${count}, recorded_until = greatest(recorded_until, ${integer(now)})
      where recorded_until <= ${integer(now + clockSkewMs)} and fenced_at is null
        and not exists (select from ledger_entry join draft using (kind, subject))
      returning size - ${count} as size, recorded_until,
        to_char(timestamp 'epoch' + recorded_until * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as date
    ), dated as (
      select log.size + nth as position, kind, subject, before || log.date || after as entry, packed,
        recorded_until as recorded_at
      from log cross join draft
    )
    insert into ledger_entry (position, kind, subject, packed, leaf_hash, recorded_at)
    select position, kind, subject, decode(packed, 'hex'),
      sha256('\\x00'::bytea || convert_to(entry, 'UTF8')), recorded_at from dated
    returning *`.execute(tx);
  return rows.map(toEntryRow).toSorted((a, b) => a.position - b.position);
}

/** The entries [start, end), in order. */
export async function listEntries(db: Db, start: number, end: number): Promise<EntryRow[]> {
  const rows = await db
    .selectFrom('ledger_entry')
    .selectAll()
    .where('position', '>=', start)
    .where('position', '<', end)
    .orderBy('position')
    .execute();
  return rows.map(toEntryRow);
}

/** Counts entries dated before their predecessor by more than the skew, with the first position. */
export async function findTimeSteps(db: Db, skewMs: number): Promise<{ count: number; first: number | null }> {
  const { rows } = await sql<{ count: number; first: number | null }>`
    select count(*) as count, min(position) as first from (
      select position, recorded_at - lag(recorded_at) over (order by position) as step from ledger_entry
    ) as steps where step < ${integer(-skewMs)}`.execute(db);
  const [found] = rows;
  return {
    count: Number(found?.count ?? 0),
    first: found?.first === undefined || found.first === null ? null : Number(found.first),
  };
}

/** The greatest n of all entries on a batch `MB-n`; 0 without any. */
export async function findHighestBatch(db: Db): Promise<number> {
  const { highest } = await selectWhere(db, 'ledger_entry', { kind: 'BATCH_ROOT' })
    .select(sql<number | null>`max(cast(substr(subject, 4) as bigint))`.as('highest'))
    .where('subject', 'like', 'MB-%')
    .executeTakeFirstOrThrow();
  return Number(highest ?? 0);
}

export const findNewestCheckpoint = (db: Db): Promise<CheckpointRow | null> =>
  findFirst(db.selectFrom('ledger_checkpoint').selectAll().orderBy('size', 'desc').limit(1));

/** The newest checkpoint if it is larger than `afterSize`; it is marked to be kept. Call outside transactions. */
export async function keepNewestCheckpoint(db: Db, afterSize: number): Promise<CheckpointRow | null> {
  for (;;) {
    const newest = await findNewestCheckpoint(db);
    if (newest === null || newest.size <= afterSize) return null;
    const kept = await updateAndCount(db, 'ledger_checkpoint', { size: newest.size }, { is_kept: 1 });
    if (kept > 0) return newest; // otherwise a server published a newer one within the same minute
  }
}

export const findCheckpoint = (db: Db, size: number): Promise<CheckpointRow | null> =>
  findWhere(db, 'ledger_checkpoint', { size });

/** For the empty log; a log with entries already has its first checkpoint. */
export async function ensureFirstCheckpoint(db: Db, checkpoint: CheckpointRow): Promise<void> {
  await db
    .insertInto('ledger_checkpoint')
    .columns(['size', 'root', 'note', 'published_at'])
    .expression(eb =>
      eb
        .selectFrom('ledger_log')
        .select([
          eb.val(checkpoint.size).as('size'),
          eb.val(checkpoint.root).as('root'),
          eb.val(checkpoint.note).as('note'),
          eb.val(checkpoint.published_at).as('published_at'),
        ])
        .where('published_size', '=', 0),
    )
    .onConflict(conflict => conflict.doNothing())
    .execute();
}

export const listCheckpoints = (db: Db, afterSize: number, limit: number): Promise<CheckpointRow[]> =>
  db.selectFrom('ledger_checkpoint').selectAll().where('size', '>', afterSize).orderBy('size').limit(limit).execute();

const minuteOf = (time: Time): number => Math.floor(time / 60_000);

/** Returns false, with nothing changed, if another server has advanced the log meanwhile. */
export async function moveCheckpoint(tx: Tx, from: number, checkpoint: CheckpointRow): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('ledger_log')
    .set({ published_size: checkpoint.size })
    .where('published_size', '=', from)
    .where('size', '>=', checkpoint.size)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return false;
  const last = await findNewestCheckpoint(tx);
  if (last && minuteOf(last.published_at) === minuteOf(checkpoint.published_at)) {
    await deleteWhere(tx, 'ledger_checkpoint', { size: last.size, is_kept: 0 });
  }
  await insertInto(tx, 'ledger_checkpoint', checkpoint);
  return true;
}
