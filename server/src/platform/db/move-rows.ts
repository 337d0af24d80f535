// Move of all rows from an embedded database to an empty PostgreSQL database. Progress is stored there in the same
// transactions as the rows, so an interrupted move resumes after the last row. Until the end an unknown migration keeps
// every server off that database. Then both databases are compared, row by row in the order of their keys.

import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { type Migration, migrate, movingStep } from './migrate.ts';
import {
  addReferences,
  dropReferences,
  insertRows,
  isEmptyDatabase,
  listKeyColumns,
  listTables,
  setCounter,
  type TableRows,
  waitAsLongAsItTakes,
  withSnapshot,
} from './postgres-snapshot.ts';
import { deleteWhere, insertInto } from './rows.ts';
import type { KeyValues, SqliteRow, SqliteRows, TableShape } from './sqlite-rows.ts';
import type { Db, Tx } from './tables.ts';

declare module './tables.ts' {
  interface Tables {
    /** Exists only during a move. */
    move_progress: { table_name: string; after_key: string | null; copied: number };
    /** Foreign keys, dropped for the move and added again at its end. */
    move_reference: { table_name: string; name: string; definition: string };
  }
}

/** The rows cannot be moved; the message is one sentence. */
export class MoveError extends Error {}

type RowMove = {
  /** The PostgreSQL database. */
  readonly db: Db;
  readonly source: SqliteRows;
  /** Id of this move: other moves reject the database as occupied. */
  readonly id: string;
  readonly migrations: readonly Migration[];
  readonly now: number;
  /** Called with the number of rows moved so far, including earlier attempts. */
  readonly onRows: (rows: number) => void;
};

/** Each side has its own rows in these. */
const ownTables = ['schema_migration', 'move_progress', 'move_reference'];

const rowsAtOnce = 1000;
const charactersAtOnce = 2 ** 20;

/** Creates the progress tables with the mark of this move. */
const toStep = (id: string): Migration => ({
  name: movingStep,
  statements: ({ integer }) => [
    `create table move_progress (table_name text primary key, after_key text, copied ${integer} not null)`,
    'create table move_reference (table_name text not null, name text not null, definition text not null)',
    `comment on table move_progress is '${id}'`,
  ],
});

/** Whether this move has begun there; throws if the database holds anything else. */
export async function isBegun(db: Db, id: string | null): Promise<boolean> {
  if (await isEmptyDatabase(db)) return false;
  if (id !== null && (await findOpenMove(db)) === id) return true;
  throw new MoveError('the database of DATABASE_URL has tables already; make an empty one.');
}

/** All rows are there when it resolves, and servers are still kept off. Returns their number. */
export async function moveRows(move: RowMove): Promise<number> {
  const { db, id, migrations, now } = move;
  await isBegun(db, id);
  await migrate(db, 'postgres', [...migrations, toStep(id)], now);
  const shapes = await readShapes(db, move.source);
  await begin(db, shapes);
  let arrived = 0;
  for (const shape of shapes) arrived = await moveTable(move, shape, arrived);
  await finish(move);
  return arrived;
}

export const listMovedTables = (source: SqliteRows): string[] =>
  source.listTables().filter(name => !ownTables.includes(name));

/** The tables as PostgreSQL sees them. Both schemas come from the same steps, so a difference is a bug or damage. */
export async function readShapes(db: Db, source: SqliteRows): Promise<TableShape[]> {
  const names = (await listTables(db)).filter(name => !ownTables.includes(name));
  const there = listMovedTables(source);
  const odd = names.find(name => !there.includes(name)) ?? there.find(name => !names.includes(name));
  if (odd !== undefined)
    throw new MoveError(`only one of the two databases has a table "${odd}"; upgrade both to one version.`);
  return db.transaction().execute(async tx => {
    const shapes: TableShape[] = [];
    for (const name of names) shapes.push(await readShape(tx, source, name));
    return shapes;
  });
}

async function readShape(tx: Tx, source: SqliteRows, name: string): Promise<TableShape> {
  const { rows } = await sql<{ name: string }>`
    select attname as name from pg_attribute
    where attrelid = ${name}::regclass and attnum > 0 and not attisdropped order by attnum`.execute(tx);
  const columns = rows.map(row => row.name);
  const theirs = source.listColumns(name).map(column => column.name);
  const keys = await listKeyColumns(tx, name);
  const odd = [
    ...columns.filter(column => !theirs.includes(column)),
    ...theirs.filter(column => !columns.includes(column)),
  ];
  if (odd.length > 0)
    throw new MoveError(
      `only one of the two databases has the columns ${odd.join(', ')} in the table "${name}"; upgrade both to one version.`,
    );
  if (keys.length === 0)
    throw new MoveError(
      `the table "${name}" has no primary key in PostgreSQL; restore it, or move into a new, empty database.`,
    );
  return { name, columns, keys };
}

/** Once per move: drops foreign keys and deletes rows that migrations inserted; they arrive with the others. */
const begin = (db: Db, shapes: readonly TableShape[]): Promise<void> =>
  db.transaction().execute(async tx => {
    await waitAsLongAsItTakes(tx);
    await sql`lock table move_progress`.execute(tx); // any killed predecessor has ended once the lock is held
    if ((await tx.selectFrom('move_progress').select('table_name').limit(1).execute()).length > 0) return;
    for (const { table, ...reference } of await dropReferences(tx))
      await insertInto(tx, 'move_reference', { table_name: table, ...reference });
    await sql`truncate ${sql.join(shapes.map(({ name }) => sql.table(name)))}`.execute(tx);
    const progress = shapes.map(({ name }) => ({ table_name: name, after_key: null, copied: 0 }));
    await insertInto(tx, 'move_progress', progress);
  });

