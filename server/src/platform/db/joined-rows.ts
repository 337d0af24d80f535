// Whole rows of several tables in one statement: each column is read under the name of its table, and taken apart
// again; or a row is read as one value, as JSON.
import { type AliasedRawBuilder, type RawBuilder, type Selectable, sql } from 'kysely';
import type { Engine } from './open-db.ts';
import type { Tables } from './tables.ts';

type Name = keyof Tables & string;
type Row<Table extends Name> = Selectable<Tables[Table]>;

/** All columns of a table: the compiler rejects a list that lacks one. */
export type Columns<Table extends Name> = { readonly [Column in keyof Row<Table>]: 1 };

type JoinedRow<Table extends Name> = {
  /** For `select`, where the table is joined under its own name. */
  readonly selection: AliasedRawBuilder<unknown, string>[];
  /** Null where the join found none. */
  readonly find: (joined: object) => Row<Table> | null;
};

/** The row from unprefixed columns. */
export const plainColumns = <Joined extends object>(joined: Joined): Joined =>
  Object.fromEntries(Object.entries(joined).filter(([name]) => !name.includes('.'))) as Joined;

/** Of a table with an `id`. */
export function joinedRow<Table extends Name>(table: Table, columns: Columns<Table>): JoinedRow<Table> {
  const names = Object.keys(columns).map(column => ({ column, alias: `${table}.${column}` }));
  return {
    selection: names.map(({ column, alias }) => sql`${sql.ref(`${table}.${column}`)}`.as(alias)),
    find: joined => {
      const values = joined as Readonly<Record<string, unknown>>;
      if (values[`${table}.id`] === null) return null;
      return Object.fromEntries(names.map(({ column, alias }) => [column, values[alias]])) as Row<Table>;
    },
  };
}

/** A row of a table without binary columns, as JSON text: for a scalar subquery. */
export function rowAsJson<Table extends Name>(
  table: Table,
  columns: Columns<Table>,
): Readonly<Record<Engine, RawBuilder<string>>> {
  const members = sql.join(Object.keys(columns).map(name => sql`${sql.lit(name)}, ${sql.ref(`${table}.${name}`)}`));
  return { sqlite: sql`json_object(${members})`, postgres: sql`json_build_object(${members})::text` };
}
