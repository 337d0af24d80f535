// The heads of the audit logs on the ledger: at most one a minute and tenant, and none while no rows arrive. Whoever keeps a
// checkpoint can tell later whether a row up to that head was changed.
import { createHmac, type KeyObject } from 'node:crypto';
import type { Key } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import { findAuditHead } from '../audit/index.ts';
import { moveRecorded } from './queries.ts';

/** The tenant as the ledger names it: without the key nobody can tell which one it is. */
const toTenantDigest = (pepper: KeyObject, tenantId: Key): string =>
  createHmac('sha256', pepper).update(`audit log of tenant\n${tenantId}`).digest('hex');

type Recording = Pick<Server, 'database' | 'clock' | 'ledger' | 'keys'>;

export async function recordAuditHead(
  { database: { db }, clock, ledger, keys }: Recording,
  tenantId: Key,
): Promise<void> {
  const now = clock.now();
  const { position, hash } = await findAuditHead(db, tenantId);
  if (position === 0) return;
  await db.transaction().execute(async tx => {
    if (!(await moveRecorded(tx, { tenant_id: tenantId, position, recorded_at: now }))) return;
    const tenantDigest = toTenantDigest(keys.pepper, tenantId);
    await ledger.recordWithin(tx, [{ kind: 'AUDIT_HEAD', tenantDigest, sequence: position, headHash: hash }]);
  });
}
