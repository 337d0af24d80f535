// Paged queries: one page of rows and the total count.
import { type PageRequest, parseSort } from '@recordproof/shared/api/common.ts';
import type { SelectQueryBuilder } from 'kysely';

export type RowPage<Row> = { readonly rows: Row[]; readonly total: number };

type Span = Pick<PageRequest, 'page' | 'size'>;

export const toSlice = ({ page, size }: Span) => ({ limit: size, offset: (page - 1) * size });

/** For `$call`: limits the query to this page. */
export function onPage(request: Span) {
  const { limit, offset } = toSlice(request);
  return <DB, TB extends keyof DB, O>(query: SelectQueryBuilder<DB, TB, O>): SelectQueryBuilder<DB, TB, O> =>
    query.limit(limit).offset(offset);
}

/** Sort order: the column for each field that the contract allows. */
export function toOrder<const Column extends string>(
  { sort }: Pick<PageRequest, 'sort'>,
  columns: Readonly<Record<string, Column>>,
): { readonly column: Column; readonly direction: 'asc' | 'desc' } {
  const { field, direction } = parseSort(sort);
  const column = columns[field];
  if (column === undefined) throw new Error(`internal: there is no column for the sort field "${field}"`);
  return { column, direction };
}

/** Counts the matching rows and reads one page; `toRows` selects and orders. */
export async function findPage<DB, TB extends keyof DB, O, Row>(
  matching: SelectQueryBuilder<DB, TB, O>,
  request: Span,
  toRows: (query: SelectQueryBuilder<DB, TB, O>) => SelectQueryBuilder<DB, TB, Row>,
): Promise<RowPage<Row>> {
  const counted = matching.select(eb => eb.fn.countAll<number>().as('total'));
  const { total } = (await counted.executeTakeFirstOrThrow()) as { total: number };
  const rows = (await toRows(matching).$call(onPage(request)).execute()) as Row[];
  return { rows, total };
}
