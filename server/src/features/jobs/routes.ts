// Routes of dead jobs and events.
import { toPage } from '@recordproof/shared/api/common.ts';
import * as api from '@recordproof/shared/api/jobs.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { toKey } from '../../platform/ids.ts';
import { findDeadJob, findDeadJobs, type Owner } from '../../platform/jobs/dead-jobs.ts';
import type { Server } from '../../platform/server.ts';
import { maySeeInstallation } from '../accounts/index.ts';
import { dropJob, noDeadJob, reviveJob } from './retry-or-drop.ts';
import { toDeadJobView } from './views.ts';

export const jobRoutes = (server: Pick<Server, 'database' | 'clock'>): Route[] => {
  const { db } = server.database;
  const ownerFor = async (actor: Actor): Promise<Owner> =>
    (await maySeeInstallation(db, actor)) ? 'installation' : { tenantId: actor.tenantId };
  return [
    route(api.listDeadJobs, async ({ actor, query: { type, kind, ...request } }) => {
      const areEvents = type === undefined ? undefined : type === 'EVENT';
      const found = await findDeadJobs(db, { owner: await ownerFor(actor), kind, areEvents }, request);
      return toPage(found.rows.map(toDeadJobView), found.total, request);
    }),
    route(api.getDeadJob, async ({ actor, params }) => {
      const id = toKey(params.id);
      const job = await findDeadJob(db, await ownerFor(actor), id);
      if (job === null) throw noDeadJob(id);
      return toDeadJobView(job);
    }),
    route(api.reviveDeadJob, async r =>
      reviveJob(server, r, { owner: await ownerFor(r.actor), id: toKey(r.params.id) }),
    ),
    route(api.dropDeadJob, async r => dropJob(server, r, { owner: await ownerFor(r.actor), id: toKey(r.params.id) })),
  ];
};
