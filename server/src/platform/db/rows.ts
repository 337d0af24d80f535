// Results of queries as one value: the first row or null, whether there is a row, the number of rows.
import type { SelectQueryBuilder } from 'kysely';

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
