// Comparison of two databases, row by row in the order of their keys.
import { createHash } from 'node:crypto';
import { MoveError } from './move-rows.ts';
import { type TableRows, withSnapshot } from './postgres-snapshot.ts';
import type { SqliteRow, SqliteRows, TableShape } from './sqlite-rows.ts';
import type { Db } from './tables.ts';

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
