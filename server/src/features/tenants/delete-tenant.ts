// Starting the deletion of a tenant: confirmed by its name; its sessions end with the commit, and a job does the rest.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Call, Party } from '../../platform/call.ts';
import type { Key, Time, Tx } from '../../platform/db/tables.ts';
import { enqueue } from '../../platform/jobs/jobs.ts';
import type { Server } from '../../platform/server.ts';
import {
  changeTenantStatus,
  endSessionsOfTenant,
  findTenantById,
  getDefaultTenant,
  type TenantRow,
} from '../accounts/index.ts';
import { auditBoth } from './audit-both.ts';
import { mayEnd } from './policy.ts';

export const deletionJobKind = 'tenants.delete';

export const enqueueDeletion = (tx: Tx, tenantId: Key, now: Time): Promise<void> =>
  enqueue(tx, { kind: deletionJobKind, payload: { tenantId }, uniqueKey: String(tenantId) }, now);

type Deletion = { readonly tenantId: Key; readonly name: string; readonly reason: string | undefined };

/** Returns the tenant as this call leaves it. Of concurrent calls one starts the deletion; the others enqueue it again. */
export const deleteTenant = (
  { database, clock }: Pick<Server, 'database' | 'clock'>,
  call: Call<Party>,
  { tenantId, name, reason }: Deletion,
): Promise<TenantRow> =>
  database.db.transaction().execute(async tx => {
    const now = clock.now();
    const tenant = await findUndeleted(tx, tenantId);
    if (tenant.name !== name)
      throw new ApiError('PARAM_IS_INVALID', `the tenant is called "${tenant.name}": repeat its name to delete it`);
    const rejection = mayEnd(tenant, await getDefaultTenant(tx));
    if (rejection) throw new ApiError('CONFLICT', rejection);
    const change = { status: 'DELETING', reason: reason ?? null } as const;
    const changed = await changeTenantStatus(tx, tenantId, ['ACTIVE', 'SUSPENDED'], change, now);
    if (changed !== null) {
      await endSessionsOfTenant(tx, tenantId, now);
      const param = { name, reason: reason ?? null };
      const description = `deletion of tenant ${name} started`;
      await auditBoth(tx, call, { tenantId, method: 'tenants.delete', description, param }, now);
    }
    await enqueueDeletion(tx, tenantId, now);
    return changed ?? findUndeleted(tx, tenantId); // changed by another call since it was read
  });

async function findUndeleted(tx: Tx, tenantId: Key): Promise<TenantRow> {
  const tenant = await findTenantById(tx, tenantId);
  if (tenant === null || tenant.status === 'DELETED') throw new ApiError('RESULT_DATA_NONE', 'no such tenant');
  return tenant;
}
