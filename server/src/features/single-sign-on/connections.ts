// Connected providers of an account: listed and removed by its owner.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Connection } from '@recordproof/shared/api/single-sign-on.ts';
import type { Call } from '../../platform/call.ts';
import { toIso, toIsoOrNull } from '../../platform/clock.ts';
import type { Key } from '../../platform/db/tables.ts';
import { toWireId } from '../../platform/ids.ts';
import type { Server } from '../../platform/server.ts';
import { recordAudit } from '../audit/index.ts';
import { lockSession } from '../auth/index.ts';
import type { Providers } from './providers.ts';
import { deleteIdentity, listIdentities } from './queries.ts';

type Dependencies = Pick<Server, 'database' | 'clock'> & { readonly providers: Providers };

export async function listConnections({ database, providers }: Dependencies, { actor }: Call): Promise<Connection[]> {
  const rows = await listIdentities(database.db, actor.tenantId, actor.userId);
  return rows.map(row => ({
    id: toWireId(row.id),
    provider: row.provider,
    title: providers.find(row.provider)?.settings.title ?? row.provider,
    connectedAt: toIso(row.created_at),
    lastUsedAt: toIsoOrNull(row.last_used_at),
    isOnly: row.is_origin === 1,
  }));
}

export const removeConnection = ({ database, clock }: Dependencies, call: Call, id: Key): Promise<void> =>
  database.db.transaction().execute(async tx => {
    const { tenantId, userId } = call.actor;
    await lockSession(tx, call.actor);
    const removed = await deleteIdentity(tx, tenantId, userId, id);
    if (!removed) throw new ApiError('NOT_FOUND', `this account has no connection ${id}: list them`);
    if (removed.is_origin === 1)
      throw new ApiError('CONFLICT', 'this provider created the account, which has no password: it stays connected');
    const { provider, issuer } = removed;
    await recordAudit(tx, call, clock.now(), 'single-sign-on.disconnect', `disconnected from ${provider}`, {
      provider,
      issuer,
    });
  });
