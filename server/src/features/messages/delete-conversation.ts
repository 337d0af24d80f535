// Deletion of a conversation on one side. Messages deleted on both sides are purged later, in batches.
import type { Call } from '../../platform/call.ts';
import type { Key } from '../../platform/db/tables.ts';
import { enqueue, exponentialBackoff, type JobHandler } from '../../platform/jobs/jobs.ts';
import type { Server } from '../../platform/server.ts';
import { recordAudit } from '../audit/index.ts';
import { lockSide } from './get-side.ts';
import { listSides, removeMessages, updateSide } from './queries.ts';

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
