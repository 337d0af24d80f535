// SQL on uploads. Chunks are in chunk-queries.ts.
import type { Insertable, Selectable } from 'kysely';
import type { Envelope } from '../../platform/crypto/envelope.ts';
import type { Engine } from '../../platform/db/open-db.ts';
import { findFirst, findWhere, updateWhere } from '../../platform/db/rows.ts';
import type { Db, Key, Tables, Time, Tx } from '../../platform/db/tables.ts';
import type { Owner } from '../../platform/http/caller.ts';

export type UploadRow = Selectable<Tables['upload']>;

const openStatuses = ['UPLOADING', 'PAUSED', 'FINALIZING'] as const;

const mine = (db: Db, { tenantId, ownerId }: Owner) =>
  db.selectFrom('upload').selectAll().where('tenant_id', '=', tenantId).where('owner_id', '=', ownerId);

export const findUpload = (db: Db, owner: Owner, clientId: string): Promise<UploadRow | null> =>
  findFirst(mine(db, owner).where('client_id', '=', clientId));

/** Locked until the transaction ends, so that decisions on it stay valid. */
export async function lockUpload(tx: Tx, engine: Engine, owner: Owner, clientId: string): Promise<UploadRow | null> {
  const query = mine(tx, owner).where('client_id', '=', clientId);
  return (await query.$if(engine === 'postgres', q => q.forUpdate()).executeTakeFirst()) ?? null;
}

export async function lockUploadById(tx: Tx, engine: Engine, id: Key): Promise<UploadRow | null> {
  const query = tx.selectFrom('upload').selectAll().where('id', '=', id);
  return (await query.$if(engine === 'postgres', q => q.forUpdate()).executeTakeFirst()) ?? null;
}

export const findUploadById = (db: Db, id: Key): Promise<UploadRow | null> => findWhere(db, 'upload', { id });

/** For jobs and sagas, which have no actor. */
export const getUploadById = (db: Db, id: Key): Promise<UploadRow> =>
  db.selectFrom('upload').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

/** The upload under a client's own key. */
export async function findUploadByClientKey(db: Db, owner: Owner, key: string): Promise<UploadRow | null> {
  const query = mine(db, owner).where('client_key', '=', key).where('status', 'in', openStatuses);
  return (await query.orderBy('id', 'desc').limit(1).executeTakeFirst()) ?? null;
}

/** Uploads started by the owner: ids with a dot are made by the server, and clients cannot use one. */
const begunByOwner = (db: Db, owner: Owner) => mine(db, owner).where('client_id', 'not like', '%.%');

/** Uploads that accept chunks and have no key yet, newest first. */
const unkeyed = (db: Db, owner: Owner, now: Time) =>
  begunByOwner(db, owner)
    .where('status', '=', 'UPLOADING')
    .where('kind', '=', 'proxied')
    .where('client_key', 'is', null)
    .where('expires_at', '>', now)
    .orderBy('id', 'desc')
    .limit(1);

export const findUnkeyed = async (db: Db, owner: Owner, totalChunks: number, now: Time): Promise<UploadRow | null> =>
  (await unkeyed(db, owner, now).where('total_chunks', '=', totalChunks).executeTakeFirst()) ?? null;

/** Another upload of the same file, started after this one. */
export async function findRestartedUpload(db: Db, upload: UploadRow, now: Time): Promise<UploadRow | null> {
  const query = unkeyed(db, { tenantId: upload.tenant_id, ownerId: upload.owner_id }, now)
    .where('id', '>', upload.id)
    .where('file_name', '=', upload.file_name)
    .where('file_size', '=', upload.file_size)
    .where('chunk_size', '=', upload.chunk_size);
  return (await query.executeTakeFirst()) ?? null;
}

/** Returns null if another key was faster. */
export const bindClientKey = (db: Db, { id, tenant_id }: UploadRow, key: string): Promise<UploadRow | null> =>
  findFirst(
    db
      .updateTable('upload')
      .set({ client_key: key })
      .where('id', '=', id)
      .where('tenant_id', '=', tenant_id)
      .where('client_key', 'is', null)
      .returningAll(),
  );

export const listOpenUploads = (db: Db, owner: Owner, limit: number): Promise<UploadRow[]> =>
  begunByOwner(db, owner).where('status', 'in', openStatuses).orderBy('created_at', 'desc').limit(limit).execute();

/** Existing uploads by client id. */
export async function listUploadsOf(
  db: Db,
  owner: Owner,
  clientIds: readonly string[],
): Promise<ReadonlyMap<string, UploadRow>> {
  if (clientIds.length === 0) return new Map();
  const rows = await mine(db, owner).where('client_id', 'in', clientIds).execute();
  return new Map(rows.map(row => [row.client_id, row]));
}

/** Of all tenants, ordered by id: those that wait for chunks. */
export const listReceiving = (db: Db, afterId: Key, limit: number): Promise<UploadRow[]> =>
  db
    .selectFrom('upload')
    .selectAll()
    .where('id', '>', afterId)
    .where('status', 'in', ['UPLOADING', 'PAUSED'])
    .orderBy('id')
    .limit(limit)
    .execute();

