// Routes of messages.
import { toPage } from '@recordproof/shared/api/common.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import * as api from '@recordproof/shared/api/messages.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { toKey } from '../../platform/ids.ts';
import type { Server } from '../../platform/server.ts';
import { deleteConversation, getSide, readConversation } from './conversation.ts';
import { findShownMessage, listShownMessages, listShownSides, sumUnread } from './queries.ts';
import { sendMessage } from './send-message.ts';
import { toConversationViews, toMessageView, toMessageViews } from './views.ts';

const toKeyOrNone = (wireId: string | undefined) => (wireId === undefined ? undefined : toKey(wireId));

export const messageRoutes = (server: Pick<Server, 'database' | 'clock'>): Route[] => {
  const { db } = server.database;
  return [
    route(api.sendMessage, async r => toMessageView(db, await sendMessage(server, r, r.body))),
    route(api.getMessage, async r => {
      const { tenantId, userId } = r.actor;
      const message = await findShownMessage(db, tenantId, userId, toKey(r.params.id));
      if (!message) throw new ApiError('MESSAGE_NOT_FOUND');
      return toMessageView(db, message);
    }),
    route(api.countUnreadMessages, async ({ actor }) => ({
      count: await sumUnread(db, actor.tenantId, actor.userId),
    })),
    route(api.listConversations, async r => {
      const { tenantId, userId } = r.actor;
      const { rows, total } = await listShownSides(db, tenantId, userId, r.query);
      return toPage(await toConversationViews(db, r.actor, rows), total, r.query);
    }),
    route(api.getConversation, async r => {
      const side = await getSide(db, r.actor, toKey(r.params.id));
      const [view] = await toConversationViews(db, r.actor, [side]);
      if (!view) throw new ApiError('CONVERSATION_NOT_FOUND');
      return view;
    }),
    route(api.listMessages, async r => {
      const side = await getSide(db, r.actor, toKey(r.params.id));
      const page = { ...r.query, before: toKeyOrNone(r.query.before) };
      const { rows, total } = await listShownMessages(db, side, page);
      return toPage(await toMessageViews(db, r.actor.tenantId, rows), total, r.query);
    }),
    route(api.readConversation, async r => {
      const reading = { conversationId: toKey(r.params.id), messageId: toKeyOrNone(r.body.messageId) };
      return { count: await readConversation(server, r, reading) };
    }),
    route(api.deleteConversation, r => deleteConversation(server, r, toKey(r.params.id))),
  ];
};
