import { Readable } from 'node:stream';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import * as api from '@recordproof/shared/api/key-rotation.ts';
import { cutSlice, toSliceRequest } from '../../platform/db/slice.ts';
import { plainRoute, type Route, route } from '../../platform/http/route.ts';
import { toKey } from '../../platform/ids.ts';
import type { Server } from '../../platform/server.ts';
import type { Wrapping } from '../crypto-policy/index.ts';
import { exportItems } from './certificate-items.ts';
import { acknowledgeRetirement, changeRun } from './change-run.ts';
import { issueCertificate } from './issue-certificate.ts';
import { listItems } from './item-queries.ts';
import type { RunChange } from './policy.ts';
import { putPolicy } from './put-policy.ts';
import { findRun, getPolicy, listRuns, type RunRow } from './queries.ts';
import { startRun } from './start-run.ts';
import { toItemView, toPolicyView, toRunView } from './views.ts';

type Needed = Pick<Server, 'database' | 'clock' | 'config' | 'signing'> & Wrapping;

async function getRun({ database }: Needed, tenantId: number, runId: string): Promise<RunRow> {
  const run = await findRun(database.db, tenantId, toKey(runId));
  if (run === null) throw new ApiError('RESULT_DATA_NONE', 'there is no run of this number');
  return run;
}

const policyRoutes = (server: Needed): Route[] => [
  route(api.getKeyRotationPolicy, async ({ actor }) =>
    toPolicyView(server, await getPolicy(server.database.db, actor.tenantId)),
  ),
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
      const rows = await listRuns(db, actor.tenantId, toSliceRequest(query));
      const { shown, nextCursor } = cutSlice(rows, query.limit);
      return { records: await Promise.all(shown.map(run => toRunView(db, run))), nextCursor };
    }),
    route(api.getKeyRotation, async ({ actor, params }) =>
      toRunView(db, await getRun(server, actor.tenantId, params.runId)),
    ),
    route(api.listKeyRotationItems, async ({ actor, params, query }) => {
      const rows = await listItems(db, await getRun(server, actor.tenantId, params.runId), toSliceRequest(query));
      const { shown, nextCursor } = cutSlice(rows, query.limit);
      return { records: shown.map(toItemView), nextCursor };
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
