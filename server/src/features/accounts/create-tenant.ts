// Opens a tenant. Its first audit row tells of it, in its own chain.
import { callAs, nobodyOf, type Origin } from '../../platform/call.ts';
import type { Key, Time, Tx } from '../../platform/db/tables.ts';
import { recordAudit } from '../audit/index.ts';
import { findTenant, insertTenant } from './tenant-queries.ts';

/** Null when there is one of that name, made earlier or at the same moment. */
export async function createTenant(tx: Tx, origin: Origin, name: string, now: Time): Promise<Key | null> {
  if (await findTenant(tx, name)) return null;
  const tenantId = await insertTenant(tx, name, now);
  await recordAudit(tx, callAs(origin, nobodyOf(tenantId)), now, 'accounts.create-tenant', `tenant ${name} opened`, {
    name,
  });
  return tenantId;
}
