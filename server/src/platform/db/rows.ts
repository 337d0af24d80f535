// Common queries: rows whose columns have given values are found, selected, changed or deleted, and rows inserted; the
// result of a query as one value, the first row or null, whether there is a row, the number of rows.
import {
  type Expression,
  type Insertable,
  type Kysely,
  type Selectable,
  type SelectQueryBuilder,
  type SelectType,
  type SqlBool,
  sql,
  type Updateable,
} from 'kysely';
import type { Db, Tables } from './tables.ts';

export type RowQuery<Row> = { executeTakeFirst(): Promise<Row | undefined> };

export const findFirst = async <Row>(query: RowQuery<Row>): Promise<Row | null> =>
  (await query.executeTakeFirst()) ?? null;

/** Not for a write without `returning`: its result, the number of rows, would always pass as a row. */
export const hasRow = async (query: RowQuery<Record<string, unknown>>): Promise<boolean> =>
  (await query.executeTakeFirst()) !== undefined;

export async function countRows<DB, TB extends keyof DB, O>(query: SelectQueryBuilder<DB, TB, O>): Promise<number> {
  const counted = query.select(eb => eb.fn.countAll<number>().as('count'));
  const { count } = (await counted.executeTakeFirstOrThrow()) as { count: number };
  return Number(count);
}

type Table = keyof Tables;

/** Columns and their values. Not null, which equals nothing in SQL. */
type Match<T extends Table> = {
  readonly [Column in keyof Tables[T]]?: NonNullable<SelectType<Tables[T][Column]>>;
};

export type Changes<T extends Table> = {
  readonly [Column in keyof Updateable<Tables[T]>]?: Updateable<Tables[T]>[Column] | Expression<unknown>;
};

type AnyRow = Record<string, unknown>;

/** The compiler cannot check a query on a table that is a parameter: callers are checked by the types of these functions. */
const untyped = (db: Db) => db as unknown as Kysely<{ table: AnyRow }>;

/** Throws rather than dropping a condition, since the rows of others would match. */
function equals(table: Table, match: object): Expression<SqlBool> {
  const conditions = Object.entries(match).map(([column, value]) => {
    if (value === undefined || value === null) throw new Error(`condition "${table}.${column}" has no value`);
    return sql`${sql.ref(column)} = ${value}`;
  });
  if (conditions.length === 0) throw new Error(`query of "${table}" without a condition`);
  return sql<SqlBool>`${sql.join(conditions, sql` and `)}`;
}

export const selectWhere = <T extends Table>(db: Db, table: T, match: Match<T>) =>
  untyped(db)
    .selectFrom(table as 'table')
    .where(equals(table, match)) as unknown as SelectQueryBuilder<Tables, T, Record<never, never>>;

export const findWhere = <T extends Table>(db: Db, table: T, match: Match<T>): Promise<Selectable<Tables[T]> | null> =>
  findFirst(selectWhere(db, table, match).selectAll() as unknown as RowQuery<Selectable<Tables[T]>>);

const updating = <T extends Table>(db: Db, table: T, match: Match<T>, changes: Changes<T>) =>
  untyped(db)
    .updateTable(table as 'table')
    .set(changes as AnyRow)
    .where(equals(table, match));

export async function updateWhere<T extends Table>(db: Db, table: T, match: Match<T>, to: Changes<T>): Promise<void> {
  await updating(db, table, match, to).execute();
}

/** `updateWhere`; returns the number of rows that matched. */
export const updateAndCount = async <T extends Table>(db: Db, table: T, match: Match<T>, to: Changes<T>) =>
  Number((await updating(db, table, match, to).executeTakeFirst()).numUpdatedRows);

export async function deleteWhere<T extends Table>(db: Db, table: T, match: Match<T>): Promise<void> {
  const deletion = untyped(db).deleteFrom(table as 'table');
  await deletion.where(equals(table, match)).execute();
}

type NewRow<T extends Table> = Insertable<Tables[T]>;

const inserting = <T extends Table>(db: Db, table: T, rows: NewRow<T> | readonly NewRow<T>[]) =>
  untyped(db)
    .insertInto(table as 'table')
    .values(rows as AnyRow | readonly AnyRow[]);

export async function insertInto<T extends Table>(
  db: Db,
  table: T,
  rows: NewRow<T> | readonly NewRow<T>[],
): Promise<void> {
  await inserting(db, table, rows).execute();
}

export const insertReturning = async <T extends Table>(db: Db, table: T, row: NewRow<T>) =>
  (await inserting(db, table, row).returningAll().executeTakeFirstOrThrow()) as Selectable<Tables[T]>;
