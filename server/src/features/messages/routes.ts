import { parseSort, toPage } from '@recordproof/shared/api/common.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import * as api from '@recordproof/shared/api/messages.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { toKey } from '../../platform/ids.ts';
import { originOf } from '../audit/index.ts';
import { deleteConversation } from './delete-conversation.ts';
import { getSide } from './get-side.ts';
import type { MessagePorts } from './ports.ts';
import { findShownMessage, listShownMessages, listShownSides, sumUnread } from './queries.ts';
import { readConversation } from './read-conversation.ts';
import { sendMessage } from './send-message.ts';
import { toConversationViews, toMessageView, toMessageViews } from './views.ts';

const toPageRequest = (query: { page: number; size: number; sort: string }) => ({
  ...query,
  direction: parseSort(query.sort).direction,
});

const toKeyOrNone = (wireId: string | undefined) => (wireId === undefined ? undefined : toKey(wireId));

export const messageRoutes = (ports: MessagePorts): Route[] => {
  const { db } = ports.database;
  return [
    route(api.sendMessage, async r => {
      const letter = { ...r.body, actor: r.actor, origin: originOf(r) };
      return toMessageView(db, await sendMessage(ports, letter));
    }),
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
      const { rows, total } = await listShownSides(db, tenantId, userId, toPageRequest(r.query));
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
      const page = { ...toPageRequest(r.query), before: toKeyOrNone(r.query.before) };
      const { rows, total } = await listShownMessages(db, side, page);
      return toPage(await toMessageViews(db, r.actor.tenantId, rows), total, r.query);
    }),
    route(api.readConversation, async r => {
      const { actor, params, body } = r;
      const reading = { actor, conversationId: toKey(params.id), messageId: toKeyOrNone(body?.messageId) };
      return { count: await readConversation(ports, { ...reading, origin: originOf(r) }) };
    }),
    route(api.deleteConversation, async r => {
      await deleteConversation(ports, r.actor, toKey(r.params.id), originOf(r));
      return null;
    }),
  ];
};
