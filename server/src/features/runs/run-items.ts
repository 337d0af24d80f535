// SQL on the items of runs of any kind. A run belongs to one tenant and was found within it: its id selects its items.
import { setImmediate as othersTurn } from 'node:timers/promises';
import { type Selectable, sql } from 'kysely';
import { type Claiming, type ClaimTable, claim } from '../../platform/db/claim.ts';
import type { Engine } from '../../platform/db/open-db.ts';
import type { Db, Key, Tables, Time } from '../../platform/db/tables.ts';
import type { ItemTable, RunItems, RunKind, RunRow } from './run-kind.ts';
import { isRowAtWork } from './run-queries.ts';

/** All tables of items have the columns that are used here. */
const itemsOf = (db: Db, { table }: RunItems<ItemTable>, runId: Key) =>
  db.selectFrom(table as 'key_rotation_item').where('run_id', '=', runId);

type ClaimingItems = Pick<Claiming<ClaimTable>, 'token'> & {
  readonly now: Time;
  readonly until: Time;
  readonly limit: number;
};

/** Claims items that are due or whose lease has ended; none once the run is paused or over. */
export const claimItems = <Row extends RunRow, Table extends ItemTable>(
  db: Db,
  engine: Engine,
  { kind, run }: { readonly kind: RunKind<Row, Table>; readonly run: Row },
  { now, until, limit, ...ofSet }: ClaimingItems,
): Promise<Selectable<Tables[Table]>[]> => {
  const { items, table } = kind;
  const due = itemsOf(db, items, run.id)
    .select('id')
    .where(items.isOpen)
    .where('due_at', '<=', now)
    .where(sql<boolean>`exists (select id from ${sql.table(table)} where id = ${run.id} and ${isRowAtWork(kind)})`)
    .orderBy('due_at')
    .orderBy('id')
    .limit(limit);
  const set = { status: 'RUNNING', attempts: sql`attempts + 1`, updated_at: now };
  return claim(db, engine, items.table, { ...ofSet, due, until, set } as unknown as Claiming<Table>);
};

/** When the next open item may be claimed; null when none is open. */
export async function findNextDue(db: Db, items: RunItems<ItemTable>, runId: Key): Promise<Time | null> {
  const next = itemsOf(db, items, runId).select('due_at').where(items.isOpen).orderBy('due_at').limit(1);
  return (await next.executeTakeFirst())?.due_at ?? null;
}

type Counted<Table extends ItemTable, Column extends keyof Selectable<Tables[Table]>> = Pick<
  Selectable<Tables[Table]>,
  Column
> & {
  readonly count: number;
};

/** The items by these columns, which an index has. */
export async function countItemsBy<Table extends ItemTable, Column extends keyof Selectable<Tables[Table]> & string>(
  db: Db,
  { table }: RunItems<Table>,
  runId: Key,
  columns: readonly Column[],
): Promise<Counted<Table, Column>[]> {
  const names = sql.join(columns.map(column => sql.ref(column)));
  const { rows } = await sql<Counted<Table, Column>>`
    select ${names}, count(*) as count from ${sql.table(table)} where run_id = ${runId} group by ${names}`.execute(db);
  return rows.map(row => ({ ...row, count: Number(row.count) }));
}

const rowsAtOnce = 1000;

/**
 * All rows of a list, page by page, with other work in between: SQLite answers synchronously, and hundreds of pages
 * would block the event loop. `read` is called with the last row of the page before.
 */
export async function* readPages<Row>(
  read: (last: Row | undefined, limit: number) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  for (let last: Row | undefined; ; await othersTurn()) {
    const rows = await read(last, rowsAtOnce);
    yield rows;
    if (rows.length < rowsAtOnce) return;
    last = rows.at(-1);
  }
}
