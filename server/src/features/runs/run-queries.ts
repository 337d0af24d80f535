// All SQL on runs of any kind and on their items. A run belongs to one tenant and was found within it: its id selects
// its items.
import { setImmediate as othersTurn } from 'node:timers/promises';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { type Expression, expressionBuilder, type Selectable, type SqlBool, sql } from 'kysely';
import { type Claiming, type ClaimTable, claim } from '../../platform/db/claim.ts';
import type { Engine } from '../../platform/db/open-db.ts';
import type { SliceRequest } from '../../platform/db/slice.ts';
import type { Db, Key, Tables, Time, Tx } from '../../platform/db/tables.ts';
import type { ItemTable, RunItems, RunKey, RunKind, RunRow } from './run-kind.ts';

const column = expressionBuilder<{ run: { status: string; mode: string } }, 'run'>();

/** As literals: with parameters the partial index over unfinished runs would not be used. */
const isIn = (statuses: readonly string[]): Expression<SqlBool> =>
  column(
    'status',
    'in',
    statuses.map(status => sql.lit(status)),
  );

const isUnfinished = ({ unfinished }: { readonly unfinished: readonly string[] }) => isIn(unfinished);
export const isRowActive = ({ activeStatuses }: { readonly activeStatuses: readonly string[] }) => isIn(activeStatuses);

export async function findRun<Row extends RunRow>(
  db: Db,
  { table }: RunKind<Row>,
  { tenantId, runId }: RunKey,
  locking = sql``,
): Promise<Row | null> {
  const { rows } = await sql<Row>`
    select * from ${sql.table(table)} where tenant_id = ${tenantId} and id = ${runId} ${locking}`.execute(db);
  return rows[0] ?? null;
}

/** Locked until the transaction ends. */
export const lockRun = <Row extends RunRow>(
  tx: Tx,
  engine: Engine,
  kind: RunKind<Row>,
  which: RunKey,
): Promise<Row | null> => findRun(tx, kind, which, engine === 'postgres' ? sql`for update` : sql``);

/** Runs of another tenant get the same message as runs that do not exist. */
export const noSuchRun = (): ApiError =>
  new ApiError('RESULT_DATA_NONE', 'there is no run with this id: list the runs to see their ids');

/** At most one run of a kind may be unfinished per tenant. */
export async function assertAllFinished<Row extends RunRow>(db: Db, kind: RunKind<Row>, tenantId: Key): Promise<void> {
  const { rows } = await sql<Row>`
    select * from ${sql.table(kind.table)} where tenant_id = ${tenantId} and ${isUnfinished(kind)} limit 1`.execute(db);
  const [run] = rows;
  if (run === undefined) return;
  const ways = run.status === 'PAUSED' ? 'resume it' : 'wait for its end';
  const orCancel = kind.changes.cancel === undefined ? '' : ' or cancel it';
  throw new ApiError('RUN_STATE_CONFLICT', `run ${run.id} is not finished (${run.status}): ${ways}${orCancel}`);
}

/** Newest first. */
export async function listRuns<Row extends RunRow>(
  db: Db,
  { table }: RunKind<Row>,
  tenantId: Key,
  { limit, cursor }: SliceRequest,
): Promise<Row[]> {
  const before = cursor === undefined ? sql`` : sql`and id < ${cursor}`;
  const { rows } = await sql<Row>`
    select * from ${sql.table(table)} where tenant_id = ${tenantId} ${before} order by id desc limit ${limit}`.execute(
    db,
  );
  return rows;
}

/** Runs of all tenants for the server to work on. */
export async function listRunnable<Row extends RunRow>(
  db: Db,
  kind: RunKind<Row>,
  { modes, limit }: { readonly modes: readonly string[]; readonly limit: number },
): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select * from ${sql.table(kind.table)}
    where ${isUnfinished(kind)} and status <> 'PAUSED' and ${column('mode', 'in', modes)}
    order by id limit ${limit}`.execute(db);
  return rows;
}

export async function insertRun<Row extends RunRow>(
  tx: Tx,
  { table }: RunKind<Row>,
  run: Omit<Row, 'id'>,
): Promise<Row> {
  const columns = Object.entries(run);
  const { rows } = await sql<Row>`
    insert into ${sql.table(table)} (${sql.join(columns.map(([name]) => sql.ref(name)))})
    values (${sql.join(columns.map(([, value]) => value))}) returning *`.execute(tx);
  return rows[0] as Row;
}

/** For a locked run. */
export async function updateRun<Row extends RunRow>(
  tx: Tx,
  { table }: RunKind<Row>,
  { id }: { readonly id: Key },
  change: Partial<Row>,
): Promise<Row> {
  const set = Object.entries(change).map(([column, value]) => sql`${sql.ref(column)} = ${value}`);
  const { rows } = await sql<Row>`
    update ${sql.table(table)} set ${sql.join(set)} where id = ${id} returning *`.execute(tx);
  return rows[0] as Row;
}

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
    .where(sql<boolean>`exists (select id from ${sql.table(table)} where id = ${run.id} and ${isRowActive(kind)})`)
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