async function moveTable({ db, source, onRows }: RowMove, shape: TableShape, before: number): Promise<number> {
  const found = db.selectFrom('move_progress').selectAll().where('table_name', '=', shape.name);
  const progress = await found.executeTakeFirstOrThrow();
  let after = progress.after_key;
  let arrived = before + progress.copied;
  for (const rows of gather(source.read(shape, parseKey(after)))) {
    after = await addRows(db, shape.name, { after, rows });
    arrived += rows.length;
    onRows(arrived);
  }
  return arrived;
}

/** Batches large enough to be worth a transaction and small enough to need little memory. */
function* gather(source: Iterable<SqliteRow>): Generator<SqliteRow[]> {
  let rows: SqliteRow[] = [];
  let characters = 0;
  for (const row of source) {
    rows.push(row);
    characters += row.json.length;
    if (rows.length < rowsAtOnce && characters < charactersAtOnce) continue;
    yield rows;
    [rows, characters] = [[], 0];
  }
  if (rows.length > 0) yield rows;
}

type Batch = { readonly after: string | null; readonly rows: readonly SqliteRow[] };

/** Returns the key of the last row moved. */
async function addRows(db: Db, table: string, { after, rows }: Batch): Promise<string> {
  const key = JSON.stringify(rows.at(-1)?.key);
  const json = rows.map(row => row.json);
  try {
    await db.transaction().execute(async tx => {
      await waitAsLongAsItTakes(tx);
      await sql`set local synchronous_commit = off`.execute(tx); // later transactions make it durable
      const { numUpdatedRows } = await tx
        .updateTable('move_progress')
        .set(eb => ({ after_key: key, copied: eb('copied', '+', rows.length) }))
        .where('table_name', '=', table)
        .where('after_key', after === null ? 'is' : '=', after)
        .executeTakeFirst();
      if (numUpdatedRows !== 1n) throw new MoveError('another move into this database is running; wait until it ends.');
      await insertRows(tx, { table, rows: json });
    });
    return key;
  } catch (error) {
    throw isRejection(error)
      ? new MoveError(`PostgreSQL rejects rows of "${table}" behind the key ${after ?? '(none)'}: ${error.message}.`)
      : error;
  }
}

/** Errors about the data rather than the server. */
const isRejection = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && /^(22|23|54)/.test(String(error.code));

const parseKey = (text: string | null): KeyValues | null => (text === null ? null : JSON.parse(text));

/** Idempotent. */
const finish = ({ db, source }: RowMove): Promise<void> =>
  db.transaction().execute(async tx => {
    await waitAsLongAsItTakes(tx);
    const references = await tx.deleteFrom('move_reference').returningAll().execute();
    await addReferences(
      tx,
      references.map(({ table_name, ...reference }) => ({ table: table_name, ...reference })),
    );
    for (const { table, value } of source.listCounters())
      if (!ownTables.includes(table)) await setCounter(tx, { table, column: 'id', value });
  });

/** Releases the database to servers. Call it in the transaction of the audit entry. */
export async function endMove(tx: Tx): Promise<void> {
  await sql`drop table move_progress, move_reference`.execute(tx);
  await deleteWhere(tx, 'schema_migration', { name: movingStep });
}

/** Null if no rows were ever moved there, or the move has ended. */
export async function findOpenMove(db: Db): Promise<string | null> {
  const { rows } = await sql<{ id: string | null }>`
    select obj_description(to_regclass('move_progress'), 'pg_class') as id`.execute(db);
  return rows[0]?.id ?? null;
}

/** `sha256`: digest of all rows as lines of JSON, equal on both sides. */
export type ComparedTable = { readonly table: string; readonly rows: number; readonly sha256: string };

type Sides = {
  readonly db: Db;
  readonly source: SqliteRows;
  readonly shapes: readonly TableShape[];
  /** Called with the number of rows compared so far. */
  readonly onRows: (rows: number) => void;
};

/** Throws at the first difference. */
export const compareRows = ({ db, source, shapes, onRows }: Sides): Promise<ComparedTable[]> =>
  withSnapshot(db, async ({ readTable }) => {
    const compared: ComparedTable[] = [];
    let before = 0;
    for (const shape of shapes) {
      const table = await compareTable(shape.name, source.read(shape), readTable(shape.name), rows =>
        onRows(before + rows),
      );
      compared.push(table);
      before += table.rows;
    }
    return compared;
  });

async function compareTable(
  table: string,
  ours: Generator<SqliteRow>,
  theirs: AsyncIterable<TableRows>,
  onRows: (rows: number) => void,
): Promise<ComparedTable> {
  const [left, right] = [createHash('sha256'), createHash('sha256')];
  let rows = 0;
  for await (const page of theirs) {
    for (const line of page.rows) {
      const { value: own } = ours.next();
      if (own?.json !== line) throw differs(table, own?.key ?? line.slice(0, 100));
      left.update(own.json).update('\n');
      right.update(line).update('\n');
    }
    rows += page.rows.length;
    onRows(rows);
  }
  const { value: missing } = ours.next();
  const sha256 = left.digest('hex');
  if (missing !== undefined || right.digest('hex') !== sha256) throw differs(table, missing?.key ?? '');
  return { table, rows, sha256 };
}

const differs = (table: string, key: unknown): MoveError =>
  new MoveError(
    `the table "${table}" is not the same on both sides, from the row with the key ${JSON.stringify(key)} on; something has changed one of them.`,
  );
