// What an owner and a tenant may store. Looked at when an upload starts, and decided, under the lock of the counters, in
// the transaction that makes a file count.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Db, Key, Tx } from '../../platform/db/tables.ts';
import { changeUsage, findUsage, type UsageChange, wholeTenant } from './queries.ts';

export type Quota = {
  /** SHADOW lets everything in and says so; ENFORCE refuses. */
  readonly mode: 'SHADOW' | 'ENFORCE';
  readonly userBytes: number;
  readonly userFiles: number;
  readonly tenantBytes: number;
  readonly tenantFiles: number;
};

type Figures = { readonly files: number; readonly bytes: number };

/** A sentence when the figures are past their limits. Pure. */
export function findExcess(quota: Quota, whose: 'user' | 'tenant', used: Figures): string | null {
  const [maxBytes, maxFiles] =
    whose === 'user' ? [quota.userBytes, quota.userFiles] : [quota.tenantBytes, quota.tenantFiles];
  const subject = whose === 'user' ? 'your storage quota' : 'the storage quota of the tenant';
  if (used.bytes > maxBytes) return `${subject} is ${maxBytes} bytes; with this file ${used.bytes} would be used`;
  if (used.files > maxFiles) return `${subject} is ${maxFiles} files; with this file there would be ${used.files}`;
  return null;
}

/** Throws where the mode is ENFORCE; else answers what should be logged. */
function judge(quota: Quota, excess: string | null): string | null {
  if (excess !== null && quota.mode === 'ENFORCE') throw new ApiError('QUOTA_EXCEEDED', excess);
  return excess;
}

/** Would a file of this size, or so many of them, fit now? Answers a warning to log in mode SHADOW, throws QUOTA_EXCEEDED in mode ENFORCE. */
export async function checkQuota(
  db: Db,
  quota: Quota,
  owner: { readonly tenantId: Key; readonly ownerId: Key },
  bytes: number,
  files = 1,
): Promise<string | null> {
  const [user, tenant] = await Promise.all([
    findUsage(db, owner.tenantId, owner.ownerId),
    findUsage(db, owner.tenantId, wholeTenant),
  ]);
  const after = (used: Figures | null) => ({ files: (used?.files ?? 0) + files, bytes: (used?.bytes ?? 0) + bytes });
  return judge(quota, findExcess(quota, 'user', after(user)) ?? findExcess(quota, 'tenant', after(tenant)));
}

/** Counts what is added. The counters are locked in one order everywhere: owner, then tenant. */
export async function useUp(
  tx: Tx,
  quota: Quota,
  owner: { readonly tenantId: Key; readonly ownerId: Key },
  change: UsageChange,
): Promise<string | null> {
  const user = await changeUsage(tx, owner, change);
  const tenant = await changeUsage(tx, { tenantId: owner.tenantId, ownerId: wholeTenant }, change);
  return judge(quota, findExcess(quota, 'user', user) ?? findExcess(quota, 'tenant', tenant));
}

export async function giveBack(
  tx: Tx,
  owner: { readonly tenantId: Key; readonly ownerId: Key },
  change: UsageChange,
): Promise<void> {
  const less = { files: -change.files, bytes: -change.bytes, latestFiles: -change.latestFiles };
  await changeUsage(tx, owner, less);
  await changeUsage(tx, { tenantId: owner.tenantId, ownerId: wholeTenant }, less);
}
