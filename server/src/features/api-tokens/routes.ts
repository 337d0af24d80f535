// Routes of API tokens.
import * as api from '@recordproof/shared/api/api-tokens.ts';
import type { Permission } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { toIso, toIsoOrNull } from '../../platform/clock.ts';
import type { Db, Key, Time, Tx } from '../../platform/db/tables.ts';
import { type Request, type Route, route } from '../../platform/http/route.ts';
import { toKey, toWireId } from '../../platform/ids.ts';
import type { Server } from '../../platform/server.ts';
import { type AccountRow, getAccount, listUsernames, rejectUnmanageable } from '../accounts/index.ts';
import { lockSession } from '../auth/index.ts';
import { type CreatedToken, createToken } from './create-token.ts';
import { type ApiTokenRow, findToken, listTokens } from './queries.ts';
import { noSuchToken, revokeToken } from './revoke-token.ts';
import { listedAfterEndMs } from './warn-of-end.ts';

const stateOf = (row: ApiTokenRow, now: Time): api.ApiToken['state'] =>
  row.revoked_at !== null ? 'REVOKED' : row.expires_at <= now ? 'EXPIRED' : 'ACTIVE';

const split = (text: string): string[] => (text === '' ? [] : text.split(' '));

async function toApiTokens(db: Db, tenantId: Key, rows: readonly ApiTokenRow[], now: Time): Promise<api.ApiToken[]> {
  const names = await listUsernames(db, tenantId, [...new Set(rows.map(row => row.created_by))]);
  return rows.map(row => ({
    id: toWireId(row.id),
    name: row.name,
    hint: row.hint,
    state: stateOf(row, now),
    scopes: split(row.scopes) as Permission[],
    folder: row.folder,
    addresses: split(row.addresses),
    createdAt: toIso(row.created_at),
    createdBy: names.get(row.created_by) ?? '',
    expiresAt: toIso(row.expires_at),
    lastUsedAt: toIsoOrNull(row.last_used_at),
    lastUsedFrom: row.last_used_from,
  }));
}

const mostListed = 1000;

const getUser = (db: Db, tenantId: Key, id: string): Promise<AccountRow> => getAccount(db, tenantId, toKey(id));

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
      const findOwner = (tx: Tx) => lockSession(tx, r.actor);
      return answer(r, await createToken(server, r, { findOwner, input: r.body }));
    }),
    route(api.listApiTokens, r => list(r, r.actor.userId)),
    route(api.getApiToken, async r => {
      const id = toKey(r.params.id);
      const row = await findToken(db, r.actor, id);
      if (!row) throw noSuchToken(id);
      return show(r.actor.tenantId, row);
    }),
    route(api.revokeApiToken, async r => {
      const revoked = await revokeToken(server, r, { userId: r.actor.userId, id: toKey(r.params.id) });
      return show(r.actor.tenantId, revoked);
    }),
    route(api.listTokensOfUser, async r => list(r, (await getUser(db, r.actor.tenantId, r.params.id)).id)),
    route(api.createServiceToken, async r => {
      const findOwner = (tx: Tx) => getServiceAccount(tx, r.actor.tenantId, r.params.id);
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
