// Routes of census and sweep.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import * as api from '@recordproof/shared/api/sweep.ts';
import { cutSlice, type SliceRequest, toSliceRequest } from '../../platform/db/slice.ts';
import type { Db, Key } from '../../platform/db/tables.ts';
import { type Request, type Route, route } from '../../platform/http/route.ts';
import { toKey } from '../../platform/ids.ts';
import { type CensusRow, findCensus, isSuperseded, listCandidates, listUnknownHolds } from './census-queries.ts';
import { type Marking, markObject } from './mark-object.ts';
import { listMarks } from './mark-queries.ts';
import { takeAllCensuses, takeCensus } from './take-census.ts';
import { readInstallation, readStatus, toCandidateView, toCensusView, toMarkView, toUnknownHolds } from './views.ts';

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
    if (census === null)
      throw new ApiError('RESULT_DATA_NONE', `there is no census ${censusId}: the status names the newest`);
    return census;
  };
  const listOfCensus = async <Row>(
    { actor, params, query }: Request<typeof api.listCandidates | typeof api.listUnknownHolds>,
    list: (db: Db, censusId: Key, slice: SliceRequest) => Promise<Row[]>,
  ): Promise<Row[]> => {
    const census = await getCensus(actor.tenantId, params.censusId);
    const rows = await list(db, census.id, toSliceRequest(query));
    // Checked afterwards: the rows may have been deleted meanwhile, and an empty page would be misleading.
    if (await isSuperseded(db, census))
      throw new ApiError('CONFLICT', `census ${census.id} is superseded by a later one: use the newest`);
    return rows;
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
    route(api.listCandidates, async r => toAnswer(await listOfCensus(r, listCandidates), r.query, toCandidateView)),
    route(api.listUnknownHolds, async r => {
      const { shown, nextCursor } = cutSlice(await listOfCensus(r, listUnknownHolds), r.query.limit);
      return { records: await toUnknownHolds(db, r.actor.tenantId, shown), nextCursor };
    }),
    route(api.markObject, async r => toMarkView(await markObject(server, r, r.body))),
    route(api.listMarks, async ({ actor, query }) => {
      const rows = await listMarks(db, actor.tenantId, { ...toSliceRequest(query), state: query.state });
      return toAnswer(rows, query, toMarkView);
    }),
  ];
}
