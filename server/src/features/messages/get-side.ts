// Look-up of one side of a conversation, with access check.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Engine } from '../../platform/db/open-db.ts';
import type { Db, Key, Tx } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { findShownSide, lockConversation, type SideRow } from './queries.ts';

/** A conversation as the caller sees it; throws CONVERSATION_NOT_FOUND for others, and once it is deleted. */
export async function getSide(db: Db, { tenantId, userId }: Actor, conversationId: Key): Promise<SideRow> {
  const side = await findShownSide(db, { tenantId, userId, conversationId });
  if (!side) throw new ApiError('CONVERSATION_NOT_FOUND');
  return side;
}

/** The same, with the conversation locked until the end of the transaction. */
export async function lockSide(tx: Tx, engine: Engine, actor: Actor, conversationId: Key): Promise<SideRow> {
  const side = await getSide(tx, actor, conversationId);
  await lockConversation(tx, engine, side.user_id, side.other_id);
  return getSide(tx, actor, conversationId);
}
