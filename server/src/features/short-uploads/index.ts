// Files whose bytes come in one call: sealed on their way in, and made to count without a saga, many in one commit.
import { feature } from '../../platform/feature.ts';
import { shortUploadMigrations } from './migrations.ts';
import { SharedCommits } from './shared-commits.ts';
import { sweepJobKind, sweepTrays, Trays } from './trays.ts';

export { answerRequest, claimRequest, forgetRequests, listTrayPlaces, type RequestRow } from './queries.ts';
export { isShort, storeShort } from './store-short.ts';
export { requestsKeptMs } from './trays.ts';
export { type StoredFile, toStored } from './views.ts';

declare module '../../platform/server.ts' {
  interface Server {
    /** Where bytes of short uploads go first. */
    readonly trays: Trays;
    readonly sharedCommits: SharedCommits;
  }
}

export const shortUploads = feature({
  name: 'short-uploads',
  floor: 3,
  migrations: shortUploadMigrations,
  provide: (platform, opening) => ({ trays: new Trays(platform), sharedCommits: opening.use(new SharedCommits()) }),
  open: server => ({
    jobs: [sweepTrays(server)],
    schedules: [{ name: sweepJobKind, everySeconds: 600, jobKind: sweepJobKind }],
  }),
});
