// Marking messages as read; never as unread, and never beyond the newest message.
import type { Call } from '../../platform/call.ts';
import type { Key } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import { recordAudit } from '../audit/index.ts';
import { lockSide } from './get-side.ts';
import { countFromOther, updateSide } from './queries.ts';

type Reading = {
  readonly conversationId: Key;
  /** The last message seen; default: the newest. */
  readonly messageId: Key | undefined;
};

/** Returns how many messages remain unread. */
export const readConversation = (
  { database, clock }: Pick<Server, 'database' | 'clock'>,
  call: Call,
  { conversationId, messageId }: Reading,
): Promise<number> =>
  database.db.transaction().execute(async tx => {
    const side = await lockSide(tx, database.kind, call.actor, conversationId);
    const newest = side.last_message_id ?? 0;
    const through = Math.min(messageId ?? newest, newest);
    if (side.unread === 0 || through <= side.read_through) return side.unread;
    const unread = await countFromOther(tx, side, through);
    await updateSide(tx, side, { unread, read_through: through });
    const param = { conversationId, messageId: through };
    await recordAudit(tx, call, clock.now(), 'messages.read', 'messages marked as read', param);
    return unread;
  });
