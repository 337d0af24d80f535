// Share links: files that whoever knows a code may see, download and save, until the share ends.
import { feature } from '../../platform/feature.ts';
import { endSharesOfOwner, enqueueEndOfShares, expireShares, expiryJobKind } from './end-share.ts';
import { Guesses } from './guesses.ts';
import { shareMigrations } from './migrations.ts';
import { listSharedFileIds } from './queries.ts';
import { shareRoutes } from './routes.ts';
import { shareGiver } from './save-shared.ts';

export { downloadAll } from './download-all.ts';
export { downloadShared, type SharedDownload } from './download-shared.ts';
export { type Grant, grantLifetimeMs } from './grants.ts';
export { enterShare, getSharedFile, getShareInfo, lookAtShare, openShare, type Visitor } from './visit-share.ts';

declare module '../../platform/server.ts' {
  interface Server {
    /** Wrong codes and passwords. */
    readonly guesses: Guesses;
  }
}

export const shares = feature({
  name: 'shares',
  floor: 3,
  migrations: shareMigrations,
  provide: ({ counters, clock }) => ({ guesses: new Guesses(counters.shared, clock) }),
  open: server => ({
    routes: shareRoutes(server),
    jobs: [expireShares(server), endSharesOfOwner(server)],
    schedules: [{ name: expiryJobKind, everySeconds: 60, jobKind: expiryJobKind }],
    hooks: {
      giver: shareGiver(server),
      listSharedFileIds,
      accountDeleted: async (tx, { tenant_id: tenantId, id: ownerId }, _files, now) => {
        await enqueueEndOfShares(tx, { tenantId, ownerId }, now);
      },
    },
  }),
});
