// Opens a tenant. Its first audit row tells of it, in its own chain.
import type { Key, Time, Tx } from '../../platform/db/tables.ts';
import { appendAudit, type Origin } from '../audit/index.ts';
import { findTenant, insertTenant } from './queries.ts';

/** Null when there is one of that name, made earlier or at the same moment. */
export async function createTenant(tx: Tx, name: string, origin: Origin, now: Time): Promise<Key | null> {
  if (await findTenant(tx, name)) return null;
  const tenantId = await insertTenant(tx, name, now);
  const description = `tenant ${name} opened`;
  await appendAudit(
    tx,
    { tenantId, who: null, module: 'accounts', operation: 'create-tenant', description, param: { name }, origin },
    now,
  );
  return tenantId;
}
