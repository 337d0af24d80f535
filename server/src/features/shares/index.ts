// Share links: files that whoever knows a code may see, download and save, until the share ends.
import type { Feature } from '../../platform/feature.ts';
import { expireShares, expiryJobKind } from './end-share.ts';
import type { SharePorts } from './ports.ts';
import { shareRoutes } from './routes.ts';

export { downloadShared } from './download-shared.ts';
export { type Grant, grantLifetimeMs } from './grants.ts';
export { shareMigrations } from './migrations.ts';
export type { SharePorts, Visitor } from './ports.ts';
export { listSharedFileIds } from './queries.ts';
export { confirmShared } from './save-shared.ts';
export { getShareInfo, lookAtShare, openShare } from './visit-share.ts';

export const shares = (ports: SharePorts): Feature => ({
  name: 'shares',
  routes: shareRoutes(ports),
  jobs: [expireShares(ports)],
  schedules: [{ name: expiryJobKind, everySeconds: 60, jobKind: expiryJobKind }],
});
