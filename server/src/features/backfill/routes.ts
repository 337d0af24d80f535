// Routes of backfill.
import * as api from '@recordproof/shared/api/backfill.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { toKey } from '../../platform/ids.ts';
import type { Server } from '../../platform/server.ts';
import { findFile } from '../files/index.ts';
import { runHandlers } from '../runs/index.ts';
import { backfills, retryItem, startBackfill } from './backfills.ts';
import { type ItemFilter, listItems } from './item-queries.ts';
import { toItemView, toRunView } from './views.ts';

export function backfillRoutes(server: Pick<Server, 'database' | 'clock' | 'config'>): Route[] {
  const { db } = server.database;
  const runs = runHandlers(server, backfills, {
    toView: run => toRunView(server, run),
    listItems: (run, filter: ItemFilter) => listItems(db, run, filter),
    toItemView,
  });
  return [
    route(api.startBackfill, async r => {
      const { mode, snapshotRunId } = r.body;
      const input = { mode, snapshotRunId: snapshotRunId === undefined ? null : toKey(snapshotRunId) };
      return toRunView(server, await startBackfill(server, r, input));
    }),
    route(api.listBackfills, runs.list),
    route(api.getBackfill, runs.get),
    route(api.listBackfillItems, runs.items),
    route(api.pauseBackfill, runs.change('pause')),
    route(api.resumeBackfill, runs.change('resume')),
    route(api.retryBackfillItem, async r => {
      const item = await retryItem(server, r, { runId: toKey(r.params.runId), itemId: toKey(r.params.itemId) });
      const file = await findFile(db, item.tenant_id, item.file_id);
      return toItemView({ ...item, file_name: file?.file_name ?? '' });
    }),
  ];
}
