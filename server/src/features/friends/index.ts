// Friendships. Other features check them before one person may reach another.
import type { Key, Time, Tx } from '../../platform/db/tables.ts';
import { rowsOf } from '../../platform/db/tenant-rows.ts';
import { feature } from '../../platform/feature.ts';
import { friendMigrations } from './migrations.ts';
import { friendRoutes } from './routes.ts';

export { getFriend, lockFriendship } from './friendship.ts';
export { type FriendRow, listFriendsAmong } from './queries.ts';

export type Pair = { readonly tenantId: Key; readonly people: readonly [Key, Key] };

declare module '../../platform/hooks.ts' {
  interface Hooks {
    /** Ends what the two have given each other, in both directions, in the transaction that ends their friendship. */
    friendshipEnded: (tx: Tx, pair: Pair, now: Time) => Promise<void>;
  }
}

export const friends = feature({
  name: 'friends',
  layer: 2,
  migrations: friendMigrations,
  open: server => ({ routes: friendRoutes(server), tenantRows: [rowsOf('friend_request'), rowsOf('friendship')] }),
});
