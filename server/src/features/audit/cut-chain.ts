// The end at which a tenant's audit chain was cut: rows that are in signed backups may go, oldest first, and the hash of
// the last of them stays, so that what comes behind it can still be checked.
import { sql } from 'kysely';
import type { Db, Key, Tx } from '../../platform/db/tables.ts';
import { startOfChain } from './chain.ts';

export type Anchor = { readonly position: number; readonly hash: string };

export async function findAnchor(db: Db, tenantId: Key): Promise<Anchor> {
  const anchor = await db
    .selectFrom('audit_anchor')
    .select(['position', 'hash'])
    .where('tenant_id', '=', tenantId)
    .executeTakeFirst();
  return anchor ?? { position: 0, hash: startOfChain };
}

/** Deletes at most `limit` rows up to this position, and says up to where they are gone now. */
export async function cutChain(tx: Tx, tenantId: Key, through: number, limit: number): Promise<number> {
  const { position } = await findAnchor(tx, tenantId);
  const last = await tx
    .selectFrom('audit_log')
    .select(['position', 'hash'])
    .where('tenant_id', '=', tenantId)
    .where('position', '=', Math.min(through, position + limit))
    .executeTakeFirst();
  if (!last || last.position <= position) return position;
  await tx
    .insertInto('audit_anchor')
    .values({ tenant_id: tenantId, ...last })
    .onConflict(conflict =>
      conflict.column('tenant_id').doUpdateSet(last).where(sql<boolean>`audit_anchor.position < excluded.position`),
    )
    .execute();
  await tx.deleteFrom('audit_log').where('tenant_id', '=', tenantId).where('position', '<=', last.position).execute();
  return last.position;
}
