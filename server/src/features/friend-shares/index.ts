// Files that people give to their friends.
import { feature } from '../../platform/feature.ts';
import { endSharesBetween } from './cancel-share.ts';
import { friendShareMigrations } from './migrations.ts';
import { listGivenFileIds } from './queries.ts';
import { friendShareRoutes } from './routes.ts';
import { friendGiver } from './save-files.ts';

export const friendShares = feature({
  name: 'friend-shares',
  floor: 3,
  migrations: friendShareMigrations,
  open: server => ({
    routes: friendShareRoutes(server),
    hooks: {
      friendshipEnded: endSharesBetween(server.database.kind),
      giver: friendGiver(server),
      listSharedFileIds: listGivenFileIds,
    },
  }),
});
