import { parseSort, toPage } from '@recordproof/shared/api/common.ts';
import * as api from '@recordproof/shared/api/friends.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { toKey } from '../../platform/ids.ts';
import { searchPeople, toPerson } from '../accounts/index.ts';
import { originOf } from '../audit/index.ts';
import { changeRemark } from './change-remark.ts';
import type { Decision } from './policy.ts';
import type { FriendPorts } from './ports.ts';
import {
  countFriends,
  countPending,
  type FriendPage,
  listFriends,
  listFriendsAmong,
  listPendingWith,
  listRequests,
  type RequestFilter,
} from './queries.ts';
import { sendRequest } from './send-request.ts';
import { settleRequest } from './settle-request.ts';
import { unfriend } from './unfriend.ts';
import { toFriendView, toRequestView, toRequestViews } from './views.ts';

type RequestQuery = { page: number; size: number; sort: string; status?: number | undefined };

async function listRequestViews(db: Db, actor: Actor, side: RequestFilter['side'], query: RequestQuery) {
  const { tenantId, userId } = actor;
  const filter = { tenantId, side, userId, status: query.status };
  const { rows, total } = await listRequests(db, filter, { ...query, direction: parseSort(query.sort).direction });
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

function toFriendPage(query: { page: number; size: number; sort: string }): FriendPage {
  const { field, direction } = parseSort(query.sort);
  return { ...query, sort: { column: field === 'username' ? 'a.username_folded' : 'f.id', direction } };
}

const byName: FriendPage = {
  page: 1,
  size: api.maxFriends,
  sort: { column: 'a.username_folded', direction: 'asc' },
};

export const friendRoutes = (ports: FriendPorts): Route[] => {
  const { db } = ports.database;
  const settle = async (r: Parameters<typeof originOf>[0] & { actor: Actor }, id: string, decision: Decision) => {
    const settlement = { actor: r.actor, requestId: toKey(id), decision, origin: originOf(r) };
    return toRequestView(db, await settleRequest(ports, settlement));
  };
  return [
    route(api.sendFriendRequest, async r => {
      const { addresseeId, message = '' } = r.body;
      return toRequestView(db, await sendRequest(ports, { actor: r.actor, addresseeId, message, origin: originOf(r) }));
    }),
    route(api.listReceivedRequests, r => listRequestViews(db, r.actor, 'addressee_id', r.query)),
    route(api.listSentRequests, r => listRequestViews(db, r.actor, 'requester_id', r.query)),
    route(api.countPendingRequests, async ({ actor }) => ({
      count: await countPending(db, actor.tenantId, actor.userId),
    })),
    route(api.acceptFriendRequest, r => settle(r, r.params.id, 'accept')),
    route(api.rejectFriendRequest, r => settle(r, r.params.id, 'reject')),
    route(api.cancelFriendRequest, r => settle(r, r.params.id, 'cancel')),
    route(api.listFriends, async r => {
      const { tenantId, userId } = r.actor;
      const rows = await listFriends(db, tenantId, userId, toFriendPage(r.query));
      return toPage(rows.map(toFriendView), await countFriends(db, tenantId, userId), r.query);
    }),
    route(api.listAllFriends, async ({ actor }) =>
      (await listFriends(db, actor.tenantId, actor.userId, byName)).map(toFriendView),
    ),
    route(api.unfriend, async r => {
      await unfriend(ports, r.actor, r.params.id, originOf(r));
      return null;
    }),
    route(api.updateRemark, async r => {
      const change = { friend: r.params.id, remark: r.body.remark || null };
      return toFriendView(await changeRemark(ports, r.actor, change, originOf(r)));
    }),
    route(api.searchUsers, r => searchUsers(db, r.actor, r.query.keyword)),
  ];
};
