// API token creation. Only a digest of the token is stored: the token is returned once.
import { apiTokenHintLength, apiTokenSecretLength, toApiTokenText } from '@recordproof/shared/api/api-token-text.ts';
import type { createApiToken as contract } from '@recordproof/shared/api/api-tokens.ts';
import type { BodyOf } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Call } from '../../platform/call.ts';
import { lockInTransaction } from '../../platform/db/lock.ts';
import type { Key, Time, Tx } from '../../platform/db/tables.ts';
import { randomBase62 } from '../../platform/ids.ts';
import type { Server } from '../../platform/server.ts';
import { type AccountRow, permissionsOf } from '../accounts/index.ts';
import { recordAudit } from '../audit/index.ts';
import { digestToken } from './authenticate.ts';
import { findBadLimit, findNextWarning, findTooLong, findTooMany, isAdministrative } from './policy.ts';
import { type ApiTokenRow, countLiveTokens, insertToken } from './queries.ts';

const dayMs = 24 * 3600_000;

type NewToken = BodyOf<typeof contract>;
export type CreatedToken = { readonly token: string; readonly row: ApiTokenRow };

type Owner = Pick<AccountRow, 'id' | 'tenant_id' | 'username'>;
type Dependencies = Pick<Server, 'database' | 'clock' | 'config' | 'freshness'>;

export async function createToken(
  { database, clock, config, freshness }: Dependencies,
  call: Call,
  { findOwner, input }: { readonly findOwner: (tx: Tx) => Promise<AccountRow>; readonly input: NewToken },
): Promise<CreatedToken> {
  const tooLong = findTooLong(input.expiresInDays, config.accounts.apiTokenMaxDays);
  if (tooLong) throw new ApiError('PARAM_IS_INVALID', tooLong);
  // Depends on the body, so the endpoint table cannot say it.
  if (isAdministrative(input.scopes)) await freshness.rejectStale(call.actor);
  return database.db.transaction().execute(async tx => {
    const owner = await findOwner(tx);
    const bad = findBadLimit(input, permissionsOf(owner.role));
    if (bad) throw new ApiError('PARAM_IS_INVALID', bad);
    await lockInTransaction(tx, database.kind, `api-tokens:${owner.id}`);
    const now = clock.now();
    const tooMany = findTooMany(await countLiveTokens(tx, { tenantId: owner.tenant_id, userId: owner.id }, now));
    if (tooMany) throw new ApiError('CONFLICT', tooMany);
    const addition = { ...input, createdBy: call.actor.userId, expiresAt: now + input.expiresInDays * dayMs };
    const created = await addToken(tx, owner, addition, now);
    const { name, scopes, folder, addresses } = input;
    const param = { tokenId: created.row.id, owner: owner.username, scopes, folder: folder ?? null, addresses };
    await recordAudit(tx, call, now, 'api-tokens.create', `API token "${name}" created for ${owner.username}`, param);
    return created;
  });
}

type Addition = Omit<NewToken, 'expiresInDays'> & {
  readonly createdBy: Key;
  readonly expiresAt: Time;
  readonly ruleId?: Key;
};

export async function addToken(tx: Tx, owner: Owner, input: Addition, now: Time): Promise<CreatedToken> {
  const token = toApiTokenText(randomBase62(apiTokenSecretLength));
  const row = await insertToken(tx, {
    tenant_id: owner.tenant_id,
    user_id: owner.id,
    created_by: input.createdBy,
    name: input.name,
    token_digest: digestToken(token),
    hint: token.slice(0, apiTokenHintLength),
    scopes: input.scopes.join(' '),
    folder: input.folder ?? null,
    addresses: input.addresses.join(' '),
    created_at: now,
    expires_at: input.expiresAt,
    revoked_at: null,
    warn_at: findNextWarning(input.expiresAt, now),
    last_used_at: null,
    last_used_from: null,
    rule_id: input.ruleId ?? null,
  });
  return { token, row };
}
