// Wire format of tenants: their usage, never their content.
import type { Tenant } from '@recordproof/shared/api/tenants.ts';
import { toIso, toIsoOrNull } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/tables.ts';
import { toWireId } from '../../platform/ids.ts';
import { countAccountsOf, getDefaultTenant, type TenantRow } from '../accounts/index.ts';
import { listUsageOfTenants } from '../quotas/index.ts';

export async function toTenants(db: Db, rows: readonly TenantRow[]): Promise<Tenant[]> {
  const ids = rows.map(({ id }) => id);
  const [first, accounts, usage] = [
    await getDefaultTenant(db),
    await countAccountsOf(db, ids),
    await listUsageOfTenants(db, ids),
  ];
  return rows.map(row => ({
    id: toWireId(row.id),
    name: row.name,
    status: row.status,
    statusReason: row.status_reason,
    statusChangedAt: toIsoOrNull(row.status_at),
    isFirst: row.id === first,
    users: accounts.get(row.id)?.users ?? 0,
    administrators: accounts.get(row.id)?.administrators ?? 0,
    files: usage.get(row.id)?.files ?? 0,
    bytes: usage.get(row.id)?.bytes ?? 0,
    createdAt: toIso(row.created_at),
  }));
}
