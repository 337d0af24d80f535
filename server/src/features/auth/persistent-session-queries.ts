// All SQL on persistent browser sessions.
import type { Selectable } from 'kysely';
import type { Db, Key, Tables, Time, Tx } from '../../platform/db/tables.ts';

type PersistentSession = Selectable<Tables['kept_session']>;

/** Upsert: a session has one secret, the newest. The newest `limit` sessions of an account remain. */
export async function savePersistentSession(tx: Tx, row: Omit<PersistentSession, 'id'>, limit: number): Promise<void> {
  const { secret_digest, stays, expires_at } = row;
  await tx
    .insertInto('kept_session')
    .values(row)
    .onConflict(conflict => conflict.column('token_id').doUpdateSet({ secret_digest, stays, expires_at }))
    .execute();
  const newest = await tx
    .selectFrom('kept_session')
    .select('id')
    .where('tenant_id', '=', row.tenant_id)
    .where('user_id', '=', row.user_id)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  await tx
    .deleteFrom('kept_session')
    .where('tenant_id', '=', row.tenant_id)
    .where('user_id', '=', row.user_id)
    .where('id', '<', newest.at(-1)?.id ?? 0)
    .execute();
}

/** The row alone identifies the account: the client has only the secret. */
export async function findPersistentSession(
  db: Db,
  secretDigest: string,
  now: Time,
): Promise<PersistentSession | null> {
  const row = await db
    .selectFrom('kept_session')
    .selectAll()
    .where('secret_digest', '=', secretDigest)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return row ?? null;
}

export async function extendPersistentSession(
  tx: Tx,
  { tenant_id, id }: PersistentSession,
  expiresAt: Time,
): Promise<void> {
  await tx
    .updateTable('kept_session')
    .set({ expires_at: expiresAt })
    .where('tenant_id', '=', tenant_id)
    .where('id', '=', id)
    .execute();
}

export async function movePersistentSession(tx: Tx, tenantId: Key, tokenId: string, successor: string): Promise<void> {
  await tx
    .updateTable('kept_session')
    .set({ token_id: successor })
    .where('tenant_id', '=', tenantId)
    .where('token_id', '=', tokenId)
    .execute();
}

export async function deletePersistentSession(tx: Tx, tenantId: Key, tokenId: string): Promise<void> {
  await tx.deleteFrom('kept_session').where('tenant_id', '=', tenantId).where('token_id', '=', tokenId).execute();
}
