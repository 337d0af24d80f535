// Routes of api tokens.
import * as api from '@recordproof/shared/api/api-tokens.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Db, Key, Tx } from '../../platform/db/tables.ts';
import { type Request, type Route, route } from '../../platform/http/route.ts';
import { toKey } from '../../platform/ids.ts';
import type { Server } from '../../platform/server.ts';
import { type AccountRow, findAccount, permissionsOf, rejectUnmanageable } from '../accounts/index.ts';
import { lockSession } from '../auth/index.ts';
import { type CreatedToken, createToken } from './create-token.ts';
import { type ApiTokenRow, findToken, listTokens } from './queries.ts';
import { revokeToken } from './revoke-token.ts';
import { toApiTokens } from './views.ts';
import { listedAfterEndMs } from './warn-of-end.ts';

const mostListed = 1000;

async function getUser(db: Db, tenantId: Key, id: string): Promise<AccountRow> {
  const account = await findAccount(db, tenantId, toKey(id));
  if (!account || account.deleted_at !== null) throw new ApiError('USER_NOT_EXIST');
  return account;
}

async function getServiceAccount(db: Db, tenantId: Key, id: string): Promise<AccountRow> {
  const account = await getUser(db, tenantId, id);
  if (account.kind === 'service') return account;
  throw new ApiError('CONFLICT', 'this account belongs to a person, who creates tokens for it: revoking is possible');
}

export function apiTokenRoutes(server: Pick<Server, 'database' | 'clock' | 'config' | 'freshness'>): Route[] {
  const { db } = server.database;
  const show = async (tenantId: Key, row: ApiTokenRow) => {
    const [shown] = await toApiTokens(db, tenantId, [row], server.clock.now());
    return shown as api.ApiToken;
  };
  const list = async ({ actor: { tenantId } }: Request, userId: Key) => {
    const now = server.clock.now();
    const rows = await listTokens(db, { tenantId, userId }, { endedSince: now - listedAfterEndMs, now }, mostListed);
    return toApiTokens(db, tenantId, rows, now);
  };
  const answer = async ({ actor }: Request, { token, row }: CreatedToken) => ({
    token,
    apiToken: await show(actor.tenantId, row),
  });
  return [
    route(api.createApiToken, async r => {
      // A session that is ended meanwhile leaves no token behind.
      const findOwner = async (tx: Tx) => {
        const owner = await lockSession(tx, r.actor);
        return { owner, permissions: permissionsOf(owner.role) };
      };
      return answer(r, await createToken(server, r, { findOwner, input: r.body }));
    }),
    route(api.listApiTokens, r => list(r, r.actor.userId)),
    route(api.getApiToken, async r => {
      const row = await findToken(db, r.actor, toKey(r.params.id));
      if (!row) throw new ApiError('NOT_FOUND', 'no such API token');
      return show(r.actor.tenantId, row);
    }),
    route(api.revokeApiToken, async r => {
      const revoked = await revokeToken(server, r, { userId: r.actor.userId, id: toKey(r.params.id) });
      return show(r.actor.tenantId, revoked);
    }),
    route(api.listTokensOfUser, async r => list(r, (await getUser(db, r.actor.tenantId, r.params.id)).id)),
    route(api.createServiceToken, async r => {
      const findOwner = async (tx: Db) => {
        const owner = await getServiceAccount(tx, r.actor.tenantId, r.params.id);
        return { owner, permissions: permissionsOf(owner.role) };
      };
      return answer(r, await createToken(server, r, { findOwner, input: r.body }));
    }),
    route(api.revokeTokenOfUser, async r => {
      const account = await getUser(db, r.actor.tenantId, r.params.id);
      rejectUnmanageable(r, account);
      const revoked = await revokeToken(server, r, { userId: account.id, id: toKey(r.params.tokenId) });
      return show(r.actor.tenantId, revoked);
    }),
  ];
}
