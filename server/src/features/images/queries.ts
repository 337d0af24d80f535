// All SQL on images.
import { type Insertable, type Selectable, sql } from 'kysely';
import { findWhere, insertReturning, updateAndCount } from '../../platform/db/rows.ts';
import type { Db, Key, Tables, Time, Tx } from '../../platform/db/tables.ts';

export type ImageRow = Selectable<Tables['image']>;
export type ImageKind = 'AVATAR' | 'IMAGE';

type NewImage = Omit<Insertable<Tables['image']>, 'id' | 'status' | 'created_at'>;

export const insertImage = (tx: Tx, image: NewImage, now: Time): Promise<ImageRow> =>
  insertReturning(tx, 'image', { ...image, status: 'PREPARE', created_at: now });

/** Returns false if the row is gone. */
export async function markStored(tx: Tx, id: Key): Promise<boolean> {
  return (await updateAndCount(tx, 'image', { id }, { status: 'STORED' })) === 1;
}

export const findStoredImage = (db: Db, tenantId: Key, name: string): Promise<ImageRow | null> =>
  findWhere(db, 'image', { tenant_id: tenantId, name, status: 'STORED' });

/** Whether this person uploaded the image. Avatars are excluded, because the next one replaces them. */
export async function isOwnImage(
  db: Db,
  owner: { readonly tenantId: Key; readonly userId: Key },
  name: string,
): Promise<boolean> {
  const image = await findStoredImage(db, owner.tenantId, name);
  return image?.owner_id === owner.userId && image.kind === 'IMAGE';
}

/** Deletes all other avatars of the owner, and returns them. */
export const removeOlderAvatars = (tx: Tx, current: ImageRow): Promise<ImageRow[]> =>
  tx
    .deleteFrom('image')
    .where('tenant_id', '=', current.tenant_id)
    .where('owner_id', '=', current.owner_id)
    .where(sql<boolean>`kind = 'AVATAR'`)
    .where('status', '=', 'STORED')
    .where('id', '<', current.id)
    .returningAll()
    .execute();

/** Deletes images whose upload ended before their bytes were stored, and returns them. */
export const removeUnfinished = (tx: Tx, createdUpTo: Time): Promise<ImageRow[]> =>
  tx
    .deleteFrom('image')
    .where(sql<boolean>`status = 'PREPARE'`)
    .where('created_at', '<=', createdUpTo)
    .returningAll()
    .execute();

/** Deletes some images of a tenant, in any state, and returns them. */
export const removeImages = (tx: Tx, tenantId: Key, limit: number): Promise<ImageRow[]> =>
  tx
    .deleteFrom('image')
    .where('id', 'in', tx.selectFrom('image').select('id').where('tenant_id', '=', tenantId).limit(limit))
    .returningAll()
    .execute();
