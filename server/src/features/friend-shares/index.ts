// Shares of files between friends.
import { rowsOf } from '../../platform/db/tenant-rows.ts';
import { feature } from '../../platform/feature.ts';
import { endSharesBetween } from './cancel-share.ts';
import { friendShareMigrations } from './migrations.ts';
import { leaveFriendShares, listGivenFileIds } from './queries.ts';
import { friendGiver } from './receive-share.ts';
import { friendShareRoutes } from './routes.ts';

export const friendShares = feature({
  name: 'friend-shares',
  layer: 3,
  migrations: friendShareMigrations,
  open: server => ({
    routes: friendShareRoutes(server),
    tenantRows: [rowsOf('friend_share_file', { by: 'friend_share_id', of: 'friend_share' }), rowsOf('friend_share')],
    hooks: {
      friendshipEnded: endSharesBetween(server.database.kind),
      giver: friendGiver(server),
      listSharedFileIds: listGivenFileIds,
      filesRestored: (tx, files) => leaveFriendShares(tx, server.database.kind, files),
    },
  }),
});
