// The newest link of a tenant's audit chain. A kept head shows later whether anything up to it was changed.
import type { Db, Key } from '../../platform/db/tables.ts';
import { startOfChain } from './hash-chain.ts';

type AuditHead = { readonly position: number; readonly hash: string };

export async function findAuditHead(db: Db, tenantId: Key): Promise<AuditHead> {
  const head = await db
    .selectFrom('audit_head')
    .select(['length as position', 'hash'])
    .where('tenant_id', '=', tenantId)
    .executeTakeFirst();
  return head ?? { position: 0, hash: startOfChain };
}
