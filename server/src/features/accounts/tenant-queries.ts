// SQL on tenants.
import type { Db, Key, Time, Tx } from '../../platform/db/tables.ts';

export async function findTenant(db: Db, name: string): Promise<{ id: Key; name: string } | null> {
  return (await db.selectFrom('tenant').select(['id', 'name']).where('name', '=', name).executeTakeFirst()) ?? null;
}

/** The tenant that registers people who were not sent anywhere else. */
export async function getDefaultTenant(db: Db): Promise<Key> {
  return (await db.selectFrom('tenant').select('id').orderBy('id').limit(1).executeTakeFirstOrThrow()).id;
}

export async function insertTenant(tx: Tx, name: string, now: Time): Promise<Key> {
  return (await tx.insertInto('tenant').values({ name, created_at: now }).returning('id').executeTakeFirstOrThrow()).id;
}

/** Whether nobody else is there: then what is of the installation is of this tenant. */
export async function isOnlyTenant(db: Db, tenantId: Key): Promise<boolean> {
  const others = db.selectFrom('tenant').select('id').where('id', '<>', tenantId).limit(1);
  return (await others.executeTakeFirst()) === undefined;
}

export const listTenants = (db: Db) => db.selectFrom('tenant').selectAll().orderBy('id').execute();
