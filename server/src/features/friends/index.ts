// Who is friends with whom. Others ask here before they let one person reach another.
import type { Feature } from '../../platform/feature.ts';
import type { FriendPorts } from './ports.ts';
import { friendRoutes } from './routes.ts';

export { getFriend, holdFriendship } from './get-friend.ts';
export { friendMigrations } from './migrations.ts';
export type { FriendPorts, Pair } from './ports.ts';
export { type FriendRow, listFriendsAmong } from './queries.ts';

export const friends = (ports: FriendPorts): Feature => ({ name: 'friends', routes: friendRoutes(ports) });
