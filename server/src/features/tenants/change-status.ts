// Suspending and reactivating of tenants. Suspension ends its sessions with the commit; no data is lost.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Call, Party } from '../../platform/call.ts';
import type { Key } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import { changeTenantStatus, endSessionsOfTenant, findTenantById, getDefaultTenant } from '../accounts/index.ts';
import { auditBoth } from './audit-both.ts';
import { mayChange, mayEnd } from './policy.ts';

type StatusChange = {
  readonly tenantId: Key;
  readonly status: 'ACTIVE' | 'SUSPENDED';
  readonly reason: string | undefined;
};

const otherOf = { ACTIVE: 'SUSPENDED', SUSPENDED: 'ACTIVE' } as const;

export const changeStatus = (
  { database, clock }: Pick<Server, 'database' | 'clock'>,
  call: Call<Party>,
  { tenantId, status, reason }: StatusChange,
): Promise<void> =>
  database.db.transaction().execute(async tx => {
    const now = clock.now();
    const changed = await changeTenantStatus(tx, tenantId, [otherOf[status]], { status, reason: reason ?? null }, now);
    const tenant = changed ?? (await findTenantById(tx, tenantId));
    if (tenant === null) throw new ApiError('RESULT_DATA_NONE', 'no such tenant');
    const rejection = mayChange(tenant) ?? (status === 'SUSPENDED' ? mayEnd(tenant, await getDefaultTenant(tx)) : null);
    if (rejection) throw new ApiError('CONFLICT', rejection);
    if (changed === null) return;
    if (status === 'SUSPENDED') await endSessionsOfTenant(tx, tenantId, now);
    const [method, done] =
      status === 'SUSPENDED'
        ? (['tenants.suspend', 'suspended'] as const)
        : (['tenants.reactivate', 'reactivated'] as const);
    const param = { name: tenant.name, reason: reason ?? null };
    await auditBoth(tx, call, { tenantId, method, description: `tenant ${tenant.name} ${done}`, param }, now);
  });
