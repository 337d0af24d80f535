// The ends of a tenant's audit chain. The newest link, if kept, shows later whether anything up to it was changed. Rows
// in signed backups may be deleted, oldest first: the hash of the last deleted row is kept, so that the rest stays
// verifiable.
import { sql } from 'kysely';
import { selectWhere } from '../../platform/db/rows.ts';
import type { Db, Key, Tx } from '../../platform/db/tables.ts';
import { startOfChain } from './hash-chain.ts';

export type Anchor = { readonly position: number; readonly hash: string };

/** The newest link. */
export async function findAuditHead(db: Db, tenantId: Key): Promise<Anchor> {
  const head = await selectWhere(db, 'audit_head', { tenant_id: tenantId })
    .select(['length as position', 'hash'])
    .executeTakeFirst();
  return head ?? { position: 0, hash: startOfChain };
}

/** The last deleted row. */
export async function findAnchor(db: Db, tenantId: Key): Promise<Anchor> {
  const anchor = await selectWhere(db, 'audit_anchor', { tenant_id: tenantId })
    .select(['position', 'hash'])
    .executeTakeFirst();
  return anchor ?? { position: 0, hash: startOfChain };
}

/** Deletes at most `limit` rows up to this position; returns the position up to which rows are deleted. */
export async function cutChain(tx: Tx, tenantId: Key, through: number, limit: number): Promise<number> {
  const { position } = await findAnchor(tx, tenantId);
  const end = Math.min(through, position + limit);
  const last = await selectWhere(tx, 'audit_log', { tenant_id: tenantId, position: end })
    .select(['position', 'hash'])
    .executeTakeFirst();
  if (!last || last.position <= position) return position;
  const anchor = { ...last, hash: last.hash.toString('hex') };
  await tx
    .insertInto('audit_anchor')
    .values({ tenant_id: tenantId, ...anchor })
    .onConflict(conflict =>
      conflict.column('tenant_id').doUpdateSet(anchor).where(sql<boolean>`audit_anchor.position < excluded.position`),
    )
    .execute();
  await tx.deleteFrom('audit_log').where('tenant_id', '=', tenantId).where('position', '<=', last.position).execute();
  return last.position;
}
