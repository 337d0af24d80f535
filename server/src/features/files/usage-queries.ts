// SQL on the counters of owners and of whole tenants.
import { type Selectable, sql } from 'kysely';
import type { Db, Key, Tables, Tx } from '../../platform/db/tables.ts';

export type UsageRow = Selectable<Tables['file_usage']>;

/** `owner_id` of the row that counts for the whole tenant. */
export const wholeTenant: Key = 0;

export async function findUsage(db: Db, tenantId: Key, ownerId: Key): Promise<UsageRow | null> {
  const row = await db
    .selectFrom('file_usage')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('owner_id', '=', ownerId)
    .executeTakeFirst();
  return row ?? null;
}

export type UsageLimits = { readonly maxBytes: number | null; readonly maxFiles: number | null };

/** In the row that every change of the figures locks: a limit holds for whatever is counted after it. */
export const setUsageLimits = (
  tx: Tx,
  { tenantId, ownerId }: { readonly tenantId: Key; readonly ownerId: Key },
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
};

type UsageChange = {
  readonly files: number;
  readonly bytes: number;
  readonly latestFiles: number;
  /** How many came in on a UTC day, where they are uploads. */
  readonly uploads?: { readonly day: number; readonly count: number };
};

export type OwnerUsage = { readonly tenantId: Key; readonly ownerId: Key; readonly change: UsageChange };

/**
 * Counts and answers the new figures; the rows stay locked, so that a limit that is checked now still holds at the
 * commit. They are locked in the order given.
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
      })),
    )
    .onConflict(conflict =>
      conflict.columns(['tenant_id', 'owner_id']).doUpdateSet(eb => ({
        files: eb('file_usage.files', '+', eb.ref('excluded.files')),
        bytes: eb('file_usage.bytes', '+', eb.ref('excluded.bytes')),
        latest_files: eb('file_usage.latest_files', '+', eb.ref('excluded.latest_files')),
        recorded: eb('file_usage.recorded', '+', eb.ref('excluded.recorded')),
        upload_day: sql<number>`case when excluded.day_uploads = 0 then file_usage.upload_day else excluded.upload_day end`,
        day_uploads: sql<number>`case
          when excluded.day_uploads = 0 or file_usage.upload_day = excluded.upload_day
          then file_usage.day_uploads + excluded.day_uploads else excluded.day_uploads end`,
      })),
    )
    .returningAll()
    .execute();

/** Of one day, added to what is known of it. A day that is over does not come back. */
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
