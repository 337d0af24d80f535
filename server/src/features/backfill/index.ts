// Backfill: imports records of an older system, and creates manifests for those that can be proven. A scan examines
// every record; only APPLY writes, and only records that were scanned and have not changed since.
import { type BackfillMode, backfillModes } from '@recordproof/shared/api/backfill.ts';
import { type BackfillClassification, backfillClassifications } from '@recordproof/shared/api/backfill-reasons.ts';
import { feature } from '../../platform/feature.ts';
import type { Platform } from '../../platform/server.ts';
import { runParts } from '../runs/index.ts';
import { backfills, mayWorkOn } from './backfills.ts';
import { backfillMigrations } from './migrations.ts';
import { backfillRoutes } from './routes.ts';
import { listNamedPaths } from './source-queries.ts';
import { findGovernance } from './views.ts';
import { workOnRun } from './work-run.ts';

export { type ImportSummary, importLegacy } from './import-legacy.ts';

declare module '../../platform/server.ts' {
  interface Server {
    readonly backfillMetrics: ReturnType<typeof declareBackfillMetrics>;
  }
}

const runsAtOnce = 100;

/** Labels never name a tenant, file or run. */
function declareBackfillMetrics({ metrics }: Pick<Platform, 'metrics'>) {
  const items = metrics.counter({
    name: 'app_manifest_backfill_items_total',
    help: 'Items of manifest backfills by how they ended',
    labels: { mode: backfillModes, classification: backfillClassifications },
  });
  return {
    /** Items that wait for a retry are counted when they end. */
    itemEnded: (mode: BackfillMode, classification: BackfillClassification): void =>
      items.add({ mode, classification }),
  };
}

export const backfill = feature({
  name: 'backfill',
  layer: 4,
  migrations: backfillMigrations,
  claims: [
    { table: 'backfill_run', column: 'status', values: ['SCANNING', 'APPLYING'] },
    { table: 'backfill_item', column: 'status', values: ['RUNNING'] },
  ],
  provide: platform => ({ backfillMetrics: declareBackfillMetrics(platform) }),
  open: server => {
    const parts = runParts(server, backfills, {
      pollSeconds: server.config.backfill.workerDelaySeconds,
      runsAtOnce,
      listModes: () => backfillModes.filter(mode => mayWorkOn(server.config, mode)),
      work: async (which, signal) => {
        await workOnRun(server, which, signal);
        return null;
      },
    });
    return { ...parts, routes: backfillRoutes(server), hooks: { findGovernance, listNamedPaths } };
  },
});
