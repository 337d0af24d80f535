// Trust rules of a service account: a program that presents a token of the named issuer, with the named claims, gets an
// access token of the account instead of a stored secret. Created and deleted by administrators.
import type { BodyOf } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { type createTrustRule as contract, mostTrustRules } from '@recordproof/shared/api/workload-identity.ts';
import type { Call } from '../../platform/call.ts';
import { lockInTransaction } from '../../platform/db/lock.ts';
import type { Db, Key } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import { type AccountRow, getAccount, permissionsOf } from '../accounts/index.ts';
import { findBadLimit, isAdministrative, revokeTokensOfRule } from '../api-tokens/index.ts';
import { recordAudit } from '../audit/index.ts';
import { findBadIssuer } from './policy.ts';
import { deleteRule, insertRule, listRules, type RuleRow } from './queries.ts';

type Dependencies = Pick<Server, 'database' | 'clock'>;

export async function getServiceAccount(tx: Db, tenantId: Key, id: Key): Promise<AccountRow> {
  const account = await getAccount(tx, tenantId, id);
  if (account.kind !== 'service') throw new ApiError('CONFLICT', 'trust rules are for service accounts');
  return account;
}

export async function createTrustRule(
  { database, clock, freshness }: Pick<Server, 'database' | 'clock' | 'freshness'>,
  call: Call,
  { accountId, input }: { readonly accountId: Key; readonly input: BodyOf<typeof contract> },
): Promise<RuleRow> {
  const badIssuer = findBadIssuer(input.issuer);
  if (badIssuer) throw new ApiError('PARAM_IS_INVALID', `issuer: ${badIssuer}`);
  if (isAdministrative(input.scopes)) await freshness.rejectStale(call.actor);
  const { tenantId, userId } = call.actor;
  return database.db.transaction().execute(async tx => {
    const account = await getServiceAccount(tx, tenantId, accountId);
    const bad = findBadLimit(input, permissionsOf(account.role));
    if (bad) throw new ApiError('PARAM_IS_INVALID', bad);
    await lockInTransaction(tx, database.kind, `trust-rules:${accountId}`);
    if ((await listRules(tx, { tenantId, userId: accountId })).length >= mostTrustRules)
      throw new ApiError('CONFLICT', `an account has at most ${mostTrustRules} trust rules`);
    const now = clock.now();
    const { name, issuer, audience, claims, scopes, folder = null, addresses } = input;
    const row = await insertRule(tx, {
      ...{ tenant_id: tenantId, user_id: accountId, created_by: userId, name, issuer, audience, folder },
      claims: JSON.stringify(claims),
      scopes: scopes.join(' '),
      addresses: addresses.join(' '),
      created_at: now,
    });
    const param = { ruleId: row.id, owner: account.username, issuer, audience, claims, scopes, folder };
    const text = `trust rule "${name}" created for ${account.username}`;
    await recordAudit(tx, call, now, 'workload-identity.create-rule', text, param);
    return row;
  });
}

export const deleteTrustRule = (
  { database, clock }: Dependencies,
  call: Call,
  { accountId, id }: { readonly accountId: Key; readonly id: Key },
): Promise<void> =>
  database.db.transaction().execute(async tx => {
    const { tenantId } = call.actor;
    const account = await getServiceAccount(tx, tenantId, accountId);
    const rule = await deleteRule(tx, { tenantId, userId: accountId }, id);
    if (!rule) throw new ApiError('NOT_FOUND', `${account.username} has no trust rule ${id}: list its trust rules`);
    const now = clock.now();
    await revokeTokensOfRule(tx, { tenantId, userId: accountId }, id, now);
    const text = `trust rule "${rule.name}" of ${account.username} deleted`;
    await recordAudit(tx, call, now, 'workload-identity.delete-rule', text, { ruleId: id });
  });
