// One side of a conversation: look-up with access check, marking as read, deletion. Messages deleted on both sides are
// purged later, in batches.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Call } from '../../platform/call.ts';
import type { Engine } from '../../platform/db/open-db.ts';
import type { Db, Key, Tx } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { enqueue, exponentialBackoff, type JobHandler } from '../../platform/jobs/jobs.ts';
import type { Server } from '../../platform/server.ts';
import { recordAudit } from '../audit/index.ts';
import {
  countFromOther,
  findShownSide,
  listSides,
  lockConversation,
  removeMessages,
  type SideRow,
  updateSide,
} from './queries.ts';

/** A conversation as the caller sees it; throws CONVERSATION_NOT_FOUND for others, and once it is deleted. */
export async function getSide(db: Db, { tenantId, userId }: Actor, conversationId: Key): Promise<SideRow> {
  const side = await findShownSide(db, { tenantId, userId, conversationId });
  if (!side) throw new ApiError('CONVERSATION_NOT_FOUND');
  return side;
}

/** The same, with the conversation locked until the end of the transaction. */
async function lockSide(tx: Tx, engine: Engine, actor: Actor, conversationId: Key): Promise<SideRow> {
  const side = await getSide(tx, actor, conversationId);
  await lockConversation(tx, engine, side.user_id, side.other_id);
  return getSide(tx, actor, conversationId);
}

type Reading = {
  readonly conversationId: Key;
  /** The last message seen; default: the newest. */
  readonly messageId: Key | undefined;
};

/** Never marks as unread, and never beyond the newest message. Returns how many messages remain unread. */
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

const purgeJobKind = 'messages.purge';
const batch = 1000;

export const deleteConversation = (
  { database, clock }: Pick<Server, 'database' | 'clock'>,
  call: Call,
  conversationId: Key,
): Promise<void> =>
  database.db.transaction().execute(async tx => {
    const side = await lockSide(tx, database.kind, call.actor, conversationId);
    const newest = side.last_message_id ?? 0;
    await updateSide(tx, side, { unread: 0, read_through: newest, cleared_through: newest, last_message_id: null });
    await recordAudit(tx, call, clock.now(), 'messages.delete-conversation', 'conversation deleted on one side', {
      conversationId,
    });
    const uniqueKey = `${purgeJobKind}:${conversationId}`;
    await enqueue(tx, { kind: purgeJobKind, payload: { conversationId }, uniqueKey }, clock.now());
  });

/** Deletes messages that neither side can see any more. */
export const purgeMessages = ({ database }: Pick<Server, 'database'>): JobHandler => ({
  kind: purgeJobKind,
  leaseSeconds: 60,
  maxAttempts: 10,
  backoffSeconds: exponentialBackoff(10, 600),
  run: async ({ payload, signal }) => {
    const conversationId = payload.conversationId as Key;
    const sides = await listSides(database.db, conversationId);
    const through = Math.min(...sides.map(side => side.cleared_through));
    const removeSome = () =>
      database.db.transaction().execute(tx => removeMessages(tx, conversationId, through, batch));
    while ((await removeSome()) === batch) signal.throwIfAborted(); // the next worker continues
  },
});
