// Routes of quotas.
import { fileQuota } from '@recordproof/shared/api/files.ts';
import * as api from '@recordproof/shared/api/user-quotas.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { toKey } from '../../platform/ids.ts';
import type { Server } from '../../platform/server.ts';
import { findUsage, wholeTenant } from './queries.ts';
import { toQuotaView, toUserLimits } from './quota.ts';
import { getUserQuota, setUserQuota } from './set-user-quota.ts';

export const quotaRoutes = (server: Pick<Server, 'database' | 'clock' | 'config'>): Route[] => {
  const { db } = server.database;
  return [
    route(fileQuota, async ({ actor }) => {
      const { quota } = server.config;
      const used = await findUsage(db, actor.tenantId, actor.userId);
      const { maxBytes, maxFiles } = toUserLimits(quota, used);
      return {
        mode: quota.mode,
        user: toQuotaView(used, maxBytes, maxFiles),
        tenant: toQuotaView(await findUsage(db, actor.tenantId, wholeTenant), quota.tenantBytes, quota.tenantFiles),
      };
    }),
    route(api.getUserQuota, r => getUserQuota(db, server.config.quota, r.actor.tenantId, toKey(r.params.id))),
    route(api.setUserQuota, r => {
      const { reason, ...limits } = r.body;
      return setUserQuota(server, r, { accountId: toKey(r.params.id), limits, reason });
    }),
  ];
};
