// SQL on tenants in deletion.
import { fileStatus } from '@recordproof/shared/api/files.ts';
import type { Db, Key } from '../../platform/db/tables.ts';

/** Tenants in deletion, and deleted ones that still have live data. */
export async function listUnfinishedDeletions(db: Db): Promise<Key[]> {
  const rows = await db
    .selectFrom('tenant')
    .select('id')
    .where(({ or, and, eb, exists, selectFrom }) =>
      or([
        eb('status', '=', 'DELETING'),
        and([
          eb('status', '=', 'DELETED'),
          or([
            exists(
              selectFrom('file')
                .select('file.id')
                .whereRef('file.tenant_id', '=', 'tenant.id')
                .where('file.status', '=', fileStatus.SUCCESS),
            ),
            exists(
              selectFrom('account')
                .select('account.id')
                .whereRef('account.tenant_id', '=', 'tenant.id')
                .where('account.deleted_at', 'is', null),
            ),
          ]),
        ]),
      ]),
    )
    .execute();
  return rows.map(({ id }) => id);
}
