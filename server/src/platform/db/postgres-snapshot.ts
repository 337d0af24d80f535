// Consistent snapshot of all rows of a PostgreSQL database, and its restore. Rows are in PostgreSQL's own JSON, which
// it reads back exactly.
import { sql } from 'kysely';
import type { Db, Tx } from './tables.ts';

/** A row may hold the manifest of a file with many chunks. */
const rowsAtOnce = 100;

export type TableRows = { readonly table: string; readonly rows: readonly string[] };

/** The last value of a generated column. */
type Counter = { readonly table: string; readonly column: string; readonly value: number };

type PostgresSnapshot = {
  /** In bounded batches, by key; tables by name. */
  readonly rows: AsyncIterable<TableRows>;
  readonly readTable: (table: string) => AsyncIterable<TableRows>;
  readonly listCounters: () => Promise<Counter[]>;
};

/** Sees nothing that is committed later. */
export const withSnapshot = <T>(db: Db, use: (snapshot: PostgresSnapshot) => Promise<T>): Promise<T> =>
  db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async tx => {
      await waitAsLongAsItTakes(tx);
      return use({
        rows: readTables(tx),
        readTable: table => readTable(tx, table),
        listCounters: () => listCounters(tx),
      });
    });

export async function waitAsLongAsItTakes(tx: Tx): Promise<void> {
  await sql`set local statement_timeout = 0`.execute(tx);
  await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx);
}

/** Our tables, without those of extensions. */
export async function listTables(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_class c
    where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = current_schema()::regnamespace
      and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
    order by c.relname`.execute(db);
  return rows.map(({ name }) => name);
}

export const isEmptyDatabase = async (db: Db): Promise<boolean> => (await listTables(db)).length === 0;

async function* readTables(tx: Tx): AsyncGenerator<TableRows> {
  for (const table of await listTables(tx)) yield* readTable(tx, table);
}

async function* readTable(tx: Tx, table: string): AsyncGenerator<TableRows> {
  const keys = await listKeyColumns(tx, table);
  const order = keys.length === 0 ? sql`` : sql`order by ${sql.join(keys.map(toOrder))}`;
  await sql`declare recordproof_rows no scroll cursor for
    select row_to_json(whole)::text as row from ${sql.table(table)} as whole ${order}`.execute(tx);
  for (;;) {
    const { rows } = await sql<{ row: string }>`fetch ${sql.lit(rowsAtOnce)} from recordproof_rows`.execute(tx);
    if (rows.length === 0) break;
    yield { table, rows: rows.map(({ row }) => row) };
  }
  await sql`close recordproof_rows`.execute(tx);
}

export type KeyColumn = { readonly name: string; readonly isText: boolean };

/** By bytes, independent of the database's collation. */
const toOrder = ({ name, isText }: KeyColumn) => (isText ? sql`${sql.ref(name)} collate "C"` : sql.ref(name));

export async function listKeyColumns(tx: Tx, table: string): Promise<KeyColumn[]> {
  const { rows } = await sql<KeyColumn>`
    select a.attname as name, a.attcollation <> 0 as "isText" from pg_index i
      cross join unnest(i.indkey::int2[]) with ordinality as k (attnum, nth)
      join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
    where i.indrelid = ${table}::regclass and i.indisprimary order by k.nth`.execute(tx);
  return rows;
}

async function listCounters(tx: Tx): Promise<Counter[]> {
  const { rows } = await sql<{ table: string; column: string; sequence: string }>`
    select c.relname as "table", a.attname as "column",
      pg_get_serial_sequence(quote_ident(c.relname), a.attname) as sequence
    from pg_attribute a join pg_class c on c.oid = a.attrelid
    where a.attidentity <> '' and c.relnamespace = current_schema()::regnamespace order by 1, 2`.execute(tx);
  const counters: Counter[] = [];
  for (const { table, column, sequence } of rows) {
    const found = await sql<{ value: number }>`
      select case when is_called then last_value else 0 end as value from ${sql.table(sequence)}`.execute(tx);
    counters.push({ table, column, value: Number(found.rows[0]?.value ?? 0) });
  }
  return counters;
}

type PostgresLoading = {
  readonly insert: (rows: TableRows) => Promise<void>;
  readonly setCounter: (counter: Counter) => Promise<void>;
};

/** Into existing tables, all rows or none. Foreign keys are checked at the end. */
export const loadSnapshot = (db: Db, load: (loading: PostgresLoading) => Promise<void>): Promise<void> =>
  db.transaction().execute(async tx => {
    await waitAsLongAsItTakes(tx);
    const tables = await listTables(tx);
    const references = await dropReferences(tx);
    await sql`truncate ${sql.join(tables.map(table => sql.table(table)))}`.execute(tx);
    await load({
      insert: rows => insertRows(tx, rows),
      setCounter: counter => setCounter(tx, counter),
    });
    await addReferences(tx, references);
  });

type Reference = { readonly table: string; readonly name: string; readonly definition: string };

/** Drops foreign keys, since rows arrive table by table. */
export async function dropReferences(tx: Tx): Promise<Reference[]> {
  const { rows } = await sql<Reference>`
    select c.relname as "table", k.conname as name, pg_get_constraintdef(k.oid) as definition
    from pg_constraint k join pg_class c on c.oid = k.conrelid
    where k.contype = 'f' and c.relnamespace = current_schema()::regnamespace`.execute(tx);
  for (const { table, name } of rows)
    await sql`alter table ${sql.table(table)} drop constraint ${sql.ref(name)}`.execute(tx);
  return rows;
}

/** Fails if a row refers to a missing one. */
export async function addReferences(tx: Tx, references: readonly Reference[]): Promise<void> {
  for (const { table, name, definition } of references)
    await sql`alter table ${sql.table(table)} add constraint ${sql.ref(name)} ${sql.raw(definition)}`.execute(tx);
}

export async function insertRows(tx: Tx, { table, rows }: TableRows): Promise<void> {
  for (let from = 0; from < rows.length; from += rowsAtOnce) {
    const list = `[${rows.slice(from, from + rowsAtOnce).join(',')}]`;
    await sql`insert into ${sql.table(table)}
      select * from json_populate_recordset(null::${sql.table(table)}, ${list}::json)`.execute(tx);
  }
}

export async function setCounter(tx: Tx, { table, column, value }: Counter): Promise<void> {
  if (value === 0) return;
  await sql`select setval(pg_get_serial_sequence(${table}, ${column}), ${value})`.execute(tx);
}
