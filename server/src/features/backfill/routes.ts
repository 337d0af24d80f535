import * as api from '@recordproof/shared/api/backfill.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Key } from '../../platform/db/tables.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { toKey, toWireId } from '../../platform/ids.ts';
import type { Server } from '../../platform/server.ts';
import { findFile } from '../files/index.ts';
import { changeRun, retryItem } from './change-run.ts';
import { listItems } from './item-queries.ts';
import type { RunChange } from './policy.ts';
import { findRun, listRuns, type RunRow } from './run-queries.ts';
import { startRun } from './start-run.ts';
import { toItemView, toRunView } from './views.ts';

type Needed = Pick<Server, 'database' | 'clock' | 'config'>;
type Query = { readonly limit: number; readonly cursor?: string | undefined };

const toSlice = ({ limit, cursor }: Query) => ({
  limit: limit + 1,
  cursor: cursor === undefined ? undefined : toKey(cursor),
});

/** One more than asked for was read: whether there is more. */
const toCursor = (rows: readonly { readonly id: Key }[], limit: number): string | null =>
  rows.length > limit ? toWireId((rows[limit - 1] as { id: Key }).id) : null;

async function getRun({ database }: Needed, tenantId: Key, runId: string): Promise<RunRow> {
  const run = await findRun(database.db, tenantId, toKey(runId));
  if (run === null) throw new ApiError('RESULT_DATA_NONE');
  return run;
}

export function backfillRoutes(server: Needed): Route[] {
  const { db } = server.database;
  const change = (wanted: RunChange) => async (r: Parameters<typeof changeRun>[1] & { params: { runId: string } }) =>
    toRunView(server, await changeRun(server, r, { runId: toKey(r.params.runId), change: wanted }));
  return [
    route(api.startBackfill, async r => {
      const { mode, snapshotRunId } = r.body;
      const wish = { mode, snapshotRunId: snapshotRunId === undefined ? null : toKey(snapshotRunId) };
      return toRunView(server, await startRun(server, r, wish));
    }),
    route(api.listBackfills, async ({ actor, query }) => {
      const rows = await listRuns(db, actor.tenantId, toSlice(query));
      const records = await Promise.all(rows.slice(0, query.limit).map(run => toRunView(server, run)));
      return { records, nextCursor: toCursor(rows, query.limit) };
    }),
    route(api.getBackfill, async ({ actor, params }) =>
      toRunView(server, await getRun(server, actor.tenantId, params.runId)),
    ),
    route(api.listBackfillItems, async ({ actor, params, query }) => {
      const run = await getRun(server, actor.tenantId, params.runId);
      const rows = await listItems(db, run, { ...query, ...toSlice(query) });
      return { records: rows.slice(0, query.limit).map(toItemView), nextCursor: toCursor(rows, query.limit) };
    }),
    route(api.pauseBackfill, change('pause')),
    route(api.resumeBackfill, change('resume')),
    route(api.retryBackfillItem, async r => {
      const which = { runId: toKey(r.params.runId), itemId: toKey(r.params.itemId) };
      const item = await retryItem(server, r, which);
      const file = await findFile(db, item.tenant_id, item.file_id);
      return toItemView({ ...item, file_name: file?.file_name ?? '' });
    }),
  ];
}
