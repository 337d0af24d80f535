// Short uploads: files received in one call, sealed while streaming, and stored by group commit without a saga.
import { feature } from '../../platform/feature.ts';
import { shortUploadMigrations } from './migrations.ts';
import { StagingAreas, sweepJobKind, sweepStagingAreas } from './staging-areas.ts';
import { GroupCommit } from './store-short.ts';

export { listStagingAreaPaths } from './queries.ts';
export { isShort, storeShort } from './store-short.ts';

declare module '../../platform/server.ts' {
  interface Server {
    /** Staging of short uploads. */
    readonly stagingAreas: StagingAreas;
    readonly sharedCommits: GroupCommit;
  }
}

export const shortUploads = feature({
  name: 'short-uploads',
  layer: 3,
  migrations: shortUploadMigrations,
  provide: (platform, opening) => ({
    stagingAreas: new StagingAreas(platform),
    sharedCommits: opening.use(new GroupCommit()),
  }),
  open: server => ({
    jobs: [sweepStagingAreas(server)],
    schedules: [{ name: sweepJobKind, everySeconds: 600, jobKind: sweepJobKind }],
  }),
});
