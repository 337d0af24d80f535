// Share links: files that visitors with the code may view, download and save, until the share ends.
import { rowsOf } from '../../platform/db/tenant-rows.ts';
import { feature } from '../../platform/feature.ts';
import { rebaseLabels } from '../folders/index.ts';
import { LinkAttempts } from './check-link-password.ts';
import { endSharesOfOwner, enqueueEndOfShares, expireShares, expiryJobKind } from './end-share.ts';
import { mailLinkJob } from './mail-link.ts';
import { shareMigrations } from './migrations.ts';
import { leaveShares, listSharedFileIds } from './queries.ts';
import { deleteRecipientsOf } from './recipients.ts';
import { shareRoutes } from './routes.ts';
import { shareGiver } from './save-shared.ts';

export { checkLinkPassword } from './check-link-password.ts';
export { downloadAll } from './download-all.ts';
export { downloadShared, readSharedThumbnail, type SharedDownload } from './download-shared.ts';
export { type Grant, grantLifetimeMs } from './grants.ts';
export { enterShare, getSharedFile, getShareInfo, openShare, type Visitor, viewShare } from './visit-share.ts';

declare module '../../platform/server.ts' {
  interface Server {
    /** Rate limits for wrong codes and passwords. */
    readonly shareAttempts: LinkAttempts;
  }
}

export const shares = feature({
  name: 'shares',
  layer: 3,
  migrations: shareMigrations,
  provide: ({ counters, clock }) => ({ shareAttempts: new LinkAttempts(counters.shared, clock) }),
  open: server => ({
    routes: shareRoutes(server),
    jobs: [expireShares(server), endSharesOfOwner(server), mailLinkJob(server)],
    tenantRows: [rowsOf('share_recipient')],
    schedules: [{ name: expiryJobKind, everySeconds: 60, jobKind: expiryJobKind }],
    hooks: {
      giver: shareGiver(server),
      listSharedFileIds,
      filesRestored: (tx, files) => leaveShares(tx, server.database.kind, files),
      folderMoved: (tx, owner, move) => rebaseLabels(tx, owner, move, { table: 'share', column: 'folder' }),
      accountDeleted: async (tx, { tenant_id: tenantId, id: ownerId }, _files, now) => {
        await deleteRecipientsOf(tx, tenantId, ownerId);
        await enqueueEndOfShares(tx, { tenantId, ownerId }, now);
      },
    },
  }),
});
