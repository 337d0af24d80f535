import * as api from '@recordproof/shared/api/backfill.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { cutSlice, toSliceRequest } from '../../platform/db/slice.ts';
import type { Key } from '../../platform/db/tables.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { toKey } from '../../platform/ids.ts';
import type { Server } from '../../platform/server.ts';
import { findFile } from '../files/index.ts';
import { changeRun, retryItem } from './change-run.ts';
import { listItems } from './item-queries.ts';
import type { RunChange } from './policy.ts';
import { findRun, listRuns, type RunRow } from './run-queries.ts';
import { startRun } from './start-run.ts';
import { toItemView, toRunView } from './views.ts';

type Needed = Pick<Server, 'database' | 'clock' | 'config'>;

async function getRun({ database }: Needed, tenantId: Key, runId: string): Promise<RunRow> {
  const run = await findRun(database.db, tenantId, toKey(runId));
  if (run === null) throw new ApiError('RESULT_DATA_NONE', 'there is no run of this number');
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
      const rows = await listRuns(db, actor.tenantId, toSliceRequest(query));
      const { shown, nextCursor } = cutSlice(rows, query.limit);
      return { records: await Promise.all(shown.map(run => toRunView(server, run))), nextCursor };
    }),
    route(api.getBackfill, async ({ actor, params }) =>
      toRunView(server, await getRun(server, actor.tenantId, params.runId)),
    ),
    route(api.listBackfillItems, async ({ actor, params, query }) => {
      const run = await getRun(server, actor.tenantId, params.runId);
      const rows = await listItems(db, run, { ...query, ...toSliceRequest(query) });
      const { shown, nextCursor } = cutSlice(rows, query.limit);
      return { records: shown.map(toItemView), nextCursor };
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
