// Suspending, reactivating and deleting of tenants. Suspension and deletion end the sessions of the tenant with the
// commit. Only deletion loses data: it is confirmed by the tenant's name, and a job does the rest.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { TenantStatus } from '@recordproof/shared/api/tenants.ts';
import { anonymousParty, type Call, callAs, type Party } from '../../platform/call.ts';
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
import { recordAudit } from '../audit/index.ts';

type Deed = {
  readonly tenantId: Key;
  readonly method: `tenants.${string}`;
  readonly description: string;
  readonly param: Readonly<Record<string, unknown>>;
};

/** Into two audit chains: that of the installation administrator who changes the tenant, and that of the tenant. */
export async function auditBoth(
  tx: Tx,
  call: Call<Party>,
  { tenantId, method, description, param }: Deed,
  now: Time,
): Promise<void> {
  const { username } = call.actor;
  await recordAudit(tx, call, now, method, description, { tenantId, ...param });
  if (call.actor.tenantId === tenantId) return;
  await recordAudit(tx, callAs(call, anonymousParty(tenantId)), now, method, description, { ...param, by: username });
}

type Standing = { readonly id: Key; readonly name: string; readonly status: TenantStatus };

export const noTenant = (id: Key) =>
  new ApiError('RESULT_DATA_NONE', `there is no tenant ${id}: list the tenants to see their ids`);

/** Returns null if it may be suspended or deleted. */
function mayEnd({ id }: Standing, firstTenantId: Key): string | null {
  return id === firstTenantId
    ? 'this tenant holds the administrators of the installation: it is neither suspended nor deleted'
    : null;
}

/** Returns null if it may become active or suspended. */
function mayChange({ name, status }: Standing): string | null {
  return status === 'DELETING' || status === 'DELETED'
    ? `tenant ${name} is being deleted: that cannot be undone`
    : null;
}

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
    if (tenant === null) throw noTenant(tenantId);
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
  if (tenant === null || tenant.status === 'DELETED') throw noTenant(tenantId);
  return tenant;
}
