// HTTP handlers shared by all kinds of runs: list, read, items, and changes of a run.
import { cutSlice, type SliceRequest, toSliceRequest } from '../../platform/db/slice.ts';
import type { Key } from '../../platform/db/tables.ts';
import type { Request } from '../../platform/http/route.ts';
import { toKey } from '../../platform/ids.ts';
import { type ChangesRuns, changeRun } from './change-run.ts';
import type { RunChange, RunKind, RunRow } from './run-kind.ts';
import { findRun, listRuns, noSuchRun } from './run-queries.ts';

type Query = { readonly limit: number; readonly cursor?: string | undefined };
type ByRun = Pick<Request, 'actor'> & { readonly params: { readonly runId: string } };

type Views<Row extends RunRow, View, Item extends { readonly id: Key }, ItemView, ItemQuery extends Query> = {
  readonly toView: (run: Row) => Promise<View>;
  readonly listItems: (run: Row, query: Omit<ItemQuery, keyof Query> & SliceRequest) => Promise<Item[]>;
  readonly toItemView: (item: Item) => ItemView;
};

export async function getRun<Row extends RunRow>(
  { database }: ChangesRuns,
  kind: RunKind<Row>,
  { actor, params }: ByRun,
): Promise<Row> {
  const which = { tenantId: actor.tenantId, runId: toKey(params.runId) };
  const run = await findRun(database.db, kind, which);
  if (run === null) throw noSuchRun();
  return run;
}

export const runHandlers = <
  Row extends RunRow,
  View,
  Item extends { readonly id: Key },
  ItemView,
  ItemQuery extends Query,
>(
  server: ChangesRuns,
  kind: RunKind<Row>,
  { toView, listItems, toItemView }: Views<Row, View, Item, ItemView, ItemQuery>,
) => ({
  list: async ({ actor, query }: Pick<Request, 'actor'> & { readonly query: Query }) => {
    const rows = await listRuns(server.database.db, kind, actor.tenantId, toSliceRequest(query));
    const { shown, nextCursor } = cutSlice(rows, query.limit);
    return { records: await Promise.all(shown.map(toView)), nextCursor };
  },
  get: async (request: ByRun) => toView(await getRun(server, kind, request)),
  items: async (request: ByRun & { readonly query: ItemQuery }) => {
    const { query } = request;
    const rows = await listItems(await getRun(server, kind, request), { ...query, ...toSliceRequest(query) });
    const { shown, nextCursor } = cutSlice(rows, query.limit);
    return { records: shown.map(toItemView), nextCursor };
  },
  change: (change: RunChange) => async (request: Parameters<typeof changeRun>[2] & ByRun) =>
    toView(await changeRun(server, kind, request, { runId: toKey(request.params.runId), change })),
});