/** Returns null if the client id is taken. */
export async function insertUpload(tx: Tx, values: Insertable<Tables['upload']>): Promise<UploadRow | null> {
  const query = tx
    .insertInto('upload')
    .values(values)
    .onConflict(conflict => conflict.doNothing());
  return (await query.returningAll().executeTakeFirst()) ?? null;
}

type UploadChange = Partial<Pick<UploadRow, 'status' | 'expires_at' | 'attempt' | 'file_id' | 'failure'>>;

export async function updateUpload(db: Db, id: Key, change: UploadChange): Promise<UploadRow> {
  return db.updateTable('upload').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
}

/** Extends the expiry; never revives an ended upload. */
export const touchUpload = (db: Db, id: Key, expiresAt: Time): Promise<void> =>
  updateWhere(db, 'upload', { id, status: 'UPLOADING' }, { expires_at: expiresAt });

/** Returns null if the upload does not accept chunks now. */
export const countAndTouch = (
  tx: Tx,
  id: Key,
  { by, now, expiresAt }: { by: number; now: Time; expiresAt: Time },
): Promise<UploadRow | null> =>
  findFirst(
    tx
      .updateTable('upload')
      .set(eb => ({ received_chunks: eb('received_chunks', '+', by), expires_at: expiresAt }))
      .where('id', '=', id)
      .where('status', '=', 'UPLOADING')
      .where('expires_at', '>', now)
      .returningAll(),
  );

export async function expireIdle(tx: Tx, now: Time, limit: number): Promise<UploadRow[]> {
  const idle = tx
    .selectFrom('upload')
    .select('id')
    .where('status', 'in', ['UPLOADING', 'PAUSED'])
    .where('expires_at', '<=', now)
    .limit(limit);
  return tx
    .updateTable('upload')
    .set({ status: 'EXPIRED' })
    .where('id', 'in', idle)
    .where('status', 'in', ['UPLOADING', 'PAUSED']) // there may have been activity meanwhile
    .where('expires_at', '<=', now)
    .returningAll()
    .execute();
}

/** Releases its client id: client ids contain no dot, so the renamed row causes no conflict. */
export const releaseClientId = (tx: Tx, upload: UploadRow): Promise<void> =>
  updateWhere(tx, 'upload', { id: upload.id }, { client_id: `expired.${upload.id}` });

/** Deletes ended uploads after their retention period, once none of their staged objects are left. */
export async function deleteEnded(tx: Tx, before: Time, limit: number): Promise<number> {
  const old = tx
    .selectFrom('upload')
    .select('id')
    .where('status', 'in', ['COMPLETED', 'CANCELLED', 'EXPIRED', 'FAILED'])
    .where('expires_at', '<=', before)
    .where(eb =>
      eb.not(eb.exists(eb.selectFrom('upload_chunk').select('chunk_index').whereRef('upload_id', '=', 'upload.id'))),
    )
    .limit(limit);
  const { numDeletedRows } = await tx.deleteFrom('upload').where('id', 'in', old).executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

type OpenKey = Pick<Envelope, 'provider' | 'contract' | 'keyVersion'> & { readonly expiresAt: Time };

/** The wrapping keys of the unfinished uploads, of all tenants if none is given. */
async function listOpenKeys(db: Db, tenantId?: Key): Promise<OpenKey[]> {
  const rows = await db
    .selectFrom('upload')
    .select(['sealed_key', 'expires_at'])
    .where('status', 'in', openStatuses)
    .where('sealed_key', 'is not', null)
    .$if(tenantId !== undefined, query => query.where('tenant_id', '=', tenantId as Key))
    .execute();
  return rows.map(row => ({ ...(JSON.parse(row.sealed_key ?? '{}') as Envelope), expiresAt: row.expires_at }));
}

/** The unfinished uploads whose key is wrapped by this version; null if there are none. */
export async function findUploadsUnder(
  db: Db,
  { provider, keyVersion }: Pick<Envelope, 'provider' | 'keyVersion'>,
): Promise<{ readonly count: number; readonly lastExpiresAt: Time } | null> {
  const keys = await listOpenKeys(db);
  const found = keys.filter(key => key.provider === provider && key.keyVersion === keyVersion);
  if (found.length === 0) return null;
  return { count: found.length, lastExpiresAt: Math.max(...found.map(({ expiresAt }) => expiresAt)) };
}

/** Whether the key of an unfinished upload of the tenant is wrapped by another key. */
export async function hasUploadsBeside(
  db: Db,
  tenantId: Key,
  { provider, contract, keyVersion }: Omit<OpenKey, 'expiresAt'>,
): Promise<boolean> {
  const keys = await listOpenKeys(db, tenantId);
  return keys.some(key => key.provider !== provider || key.contract !== contract || key.keyVersion !== keyVersion);
}

/** Returns which of the prefixes belong to uploads, including ended ones that are not deleted yet. */
export async function listStagingFolders(db: Db, prefixes: readonly string[]): Promise<ReadonlySet<string>> {
  if (prefixes.length === 0) return new Set();
  const rows = await db.selectFrom('upload').select('staging').where('staging', 'in', prefixes).execute();
  return new Set(rows.map(({ staging }) => staging));
}
