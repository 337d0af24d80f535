// Tenant creation. The creation is the first row of the tenant's own audit chain.
import { anonymousParty, callAs, type Origin } from '../../platform/call.ts';
import type { Key, Time, Tx } from '../../platform/db/tables.ts';
import { recordAudit } from '../audit/index.ts';
import { findTenant, insertTenant } from './tenant-queries.ts';

/** Returns null if the name exists, also when it is inserted concurrently. */
export async function createTenant(tx: Tx, origin: Origin, name: string, now: Time): Promise<Key | null> {
  if (await findTenant(tx, name)) return null;
  const tenantId = await insertTenant(tx, name, now);
  const call = callAs(origin, anonymousParty(tenantId));
  await recordAudit(tx, call, now, 'accounts.create-tenant', `tenant ${name} opened`, { name });
  return tenantId;
}
