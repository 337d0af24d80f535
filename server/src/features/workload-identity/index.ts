// Workload identity: build jobs exchange identity tokens of their providers for short-lived API tokens of service
// accounts.
import { feature } from '../../platform/feature.ts';
import type { JobHandler } from '../../platform/jobs/jobs.ts';
import type { Server } from '../../platform/server.ts';
import { IssuerKeys } from './issuer-keys.ts';
import { workloadIdentityMigrations } from './migrations.ts';
import { deleteRulesOf, deleteUses } from './queries.ts';
import { workloadIdentityRoutes } from './routes.ts';

const sweepKind = 'workload-identity.sweep';

const sweepJob = ({ database, clock }: Pick<Server, 'database' | 'clock'>): JobHandler => ({
  kind: sweepKind,
  leaseSeconds: 60,
  maxAttempts: 3,
  backoffSeconds: () => 60,
  run: () => database.db.transaction().execute(tx => deleteUses(tx, clock.now())),
});

export const workloadIdentity = feature({
  name: 'workload-identity',
  layer: 0,
  migrations: workloadIdentityMigrations,
  open: server => ({
    routes: workloadIdentityRoutes({
      database: server.database,
      clock: server.clock,
      rejections: server.rejections,
      freshness: server.freshness,
      issuerKeys: new IssuerKeys(server),
    }),
    jobs: [sweepJob(server)],
    schedules: [{ name: sweepKind, everySeconds: 3600, jobKind: sweepKind }],
    hooks: {
      accountDeleted: (tx, { tenant_id, id }) => deleteRulesOf(tx, { tenantId: tenant_id, userId: id }),
    },
  }),
});
