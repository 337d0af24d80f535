// SQL on the counters of owners and of whole tenants.
import { type Selectable, sql } from 'kysely';
import { findWhere, selectWhere } from '../../platform/db/rows.ts';
import type { Db, Key, Tables, Tx } from '../../platform/db/tables.ts';
import type { Owner } from '../../platform/http/caller.ts';

export type UsageRow = Selectable<Tables['file_usage']>;

/** `owner_id` of the row for the whole tenant. */
export const wholeTenant: Key = 0;

export const findUsage = (db: Db, tenantId: Key, ownerId: Key): Promise<UsageRow | null> =>
  findWhere(db, 'file_usage', { tenant_id: tenantId, owner_id: ownerId });

/** Of an owner and of its whole tenant. */
export async function findUsages(db: Db, { tenantId, ownerId }: Owner) {
  const rows = await selectWhere(db, 'file_usage', { tenant_id: tenantId })
    .selectAll()
    .where('owner_id', 'in', [ownerId, wholeTenant])
    .execute();
  const findOf = (owner: Key): UsageRow | null => rows.find(row => row.owner_id === owner) ?? null;
  return { user: findOf(ownerId), tenant: findOf(wholeTenant) };
}

/** What whole tenants use, by tenant. */
export async function listUsageOfTenants(db: Db, tenantIds: readonly Key[]): Promise<ReadonlyMap<Key, UsageRow>> {
  if (tenantIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('file_usage')
    .selectAll()
    .where('tenant_id', 'in', tenantIds)
    .where('owner_id', '=', wholeTenant)
    .execute();
  return new Map(rows.map(row => [row.tenant_id, row]));
}

export type UsageLimits = { readonly maxBytes: number | null; readonly maxFiles: number | null };

/** In the row that every change of the figures locks: a limit applies to everything counted after it. */
export const setUsageLimits = (
  tx: Tx,
  { tenantId, ownerId }: Owner,
  { maxBytes, maxFiles }: UsageLimits,
): Promise<UsageRow> =>
  tx
    .insertInto('file_usage')
    .values({ ...emptyUsage, tenant_id: tenantId, owner_id: ownerId, max_bytes: maxBytes, max_files: maxFiles })
    .onConflict(conflict =>
      conflict.columns(['tenant_id', 'owner_id']).doUpdateSet({ max_bytes: maxBytes, max_files: maxFiles }),
    )
    .returningAll()
    .executeTakeFirstOrThrow();

const emptyUsage = {
  files: 0,
  bytes: 0,
  latest_files: 0,
  upload_day: 0,
  day_uploads: 0,
  download_day: 0,
  day_downloads: 0,
  recorded: 0,
  trash_files: 0,
  trash_bytes: 0,
};

type UsageChange = {
  readonly files: number;
  readonly bytes: number;
  readonly latestFiles: number;
  readonly trashFiles: number;
  readonly trashBytes: number;
  /** The number of uploads on a UTC day. */
  readonly uploads?: { readonly day: number; readonly count: number };
};

export type OwnerUsage = { readonly tenantId: Key; readonly ownerId: Key; readonly change: UsageChange };

/**
 * Adds the changes and returns the new figures; the rows stay locked, so that a limit checked now still holds at the
 * commit. Locked in the given order.
 */
export const changeUsage = (tx: Tx, changes: readonly OwnerUsage[]): Promise<UsageRow[]> =>
  tx
    .insertInto('file_usage')
    .values(
      changes.map(({ tenantId, ownerId, change }) => ({
        tenant_id: tenantId,
        owner_id: ownerId,
        files: change.files,
        bytes: change.bytes,
        latest_files: change.latestFiles,
        upload_day: change.uploads?.day ?? 0,
        day_uploads: change.uploads?.count ?? 0,
        download_day: 0,
        day_downloads: 0,
        recorded: change.uploads?.count ?? 0,
        trash_files: change.trashFiles,
        trash_bytes: change.trashBytes,
      })),
    )
    .onConflict(conflict =>
      conflict.columns(['tenant_id', 'owner_id']).doUpdateSet(eb => ({
        files: eb('file_usage.files', '+', eb.ref('excluded.files')),
        bytes: eb('file_usage.bytes', '+', eb.ref('excluded.bytes')),
        latest_files: eb('file_usage.latest_files', '+', eb.ref('excluded.latest_files')),
        trash_files: eb('file_usage.trash_files', '+', eb.ref('excluded.trash_files')),
        trash_bytes: eb('file_usage.trash_bytes', '+', eb.ref('excluded.trash_bytes')),
        recorded: eb('file_usage.recorded', '+', eb.ref('excluded.recorded')),
        upload_day: sql<number>`case when excluded.day_uploads = 0 then file_usage.upload_day else excluded.upload_day end`,
        day_uploads: sql<number>`case
          when excluded.day_uploads = 0 or file_usage.upload_day = excluded.upload_day
          then file_usage.day_uploads + excluded.day_uploads else excluded.day_uploads end`,
      })),
    )
    .returningAll()
    .execute();

/** Adds to the count of one day. A past day is ignored. */
export async function addDownloads(tx: Tx, tenantId: Key, day: number, count: number): Promise<void> {
  await tx
    .updateTable('file_usage')
    .set({
      download_day: day,
      day_downloads: sql<number>`case when download_day = ${day} then day_downloads else 0 end + ${count}`,
    })
    .where('tenant_id', '=', tenantId)
    .where('owner_id', '=', wholeTenant)
    .where('download_day', '<=', day)
    .execute();
}
