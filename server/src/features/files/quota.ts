// What an owner and a tenant may store. Looked at when an upload starts, and decided, under the lock of the counters, in
// the transaction that makes a file count.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Db, Key, Tx } from '../../platform/db/tables.ts';
import { changeUsage, findUsage, type OwnerUsage, type UsageChange, wholeTenant } from './queries.ts';

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
function findExcess(quota: Quota, whose: 'user' | 'tenant', used: Figures): string | null {
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

/** What a file uses up. */
export type Use = {
  readonly tenantId: Key;
  readonly ownerId: Key;
  readonly bytes: number;
  readonly latestFiles: number;
};

/** Past the quota, which is only watched. */
export type Warning = { readonly tenant: Key; readonly user: Key; readonly sentence: string };

/** Counts what is added. The counters are locked in one order everywhere: owners, then tenants. */
export async function useUp(tx: Tx, quota: Quota, uses: readonly Use[], day: number): Promise<readonly Warning[]> {
  const ofOwners = addUp(uses, day);
  const ofTenants = addUp(
    uses.map(use => ({ ...use, ownerId: wholeTenant })),
    day,
  );
  const warnings: Warning[] = [];
  for (const used of await changeUsage(tx, [...ofOwners, ...ofTenants])) {
    const sentence = judge(quota, findExcess(quota, used.owner_id === wholeTenant ? 'tenant' : 'user', used));
    if (sentence !== null) warnings.push({ tenant: used.tenant_id, user: used.owner_id, sentence });
  }
  return warnings;
}

/** One change for each owner, in the order of their ids. */
function addUp(uses: readonly Use[], day: number): OwnerUsage[] {
  const byOwner = Map.groupBy(uses, ({ tenantId, ownerId }) => `${tenantId} ${ownerId}`);
  const changes = [...byOwner.values()].map(some => {
    const { tenantId, ownerId } = some[0] as Use;
    const sum = (of: (use: Use) => number) => some.reduce((total, use) => total + of(use), 0);
    const uploads = { day, count: some.length };
    const change = {
      files: some.length,
      bytes: sum(use => use.bytes),
      latestFiles: sum(use => use.latestFiles),
      uploads,
    };
    return { tenantId, ownerId, change };
  });
  return changes.sort((a, b) => a.tenantId - b.tenantId || a.ownerId - b.ownerId);
}

export async function giveBack(
  tx: Tx,
  { tenantId, ownerId }: { readonly tenantId: Key; readonly ownerId: Key },
  { files, bytes, latestFiles }: UsageChange,
): Promise<void> {
  const change = { files: -files, bytes: -bytes, latestFiles: -latestFiles };
  await changeUsage(tx, [
    { tenantId, ownerId, change },
    { tenantId, ownerId: wholeTenant, change },
  ]);
}
