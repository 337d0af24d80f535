// Quotas: what owners and tenants use, and the limits of it.
import { feature } from '../../platform/feature.ts';
import { quotaRoutes } from './routes.ts';

export { addDownloads, findUsage, listUsageOfTenants, wholeTenant } from './queries.ts';
export { addUsage, addUsageUnchecked, checkQuota, type Quota, type UsageChange } from './quota.ts';

export const quotas = feature({ name: 'quotas', layer: 1, open: server => ({ routes: quotaRoutes(server) }) });
