// Snapshot of the rows of an embedded database, as JSON that equals PostgreSQL's for the same row, byte for byte.
// Read-only; blocks this process while SQLite searches for a row.
import Database from 'better-sqlite3';
import type { KeyColumn } from './postgres-snapshot.ts';

export type KeyValues = readonly (string | number)[];

export type SqliteRow = { readonly key: KeyValues; readonly json: string };

/** `pk`: position in the primary key, from 1. */
type SqliteColumn = { readonly name: string; readonly type: string; readonly pk: number };

/** The table as the other database sees it. */
export type TableShape = {
  readonly name: string;
  readonly columns: readonly string[];
  readonly keys: readonly KeyColumn[];
};

/** A text that PostgreSQL cannot store. */
type UnfitText = { readonly table: string; readonly column: string; readonly key: KeyValues };

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const listOf = (columns: readonly { readonly name: string }[]): string =>
  columns.map(({ name }) => quote(name)).join(', ');

export class SqliteRows implements Disposable {
  readonly #handle: Database.Database;

  constructor(path: string) {
    this.#handle = new Database(path, { readonly: true, fileMustExist: true });
    // Begins the snapshot.
    this.#handle.exec('begin');
    this.#handle.prepare('select count(*) from sqlite_schema').get();
  }

  /** Without tables that belong to an index. */
  listTables(): string[] {
    const rows = this.#handle.pragma('table_list') as { schema: string; name: string; type: string }[];
    const own = rows.filter(
      ({ schema, type, name }) => schema === 'main' && type === 'table' && !/^sqlite_/.test(name),
    );
    return own.map(({ name }) => name).sort();
  }

  listColumns(table: string): SqliteColumn[] {
    return this.#handle.pragma(`table_info(${quote(table)})`) as SqliteColumn[];
  }

  count(table: string): number {
    return this.#handle
      .prepare(`select count(*) from ${quote(table)}`)
      .pluck()
      .get() as number;
  }

  /** The highest id ever used per table, including deleted rows. */
  listCounters(): { readonly table: string; readonly value: number }[] {
    return this.#handle.prepare('select name as "table", seq as value from sqlite_sequence').all() as {
      table: string;
      value: number;
    }[];
  }

  /** By key, starting after the given one. */
  *read({ name, columns, keys }: TableShape, after: KeyValues | null = null): Generator<SqliteRow> {
    const order = listOf(keys);
    const from = after === null ? '' : `where (${order}) > (${after.map(() => '?').join(', ')})`;
    const statement = this.#handle.prepare(
      `select ${columns.map(quote).join(', ')} from ${quote(name)} ${from} order by ${order}`,
    );
    const heads = columns.map((column, index) => `${index === 0 ? '{' : ','}${JSON.stringify(column)}:`);
    const keyAt = keys.map(key => columns.indexOf(key.name));
    for (const row of statement.raw().iterate(...(after ?? [])) as Iterable<unknown[]>)
      yield {
        key: keyAt.map(at => toKeyValue(row[at])),
        json: `${row.map((v, at) => heads[at] + toJson(v, `${name}.${columns[at]}`)).join('')}}`,
      };
  }

  /** The first texts with a NUL character. */
  findUnfit(table: string, most: number): UnfitText[] {
    const columns = this.listColumns(table);
    const keys = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
    const found: UnfitText[] = [];
    for (const { name: column } of columns.filter(({ type }) => type.toLowerCase() === 'text')) {
      const nullByteQuery = `select ${listOf(keys)} from ${quote(table)} where instr(cast(${quote(column)} as blob), x'00') limit ?`;
      const rows = this.#handle.prepare(nullByteQuery).raw().all(most) as unknown[][];
      found.push(...rows.map(row => ({ table, column, key: row.map(toKeyValue) })));
    }
    return found.slice(0, most);
  }

  [Symbol.dispose](): void {
    this.#handle.close();
  }
}

function toKeyValue(value: unknown): string | number {
  if (typeof value === 'string' || typeof value === 'number') return value;
  throw new TypeError(`a primary key is neither a number nor a text: ${typeof value}`);
}

function toJson(value: unknown, column: string): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return JSON.stringify(value);
  if (Buffer.isBuffer(value)) return `"\\\\x${value.toString('hex')}"`;
  if (Number.isSafeInteger(value)) return String(value);
  throw new RangeError(`column ${column} has the number ${value}, beyond the exact range of ±(2^53 - 1)`);
}
