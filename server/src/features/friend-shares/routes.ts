// Routes of friend shares.
import { type PageRequest, toPage } from '@recordproof/shared/api/common.ts';
import * as api from '@recordproof/shared/api/friend-shares.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { plainRoute, type Route, route } from '../../platform/http/route.ts';
import { toKey } from '../../platform/ids.ts';
import type { Server } from '../../platform/server.ts';
import { downloadContent, toDownloadMetadata } from '../downloads/index.ts';
import { toFileViews } from '../files/index.ts';
import { cancelShare } from './cancel-share.ts';
import { getReceivedShare, getSharedFile, getVisibleShare } from './get-share.ts';
import { countUnread, listFriendShares } from './queries.ts';
import { readShare, saveFiles } from './receive-share.ts';
import { shareFiles } from './share-files.ts';
import { toShareDetails, toShareView, toShareViews } from './views.ts';

export const friendShareRoutes = (server: Server): Route[] => {
  const { db } = server.database;
  const list = async ({ tenantId, userId }: Actor, side: 'sharer_id' | 'friend_id', query: PageRequest) => {
    const { rows, total } = await listFriendShares(db, { tenantId, side, userId }, query);
    return toPage(await toShareViews(db, tenantId, rows), total, query);
  };
  const getFile = async (actor: Actor, { id, fileHash }: { id: string; fileHash: string }) => {
    const share = await getReceivedShare(db, actor, toKey(id));
    return { share, file: await getSharedFile(db, share, fileHash) };
  };
  return [
    route(api.shareWithFriend, async r => {
      const { message = '', ...input } = r.body;
      return toShareView(db, await shareFiles(server, r, { ...input, message }));
    }),
    route(api.listReceivedShares, r => list(r.actor, 'friend_id', r.query)),
    route(api.listSentShares, r => list(r.actor, 'sharer_id', r.query)),
    route(api.countUnreadShares, async ({ actor }) => ({
      count: await countUnread(db, actor.tenantId, actor.userId),
    })),
    route(api.getFriendShare, async r => toShareDetails(db, await getVisibleShare(db, r.actor, toKey(r.params.id)))),
    route(api.readFriendShare, async r => toShareView(db, await readShare(server, r, toKey(r.params.id)))),
    route(api.cancelFriendShare, r => cancelShare(server, r, toKey(r.params.id))),
    plainRoute(api.downloadFriendFile, async r => {
      const { share, file } = await getFile(r.actor, r.params);
      const recipient = { type: 'FRIEND_SHARE', id: share.gift_id } as const;
      return downloadContent(server, r, { http: r, file, recipient });
    }),
    route(api.friendDownloadMetadata, async r => toDownloadMetadata(server, (await getFile(r.actor, r.params)).file)),
    route(api.saveFriendFiles, async r => {
      const { actor, params, body, headers, signal } = r;
      const userAgent = headers['user-agent'] ?? null;
      const saving = { shareId: toKey(params.id), fileHashes: body.fileHashes, userAgent, signal };
      return toFileViews(db, actor, await saveFiles(server, r, saving));
    }),
  ];
};
