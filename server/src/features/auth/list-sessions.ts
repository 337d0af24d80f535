// Sessions of the own account: list, end one, end all others.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { LiveSession } from '@recordproof/shared/api/sessions.ts';
import type { Call } from '../../platform/call.ts';
import { toIso } from '../../platform/clock.ts';
import type { Key } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { toWireId } from '../../platform/ids.ts';
import type { Server } from '../../platform/server.ts';
import { recordAudit } from '../audit/index.ts';
import { endSession } from './change-session.ts';
import { findSessionById, listLiveSessions, listOtherTokens, type SessionRow } from './session-queries.ts';

const toLiveSession = (row: SessionRow, { tokenId }: Pick<Actor, 'tokenId'>): LiveSession => ({
  id: toWireId(row.id),
  device: row.device,
  address: row.address,
  createdAt: toIso(row.created_at),
  lastUsedAt: toIso(row.last_used_at),
  expiresAt: toIso(row.expires_at),
  current: row.token_id === tokenId,
});

export async function listSessions(
  { database, clock, sessionUses }: Pick<Server, 'database' | 'clock' | 'sessionUses'>,
  { actor }: Call,
): Promise<LiveSession[]> {
  await sessionUses.flush();
  return (await listLiveSessions(database.db, actor, clock.now())).map(row => toLiveSession(row, actor));
}

type Ending = Pick<Server, 'database' | 'clock' | 'tokens'>;

export async function endOneSession({ database, clock, tokens }: Ending, call: Call, id: Key): Promise<void> {
  await database.db.transaction().execute(async tx => {
    const now = clock.now();
    const row = await findSessionById(tx, call.actor, id);
    if (row === null) throw new ApiError('NOT_FOUND', 'this session has ended already');
    const { tenantId, userId } = call.actor;
    await endSession(tx, tokens, { tenantId, userId, tokenId: row.token_id }, now);
    const param = { device: row.device, address: row.address };
    await recordAudit(tx, call, now, 'auth.end-session', 'session ended by its owner', param);
  });
}

export async function endOtherSessions({ database, clock, tokens }: Ending, call: Call): Promise<{ ended: number }> {
  return database.db.transaction().execute(async tx => {
    const now = clock.now();
    const others = await listOtherTokens(tx, call.actor);
    const { tenantId, userId } = call.actor;
    for (const tokenId of others) await endSession(tx, tokens, { tenantId, userId, tokenId }, now);
    await recordAudit(tx, call, now, 'auth.end-other-sessions', 'every other session ended by the owner', {
      ended: others.length,
    });
    return { ended: others.length };
  });
}
