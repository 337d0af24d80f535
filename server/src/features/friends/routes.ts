// Routes of friends.
import { type PageRequest, toPage } from '@recordproof/shared/api/common.ts';
import * as api from '@recordproof/shared/api/friends.ts';
import type { Call } from '../../platform/call.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { toKey } from '../../platform/ids.ts';
import type { Server } from '../../platform/server.ts';
import { searchPeople, toPerson } from '../accounts/index.ts';
import { type Decision, decideRequest } from './decide-request.ts';
import { changeRemark, unfriend } from './friendship.ts';
import {
  countFriends,
  countPending,
  listFriends,
  listFriendsAmong,
  listPendingWith,
  listRequests,
  type RequestFilter,
} from './queries.ts';
import { sendRequest } from './send-request.ts';
import { toFriendView, toRequestView, toRequestViews } from './views.ts';

type RequestQuery = PageRequest & { readonly status?: number | undefined };

async function listRequestViews(db: Db, actor: Actor, side: RequestFilter['side'], query: RequestQuery) {
  const { tenantId, userId } = actor;
  const filter = { tenantId, side, userId, status: query.status };
  const { rows, total } = await listRequests(db, filter, query);
  return toPage(await toRequestViews(db, tenantId, rows), total, query);
}

async function searchUsers(db: Db, actor: Actor, keyword: string) {
  const { tenantId, userId } = actor;
  const people = await searchPeople(db, tenantId, keyword, { except: userId, limit: api.maxSearchHits });
  const ids = people.map(person => person.id);
  const [friends, pending] = [
    await listFriendsAmong(db, tenantId, userId, ids),
    await listPendingWith(db, tenantId, userId, ids),
  ];
  return people.map(person => ({
    ...toPerson(person),
    isFriend: friends.has(person.id),
    hasPendingRequest: pending.has(person.id),
  }));
}

const byName: PageRequest = { page: 1, size: api.maxFriends, sort: 'username,asc' };

export const friendRoutes = (server: Pick<Server, 'database' | 'clock' | 'hooks'>): Route[] => {
  const { db } = server.database;
  const decide = async (call: Call, id: string, decision: Decision) =>
    toRequestView(db, await decideRequest(server, call, { requestId: toKey(id), decision }));
  return [
    route(api.sendFriendRequest, async r => {
      const { addresseeId, message = '' } = r.body;
      return toRequestView(db, await sendRequest(server, r, { addresseeId, message }));
    }),
    route(api.listReceivedRequests, r => listRequestViews(db, r.actor, 'addressee_id', r.query)),
    route(api.listSentRequests, r => listRequestViews(db, r.actor, 'requester_id', r.query)),
    route(api.countPendingRequests, async ({ actor }) => ({
      count: await countPending(db, actor.tenantId, actor.userId),
    })),
    route(api.acceptFriendRequest, r => decide(r, r.params.id, 'accept')),
    route(api.rejectFriendRequest, r => decide(r, r.params.id, 'reject')),
    route(api.cancelFriendRequest, r => decide(r, r.params.id, 'cancel')),
    route(api.listFriends, async r => {
      const { tenantId, userId } = r.actor;
      const rows = await listFriends(db, tenantId, userId, r.query);
      return toPage(rows.map(toFriendView), await countFriends(db, tenantId, userId), r.query);
    }),
    route(api.listAllFriends, async ({ actor }) =>
      (await listFriends(db, actor.tenantId, actor.userId, byName)).map(toFriendView),
    ),
    route(api.unfriend, r => unfriend(server, r, r.params.id)),
    route(api.updateRemark, async r => {
      const change = { friend: r.params.id, remark: r.body.remark || null };
      return toFriendView(await changeRemark(server, r, change));
    }),
    route(api.searchUsers, r => searchUsers(db, r.actor, r.query.keyword)),
  ];
};
