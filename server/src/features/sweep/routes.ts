import { ApiError } from '@recordproof/shared/api/errors.ts';
import * as api from '@recordproof/shared/api/sweep.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { toKey, toWireId } from '../../platform/ids.ts';
import { type CensusRow, findCensus, listCandidates, listUnknownHolds } from './census-queries.ts';
import { type Marking, markObject } from './mark-object.ts';
import { listMarks } from './mark-queries.ts';
import { takeCensus } from './take-census.ts';
import { readStatus, toCandidateView, toCensusView, toMarkView, toUnknownHoldView } from './views.ts';

type Query = { readonly limit: number; readonly cursor?: string | undefined };

/** One more than asked for tells whether there is more. */
const toSlice = ({ limit, cursor }: Query) => ({
  limit: limit + 1,
  cursor: cursor === undefined ? undefined : toKey(cursor),
});

const toSliceView = <Row extends { readonly id: number }, View>(
  rows: readonly Row[],
  { limit }: Query,
  toView: (row: Row) => View,
) => {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { records: shown.map(toView), nextCursor: rows.length > limit && last ? toWireId(last.id) : null };
};

export function sweepRoutes(server: Marking): Route[] {
  const { db } = server.database;
  const getCensus = async (tenantId: number, censusId: string): Promise<CensusRow> => {
    const census = await findCensus(db, tenantId, toKey(censusId));
    if (census === null) throw new ApiError('RESULT_DATA_NONE');
    return census;
  };
  return [
    route(api.getSweepStatus, ({ actor }) => readStatus(server, actor.tenantId)),
    route(api.takeCensus, async r => toCensusView(await takeCensus(server, r))),
    route(api.getCensus, async ({ actor, params }) => toCensusView(await getCensus(actor.tenantId, params.censusId))),
    route(api.listCandidates, async ({ actor, params, query }) => {
      const census = await getCensus(actor.tenantId, params.censusId);
      return toSliceView(await listCandidates(db, census.id, toSlice(query)), query, toCandidateView);
    }),
    route(api.listUnknownHolds, async ({ actor, params, query }) => {
      const census = await getCensus(actor.tenantId, params.censusId);
      return toSliceView(await listUnknownHolds(db, census.id, toSlice(query)), query, row =>
        toUnknownHoldView({ fileId: row.file_id, reason: row.reason }),
      );
    }),
    route(api.markObject, async r => toMarkView(await markObject(server, r, r.body))),
    route(api.listMarks, async ({ actor, query }) => {
      const rows = await listMarks(db, actor.tenantId, { ...toSlice(query), state: query.state });
      return toSliceView(rows, query, toMarkView);
    }),
  ];
}
