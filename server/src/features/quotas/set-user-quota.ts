// Quota of one account, set by an administrator. It applies from the next stored file on.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { UserQuota } from '@recordproof/shared/api/user-quotas.ts';
import type { Call } from '../../platform/call.ts';
import type { Db, Key } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import { findAccount } from '../accounts/index.ts';
import { recordAudit } from '../audit/index.ts';
import { findUsage, setUsageLimits, type UsageLimits, type UsageRow } from './queries.ts';
import { type Quota, toQuotaView, toUserLimits } from './quota.ts';

const toLimits = (row: UsageRow | null): UsageLimits => ({
  maxBytes: row?.max_bytes ?? null,
  maxFiles: row?.max_files ?? null,
});

function toAnswer(quota: Quota, row: UsageRow | null): UserQuota {
  const { maxBytes, maxFiles } = toUserLimits(quota, row);
  const user = toQuotaView(row, maxBytes, maxFiles);
  return { mode: quota.mode, user, own: toLimits(row) };
}

async function getAccount(db: Db, tenantId: Key, accountId: Key) {
  const account = await findAccount(db, tenantId, accountId);
  if (!account) throw new ApiError('USER_NOT_EXIST');
  return account;
}

export async function getUserQuota(db: Db, quota: Quota, tenantId: Key, accountId: Key): Promise<UserQuota> {
  await getAccount(db, tenantId, accountId);
  return toAnswer(quota, await findUsage(db, tenantId, accountId));
}

type Change = { readonly accountId: Key; readonly limits: UsageLimits; readonly reason: string | undefined };

export const setUserQuota = (
  { database, clock, config }: Pick<Server, 'database' | 'clock' | 'config'>,
  call: Call,
  { accountId, limits, reason }: Change,
): Promise<UserQuota> =>
  database.db.transaction().execute(async tx => {
    const { tenantId } = call.actor;
    const { username } = await getAccount(tx, tenantId, accountId);
    const from = toLimits(await findUsage(tx, tenantId, accountId));
    const row = await setUsageLimits(tx, { tenantId, ownerId: accountId }, limits);
    const param = { accountId, from, to: limits, reason: reason ?? null };
    await recordAudit(tx, call, clock.now(), 'files.set-quota', `quota of ${username} changed`, param);
    return toAnswer(config.quota, row);
  });
