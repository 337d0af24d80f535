// Marks messages as read, never as unread, and never what has not been written yet.
import type { Key } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { appendAudit, type Origin } from '../audit/index.ts';
import { lockSide } from './get-side.ts';
import type { MessagePorts } from './ports.ts';
import { countFromOther, updateSide } from './queries.ts';

export type Reading = {
  readonly actor: Actor;
  readonly conversationId: Key;
  /** The last message that was seen; all that are there when left out. */
  readonly messageId: Key | undefined;
  readonly origin: Origin;
};

/** Answers how many messages are left unread. */
export const readConversation = ({ database, clock }: MessagePorts, reading: Reading): Promise<number> =>
  database.db.transaction().execute(async tx => {
    const { actor, conversationId, messageId, origin } = reading;
    const side = await lockSide(tx, database.kind, actor, conversationId);
    const newest = side.last_message_id ?? 0;
    const through = Math.min(messageId ?? newest, newest);
    if (side.unread === 0 || through <= side.read_through) return side.unread;
    const unread = await countFromOther(tx, side, through);
    await updateSide(tx, side, { unread, read_through: through });
    await appendAudit(
      tx,
      {
        tenantId: actor.tenantId,
        who: actor,
        module: 'messages',
        operation: 'read',
        description: 'messages marked as read',
        param: { conversationId, messageId: through },
        origin,
      },
      clock.now(),
    );
    return unread;
  });
