// Routes of census and sweep.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import * as api from '@recordproof/shared/api/sweep.ts';
import { cutSlice, toSliceRequest } from '../../platform/db/slice.ts';
import type { Key } from '../../platform/db/tables.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { toKey } from '../../platform/ids.ts';
import { type CensusRow, findCensus, isSuperseded, listCandidates, listUnknownHolds } from './census-queries.ts';
import { type Marking, markObject } from './mark-object.ts';
import { listMarks } from './mark-queries.ts';
import { takeAllCensuses, takeCensus } from './take-census.ts';
import { toUnknownHolds } from './unknown-holds.ts';
import { readInstallation, readStatus, toCandidateView, toCensusView, toMarkView } from './views.ts';

/** The response to a list request. */
function toAnswer<Row extends { readonly id: Key }, View>(
  rows: readonly Row[],
  { limit }: { readonly limit: number },
  toView: (row: Row) => View,
) {
  const { shown, nextCursor } = cutSlice(rows, limit);
  return { records: shown.map(toView), nextCursor };
}

export function sweepRoutes(server: Marking): Route[] {
  const { db } = server.database;
  const getCensus = async (tenantId: number, censusId: string): Promise<CensusRow> => {
    const census = await findCensus(db, tenantId, toKey(censusId));
    if (census === null) throw new ApiError('RESULT_DATA_NONE', 'there is no census with this number');
    return census;
  };
  /** Checked after its rows were read: they may have been deleted meanwhile, and an empty page would be misleading. */
  const rejectSuperseded = async (census: CensusRow): Promise<void> => {
    if (await isSuperseded(db, census)) throw new ApiError('CONFLICT', 'this census is superseded by a later one');
  };
  return [
    route(api.getSweepStatus, ({ actor }) => readStatus(server, actor.tenantId)),
    route(api.getInstallationSweep, () => readInstallation(server)),
    route(api.takeAllCensuses, async r => {
      await takeAllCensuses(server, r);
      return readInstallation(server);
    }),
    route(api.takeCensus, async r => toCensusView(await takeCensus(server, r))),
    route(api.getCensus, async ({ actor, params }) => toCensusView(await getCensus(actor.tenantId, params.censusId))),
    route(api.listCandidates, async ({ actor, params, query }) => {
      const census = await getCensus(actor.tenantId, params.censusId);
      const rows = await listCandidates(db, census.id, toSliceRequest(query));
      await rejectSuperseded(census);
      return toAnswer(rows, query, toCandidateView);
    }),
    route(api.listUnknownHolds, async ({ actor, params, query }) => {
      const census = await getCensus(actor.tenantId, params.censusId);
      const rows = await listUnknownHolds(db, census.id, toSliceRequest(query));
      await rejectSuperseded(census);
      const { shown, nextCursor } = cutSlice(rows, query.limit);
      return { records: await toUnknownHolds(db, actor.tenantId, shown), nextCursor };
    }),
    route(api.markObject, async r => toMarkView(await markObject(server, r, r.body))),
    route(api.listMarks, async ({ actor, query }) => {
      const rows = await listMarks(db, actor.tenantId, { ...toSliceRequest(query), state: query.state });
      return toAnswer(rows, query, toMarkView);
    }),
  ];
}
