// The audit log for administrators and monitors: lists, figures, alerts, a spreadsheet; and backups, after which its
// oldest rows may be deleted.
import { feature } from '../../platform/feature.ts';
import { cutJob } from './back-up-logs.ts';
import { auditReviewMigrations } from './migrations.ts';
import { auditReviewRoutes } from './routes.ts';
import { watchJob, watchSchedule } from './watch.ts';

export { backupArea, listNotedBackups } from './backup-queries.ts';
export { findUncoveredCut } from './backup-statement.ts';
export { findHeadProblem } from './record-head.ts';

export const auditReview = feature({
  name: 'audit-review',
  layer: 4,
  migrations: auditReviewMigrations,
  open: server => ({
    routes: auditReviewRoutes(server),
    jobs: [watchJob(server), cutJob(server)],
    schedules: [watchSchedule],
  }),
});
