// Sending a message to a friend. Rejected once the friendship has ended; earlier messages stay.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Call } from '../../platform/call.ts';
import { toWireId } from '../../platform/ids.ts';
import type { Server } from '../../platform/server.ts';
import { displayName } from '../accounts/index.ts';
import { recordAudit } from '../audit/index.ts';
import { notify } from '../events/index.ts';
import { getFriend, lockFriendship } from '../friends/index.ts';
import { type Content, checkContent, toPreview } from './content.ts';
import { addMessage, lockConversation, type MessageRow, openConversation } from './queries.ts';

type Letter = Content & { readonly receiverId: string };

export const sendMessage = (
  { database, clock }: Pick<Server, 'database' | 'clock'>,
  call: Call,
  letter: Letter,
): Promise<MessageRow> =>
  database.db.transaction().execute(async tx => {
    const { actor } = call;
    const { receiverId, contentType, content } = letter;
    const { tenantId, userId } = actor;
    if (receiverId === actor.externalId) throw new ApiError('CANNOT_MESSAGE_SELF');
    const { friend_id: friendId } = await getFriend(tx, actor, receiverId);
    await lockFriendship(tx, database.kind, actor, friendId);
    const fileName = await checkContent(tx, actor, letter);
    await lockConversation(tx, database.kind, userId, friendId);
    const now = clock.now();
    const conversationId = await openConversation(tx, { tenantId, people: [userId, friendId] }, now);
    const keys = { tenant_id: tenantId, conversation_id: conversationId, sender_id: userId };
    const message = await addMessage(tx, { ...keys, content_type: contentType, content, file_name: fileName }, now);
    const param = { messageId: message.id, conversationId, contentType };
    await recordAudit(tx, call, now, 'messages.send', 'message sent', param);
    const payload = {
      messageId: toWireId(message.id),
      conversationId: toWireId(conversationId),
      senderId: actor.externalId,
      senderName: displayName(actor),
      preview: toPreview(message),
    };
    await notify(tx, { tenantId, to: { kind: 'users', userIds: [friendId] }, type: 'message-received', payload }, now);
    return message;
  });
