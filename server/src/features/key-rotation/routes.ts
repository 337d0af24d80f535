import { Readable } from 'node:stream';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import * as api from '@recordproof/shared/api/key-rotation.ts';
import { plainRoute, type Route, route } from '../../platform/http/route.ts';
import { toKey, toWireId } from '../../platform/ids.ts';
import type { Server } from '../../platform/server.ts';
import type { Wrapping } from '../crypto-policy/index.ts';
import { exportItems } from './certificate-items.ts';
import { acknowledgeRetirement, changeRun } from './change-run.ts';
import { issueCertificate } from './issue-certificate.ts';
import { listItems } from './item-queries.ts';
import type { RunChange } from './policy.ts';
import { putPolicy } from './put-policy.ts';
import { findPolicy, findRun, listRuns, type RunRow } from './queries.ts';
import { startRun } from './start-run.ts';
import { toItemView, toPolicyView, toRunView } from './views.ts';

type Needed = Pick<Server, 'database' | 'clock' | 'config' | 'signing'> & Wrapping;
type Query = { readonly limit: number; readonly cursor?: string | undefined };

const toSlice = ({ limit, cursor }: Query) => ({
  limit: limit + 1,
  cursor: cursor === undefined ? undefined : toKey(cursor),
});

/** One more than asked for was read: whether there is more. */
const toCursor = (rows: readonly { readonly id: number }[], limit: number): string | null =>
  rows.length > limit ? toWireId((rows[limit - 1] as { id: number }).id) : null;

async function getRun({ database }: Needed, tenantId: number, runId: string): Promise<RunRow> {
  const run = await findRun(database.db, tenantId, toKey(runId));
  if (run === null) throw new ApiError('RESULT_DATA_NONE');
  return run;
}

const policyRoutes = (server: Needed): Route[] => [
  route(api.getKeyRotationPolicy, async ({ actor }) => {
    const policy = await findPolicy(server.database.db, actor.tenantId);
    if (policy === null) throw new ApiError('RESULT_DATA_NONE');
    return toPolicyView(server, policy);
  }),
  route(api.putKeyRotationPolicy, async r => toPolicyView(server, await putPolicy(server, r, r.body))),
  route(api.acknowledgeKeyRetirement, async r => toPolicyView(server, await acknowledgeRetirement(server, r))),
];

export function keyRotationRoutes(server: Needed): Route[] {
  const { db } = server.database;
  const change = (wanted: RunChange) => async (r: Parameters<typeof changeRun>[1] & { params: { runId: string } }) =>
    toRunView(db, await changeRun(server, r, { id: toKey(r.params.runId), change: wanted }));
  return [
    ...policyRoutes(server),
    route(api.startKeyRotation, async r => toRunView(db, await startRun(server, r, r.body))),
    route(api.listKeyRotations, async ({ actor, query }) => {
      const rows = await listRuns(db, actor.tenantId, toSlice(query));
      const records = await Promise.all(rows.slice(0, query.limit).map(run => toRunView(db, run)));
      return { records, nextCursor: toCursor(rows, query.limit) };
    }),
    route(api.getKeyRotation, async ({ actor, params }) =>
      toRunView(db, await getRun(server, actor.tenantId, params.runId)),
    ),
    route(api.listKeyRotationItems, async ({ actor, params, query }) => {
      const rows = await listItems(db, await getRun(server, actor.tenantId, params.runId), toSlice(query));
      return { records: rows.slice(0, query.limit).map(toItemView), nextCursor: toCursor(rows, query.limit) };
    }),
    route(api.pauseKeyRotation, change('pause')),
    route(api.resumeKeyRotation, change('resume')),
    route(api.cancelKeyRotation, change('cancel')),
    route(api.retryKeyRotation, change('retry')),
    route(api.issueRetirementCertificate, r => issueCertificate(server, r, { id: toKey(r.params.runId) })),
    plainRoute(api.exportRotationItems, async ({ actor, params }) => ({
      headers: { 'content-type': 'application/x-ndjson' },
      body: Readable.from(exportItems(db, await getRun(server, actor.tenantId, params.runId))),
    })),
  ];
}
