// Files that people give to their friends.
import type { Feature } from '../../platform/feature.ts';
import type { FriendSharePorts } from './ports.ts';
import { friendShareRoutes } from './routes.ts';

export { endSharesBetween } from './cancel-share.ts';
export { friendShareMigrations } from './migrations.ts';
export { listGivenFileIds } from './queries.ts';
export { confirmFriendShare } from './save-files.ts';

export const friendShares = (ports: FriendSharePorts): Feature => ({
  name: 'friend-shares',
  routes: friendShareRoutes(ports),
});
