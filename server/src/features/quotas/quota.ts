// Storage quotas of owners and tenants. Checked when an upload starts, and enforced, under the lock of the counters, at
// the end of the transaction that stores a file. Nothing is reserved: the check at the start compares with the usage of
// stored files, and usage is added when a file is stored.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { type DeferredWrites, deferToCommit } from '../../platform/db/deferred-writes.ts';
import type { Db, Key, Tx } from '../../platform/db/tables.ts';
import type { Owner } from '../../platform/http/caller.ts';
import type { LogPort } from '../../platform/log-port.ts';
import { changeUsage, findUsages, type OwnerUsage, type UsageRow, wholeTenant } from './queries.ts';

export type Quota = {
  /** SHADOW permits everything and logs; ENFORCE rejects. */
  readonly mode: 'SHADOW' | 'ENFORCE';
  readonly userBytes: number;
  readonly userFiles: number;
  readonly tenantBytes: number;
  readonly tenantFiles: number;
};

type Figures = Partial<Pick<UsageRow, 'trash_files' | 'trash_bytes'>> & {
  readonly files: number;
  readonly bytes: number;
} & OwnLimits;
type OwnLimits = Partial<Pick<UsageRow, 'max_bytes' | 'max_files'>>;

/** The account's own limits, else those of the server. */
export const toUserLimits = (quota: Quota, row: OwnLimits | null) => ({
  maxBytes: row?.max_bytes ?? quota.userBytes,
  maxFiles: row?.max_files ?? quota.userFiles,
});

/** Describes figures over their limits. Pure. */
function findExcess(quota: Quota, whose: 'user' | 'tenant', used: Figures): string | null {
  const { maxBytes, maxFiles } =
    whose === 'user' ? toUserLimits(quota, used) : { maxBytes: quota.tenantBytes, maxFiles: quota.tenantFiles };
  const subject = whose === 'user' ? 'your storage quota' : 'the storage quota of the tenant';
  const { bytes, files } = toUsed(used);
  const held = used.trash_files ? `, ${used.trash_bytes ?? 0} of them in the trash` : '';
  if (bytes > maxBytes) return `${subject} is ${maxBytes} bytes; with this file ${bytes} would be used${held}`;
  if (files > maxFiles) return `${subject} is ${maxFiles} files; with this file there would be ${files}`;
  return null;
}

/** The figures that count for a quota: stored files and the trash. */
const toUsed = (used: Figures) => ({
  bytes: used.bytes + (used.trash_bytes ?? 0),
  files: used.files + (used.trash_files ?? 0),
});

/** Wire format. */
export function toQuotaView(used: UsageRow | null, maxBytes: number, maxFiles: number) {
  const { bytes: usedBytes, files: usedFiles } = toUsed(used ?? { bytes: 0, files: 0 });
  const trash = { trashBytes: used?.trash_bytes ?? 0, trashFiles: used?.trash_files ?? 0 };
  return { usedBytes, maxBytes, usedFiles, maxFiles, ...trash };
}

/** Throws in mode ENFORCE; otherwise returns the text to log. */
function enforceQuota(quota: Quota, excess: string | null): string | null {
  if (excess !== null && quota.mode === 'ENFORCE') throw new ApiError('QUOTA_EXCEEDED', excess);
  return excess;
}

/**
 * Checks whether files of this size and number would fit now. Returns a warning to log in mode SHADOW, throws
 * QUOTA_EXCEEDED in mode ENFORCE.
 */
export async function checkQuota(db: Db, quota: Quota, owner: Owner, bytes: number, files = 1): Promise<string | null> {
  const { user, tenant } = await findUsages(db, owner);
  const after = (used: Figures | null) => ({
    ...used,
    files: (used?.files ?? 0) + files,
    bytes: (used?.bytes ?? 0) + bytes,
  });
  return enforceQuota(quota, findExcess(quota, 'user', after(user)) ?? findExcess(quota, 'tenant', after(tenant)));
}

/** Change of the usage of an owner: added or released by files. */
export type UsageChange = {
  readonly tenantId: Key;
  readonly ownerId: Key;
  readonly files: number;
  readonly bytes: number;
  readonly latestFiles: number;
  readonly trashFiles?: number;
  readonly trashBytes?: number;
  /** The UTC day of the upload, for uploads. */
  readonly uploadDay?: number;
};

type Count = { readonly changes: readonly UsageChange[]; readonly decide?: (used: UsageRow) => void };

/** The counters of a tenant are one row. Lock order: owners, then tenants. */
const counters: DeferredWrites<Count> = {
  order: 1,
  write: async (tx, _engine, counts) => {
    const ofOwners = counts.flatMap(count => count.changes);
    const ofTenants = ofOwners.map(change => ({ ...change, ownerId: wholeTenant }));
    const usages = await changeUsage(tx, [...addUp(ofOwners), ...addUp(ofTenants)]);
    for (const used of usages) for (const { decide } of counts) decide?.(used);
  },
};

/**
 * Adds usage at the end of the transaction: a quota rejects the commit in mode ENFORCE, and is logged in mode SHADOW.
 */
export const addUsage = (
  tx: Tx,
  quota: Quota,
  changes: readonly UsageChange[],
  log: Pick<LogPort, 'warn'>,
): Promise<void> => {
  const decide = (used: UsageRow) => {
    const sentence = enforceQuota(quota, findExcess(quota, used.owner_id === wholeTenant ? 'tenant' : 'user', used));
    if (sentence !== null) log.warn({ tenant: used.tenant_id, user: used.owner_id }, sentence);
  };
  return deferToCommit(tx, counters, [{ changes, decide }]);
};

/** One change per owner, ordered by id. */
function addUp(parts: readonly UsageChange[]): OwnerUsage[] {
  const byOwner = Map.groupBy(parts, ({ tenantId, ownerId }) => `${tenantId} ${ownerId}`);
  const changes = [...byOwner.values()].map(some => {
    const { tenantId, ownerId } = some[0] as UsageChange;
    const sum = (of: (part: UsageChange) => number) => some.reduce((total, part) => total + of(part), 0);
    const days = some.flatMap(({ uploadDay }) => uploadDay ?? []);
    const change = {
      files: sum(part => part.files),
      bytes: sum(part => part.bytes),
      latestFiles: sum(part => part.latestFiles),
      trashFiles: sum(part => part.trashFiles ?? 0),
      trashBytes: sum(part => part.trashBytes ?? 0),
      ...(days.length > 0 && { uploads: { day: Math.max(...days), count: days.length } }),
    };
    return { tenantId, ownerId, change };
  });
  return changes.sort((a, b) => a.tenantId - b.tenantId || a.ownerId - b.ownerId);
}

/** As `addUsage`, for deletions and moves to and from the trash, which no quota rejects. */
export const addUsageUnchecked = (tx: Tx, changes: readonly UsageChange[]): Promise<void> =>
  deferToCommit(tx, counters, [{ changes }]);
