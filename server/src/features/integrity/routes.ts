// Routes of integrity checks and alerts.
import { toPage } from '@recordproof/shared/api/common.ts';
import * as api from '@recordproof/shared/api/integrity.ts';
import { toIsoOrNull } from '../../platform/clock.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { toKey } from '../../platform/ids.ts';
import { countVerified } from '../stored-objects/index.ts';
import { acknowledgeAlert, noSuchAlert, resolveAlert } from './change-alert.ts';
import { type Checking, checkNow } from './check-files.ts';
import type { Healing } from './heal-chunk.ts';
import { findAlert, listAlerts } from './queries.ts';
import { repairAlert, repairChunk } from './repair.ts';
import { dueBefore } from './scrub.ts';
import { toAlertView, toAlertViews } from './views.ts';

export function integrityRoutes(server: Checking & Healing): Route[] {
  const { db } = server.database;
  return [
    route(api.listIntegrityAlerts, async ({ actor, query }) => {
      const fileId = query.fileId === undefined ? undefined : toKey(query.fileId);
      const { rows, total } = await listAlerts(db, actor.tenantId, { ...query, fileId });
      return toPage(await toAlertViews(db, actor.tenantId, rows), total, query);
    }),
    route(api.getIntegrityAlert, async ({ actor, params }) => {
      const id = toKey(params.id);
      const alert = await findAlert(db, actor.tenantId, id);
      if (alert === null) throw noSuchAlert(id);
      return toAlertView(db, alert);
    }),
    route(api.checkIntegrity, r => checkNow(server, r, { ...r.body, signal: r.signal })),
    route(api.getIntegrityScrub, async ({ actor }) => {
      const { scrub } = server.config.integrity;
      const { oldestVerifiedAt, ...figures } = await countVerified(
        db,
        actor.tenantId,
        dueBefore(scrub, server.clock.now()),
      );
      return { ...scrub, ...figures, oldestVerifiedAt: toIsoOrNull(oldestVerifiedAt) };
    }),
    route(api.acknowledgeIntegrityAlert, async r =>
      toAlertView(db, await acknowledgeAlert(server, r, toKey(r.params.id))),
    ),
    route(api.resolveIntegrityAlert, async r =>
      toAlertView(db, await resolveAlert(server, r, { id: toKey(r.params.id), note: r.body.note })),
    ),
    route(api.repairIntegrityAlert, r => repairAlert(server, r, { id: toKey(r.params.id), signal: r.signal })),
    route(api.repairChunk, r =>
      repairChunk(server, r, { ...r.params, ...r.query, id: toKey(r.params.id), bytes: r.stream, signal: r.signal }),
    ),
  ];
}
