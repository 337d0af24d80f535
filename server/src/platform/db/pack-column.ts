// Migrations of texts into bytes: hex by a statement; packed texts a page at a time, each checked to come back as it
// was.
import { type RawBuilder, sql } from 'kysely';
import type { Engine } from './open-db.ts';
import type { Key, Tx } from './tables.ts';

type PackedColumn<Row> = {
  readonly table: string;
  /** An integer that identifies the row. */
  readonly key: string;
  /** The columns that the packing reads, including the text. */
  readonly columns: readonly (keyof Row & string)[];
  /** An expression that the packing needs besides the columns, with its alias. */
  readonly computed?: RawBuilder<unknown>;
  /** The target column. */
  readonly into: string;
  readonly pack: (row: Row) => Buffer;
  /** Whether the bytes give the text of the row again. */
  readonly isSame: (row: Row, bytes: Buffer) => boolean;
};

/** For `add column`: earlier rows have no bytes until they are converted. */
export const emptyBytes: Readonly<Record<Engine, string>> = { sqlite: `x''`, postgres: `''` };

/** The bytes of lowercase hex. Other text, which only damage leaves, becomes no bytes: as damaged, and no error. */
export const bytesOfHex = (engine: Engine, column: string): string =>
  engine === 'sqlite'
    ? `case when ${column} glob '*[^0-9a-f]*' then x'' else coalesce(unhex(${column}), x'') end`
    : `case when ${column} ~ '^([0-9a-f]{2})*$' then decode(${column}, 'hex') else '' end`;

const rowsAtOnce = 1000;
/** Of all their texts, unless the first row has more: what a page takes of memory. */
const bytesAtOnce = 2 ** 20;

export async function packColumn<Row>(tx: Tx, engine: Engine, column: PackedColumn<Row>): Promise<void> {
  const { table, columns, computed, pack, isSame } = column;
  const key = sql.ref(`${table}.${column.key}`);
  const read = [...columns.map(name => sql.ref(name)), ...(computed ? [computed] : [])];
  for (let last = -1; ; ) {
    const end = await findPageEnd(tx, column, last);
    if (end === null) return;
    const { rows } = await sql<Row & { key: Key }>`
      select ${key} as key, ${sql.join(read)} from ${sql.table(table)} where ${key} > ${last} and ${key} <= ${end}`.execute(
      tx,
    );
    const packed = rows.map(row => {
      const bytes = pack(row);
      if (!isSame(row, bytes))
        throw new Error(`row ${row.key} of "${table}" cannot be packed: report it, with the row.`);
      return [row.key, bytes.toString('hex')] as const;
    });
    await sql`update ${sql.table(table)} set ${sql.ref(column.into)} = packed.bytes
      from ${toRows(engine, packed)} packed where ${key} = packed.key`.execute(tx);
    last = end;
  }
}

/** The last key of the next page; null behind the last row. */
async function findPageEnd<Row>(tx: Tx, { table, key, columns }: PackedColumn<Row>, last: Key): Promise<Key | null> {
  const sizes = columns.map(name => sql`coalesce(octet_length(cast(${sql.ref(name)} as text)), 0)`);
  const { rows } = await sql<{ key: Key; bytes: number }>`
    select ${sql.ref(key)} as key, ${sql.join(sizes, sql` + `)} as bytes from ${sql.table(table)}
    where ${sql.ref(key)} > ${last} order by ${sql.ref(key)} limit ${rowsAtOnce}`.execute(tx);
  let bytes = 0;
  const tooMuch = rows.findIndex(row => {
    bytes += row.bytes;
    return bytes > bytesAtOnce;
  });
  return (tooMuch === -1 ? rows.at(-1) : rows[Math.max(0, tooMuch - 1)])?.key ?? null;
}

function toRows(engine: Engine, packed: readonly (readonly [Key, string])[]): RawBuilder<unknown> {
  const json = JSON.stringify(packed);
  return engine === 'postgres'
    ? sql`(select (value ->> 0)::bigint key, decode(value ->> 1, 'hex') bytes from json_array_elements(${json}::json))`
    : sql`(select value ->> 0 key, unhex(value ->> 1) bytes from json_each(${json}))`;
}
