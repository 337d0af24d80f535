// Cursor pagination for lists that grow while they are read.
import { toKey, toWireId } from '../ids.ts';
import type { Key } from './tables.ts';

export type SliceRequest = { readonly limit: number; readonly cursor: Key | undefined };

/** Reads one row more than shown, to know whether there are more. */
export const toSliceRequest = (query: {
  readonly limit: number;
  readonly cursor?: string | undefined;
}): SliceRequest => ({
  limit: query.limit + 1,
  cursor: query.cursor === undefined ? undefined : toKey(query.cursor),
});

export function cutSlice<Row extends { readonly id: Key }>(rows: readonly Row[], limit: number) {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { shown, nextCursor: rows.length > limit && last !== undefined ? toWireId(last.id) : null };
}
