// Routes of key rotation.
import { Readable } from 'node:stream';
import * as api from '@recordproof/shared/api/key-rotation.ts';
import { plainRoute, type Route, route } from '../../platform/http/route.ts';
import type { Server } from '../../platform/server.ts';
import type { Wrapping } from '../crypto-policy/index.ts';
import { getRun, runHandlers } from '../runs/index.ts';
import { exportItems } from './certificate-items.ts';
import { issueCertificate } from './issue-certificate.ts';
import { listItems } from './item-queries.ts';
import { putPolicy } from './put-policy.ts';
import { getPolicy } from './queries.ts';
import { acknowledgeRetirement } from './retirement.ts';
import { rotations, startRotation } from './rotations.ts';
import { toItemView, toPolicyView, toRunView } from './views.ts';

type Dependencies = Pick<Server, 'database' | 'clock' | 'config' | 'signing'> & Wrapping;

export function keyRotationRoutes(server: Dependencies): Route[] {
  const { db } = server.database;
  const runs = runHandlers(server, rotations, {
    toView: run => toRunView(db, run),
    listItems: (run, query) => listItems(db, run, query),
    toItemView,
  });
  return [
    route(api.getKeyRotationPolicy, async ({ actor }) => toPolicyView(server, await getPolicy(db, actor.tenantId))),
    route(api.putKeyRotationPolicy, async r => toPolicyView(server, await putPolicy(server, r, r.body))),
    route(api.acknowledgeKeyRetirement, async r => toPolicyView(server, await acknowledgeRetirement(server, r))),
    route(api.startKeyRotation, async r => toRunView(db, await startRotation(server, r, r.body))),
    route(api.listKeyRotations, runs.list),
    route(api.getKeyRotation, runs.get),
    route(api.listKeyRotationItems, runs.items),
    route(api.pauseKeyRotation, runs.change('pause')),
    route(api.resumeKeyRotation, runs.change('resume')),
    route(api.cancelKeyRotation, runs.change('cancel')),
    route(api.retryKeyRotation, runs.change('retry')),
    route(api.issueRetirementCertificate, async r => issueCertificate(server, r, await getRun(server, rotations, r))),
    plainRoute(api.exportRotationItems, async r => ({
      headers: { 'content-type': 'application/x-ndjson' },
      body: Readable.from(exportItems(db, await getRun(server, rotations, r))),
    })),
  ];
}
