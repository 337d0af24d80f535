// What an owner and a tenant may store. Looked at when an upload starts, and decided, under the lock of the counters, at
// the end of the transaction that makes a file count.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { type LastWords, leaveForTheEnd } from '../../platform/db/last-words.ts';
import type { Db, Key, Tx } from '../../platform/db/tables.ts';
import { changeUsage, findUsage, type OwnerUsage, type UsageRow, wholeTenant } from './usage-queries.ts';

export type Quota = {
  /** SHADOW lets everything in and says so; ENFORCE refuses. */
  readonly mode: 'SHADOW' | 'ENFORCE';
  readonly userBytes: number;
  readonly userFiles: number;
  readonly tenantBytes: number;
  readonly tenantFiles: number;
};

type Figures = { readonly files: number; readonly bytes: number } & OwnLimits;
type OwnLimits = Partial<Pick<UsageRow, 'max_bytes' | 'max_files'>>;

/** Of an account: its own limits, else those of the server. */
export const toUserLimits = (quota: Quota, row: OwnLimits | null) => ({
  maxBytes: row?.max_bytes ?? quota.userBytes,
  maxFiles: row?.max_files ?? quota.userFiles,
});

/** A sentence when the figures are past their limits. Pure. */
function findExcess(quota: Quota, whose: 'user' | 'tenant', used: Figures): string | null {
  const { maxBytes, maxFiles } =
    whose === 'user' ? toUserLimits(quota, used) : { maxBytes: quota.tenantBytes, maxFiles: quota.tenantFiles };
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
  const after = (used: Figures | null) => ({
    ...used,
    files: (used?.files ?? 0) + files,
    bytes: (used?.bytes ?? 0) + bytes,
  });
  return judge(quota, findExcess(quota, 'user', after(user)) ?? findExcess(quota, 'tenant', after(tenant)));
}

/** What a file uses up, or gives back. */
export type Use = {
  readonly tenantId: Key;
  readonly ownerId: Key;
  readonly files: number;
  readonly bytes: number;
  readonly latestFiles: number;
  /** On which UTC day it came in, where it is an upload. */
  readonly uploadDay?: number;
};

/** Past the quota, which is only watched. */
export type Warning = { readonly tenant: Key; readonly user: Key; readonly sentence: string };

type Count = { readonly uses: readonly Use[]; readonly decide?: (used: UsageRow) => void };

/** The counters of a tenant are one row for all of it. They are locked in one order everywhere: owners, then tenants. */
const counters: LastWords<Count> = {
  turn: 1,
  write: async (tx, _engine, counts) => {
    const uses = counts.flatMap(count => count.uses);
    const changes = [...addUp(uses), ...addUp(uses.map(use => ({ ...use, ownerId: wholeTenant })))];
    for (const used of await changeUsage(tx, changes)) for (const { decide } of counts) decide?.(used);
  },
};

/** Counts what is added, at the end of the transaction: a quota in mode ENFORCE refuses the commit. */
export const useUp = (tx: Tx, quota: Quota, uses: readonly Use[], warn: (warning: Warning) => void): Promise<void> => {
  const decide = (used: UsageRow) => {
    const sentence = judge(quota, findExcess(quota, used.owner_id === wholeTenant ? 'tenant' : 'user', used));
    if (sentence !== null) warn({ tenant: used.tenant_id, user: used.owner_id, sentence });
  };
  return leaveForTheEnd(tx, counters, [{ uses, decide }]);
};

/** One change for each owner, in the order of their ids. */
function addUp(uses: readonly Use[]): OwnerUsage[] {
  const byOwner = Map.groupBy(uses, ({ tenantId, ownerId }) => `${tenantId} ${ownerId}`);
  const changes = [...byOwner.values()].map(some => {
    const { tenantId, ownerId } = some[0] as Use;
    const sum = (of: (use: Use) => number) => some.reduce((total, use) => total + of(use), 0);
    const days = some.flatMap(({ uploadDay }) => uploadDay ?? []);
    const change = {
      files: sum(use => use.files),
      bytes: sum(use => use.bytes),
      latestFiles: sum(use => use.latestFiles),
      ...(days.length > 0 && { uploads: { day: Math.max(...days), count: days.length } }),
    };
    return { tenantId, ownerId, change };
  });
  return changes.sort((a, b) => a.tenantId - b.tenantId || a.ownerId - b.ownerId);
}

export const giveBack = (tx: Tx, { files, bytes, latestFiles, ...owner }: Use): Promise<void> =>
  leaveForTheEnd(tx, counters, [{ uses: [{ ...owner, files: -files, bytes: -bytes, latestFiles: -latestFiles }] }]);
