// SQL on drop links, their senders, and received files.
import { createHash } from 'node:crypto';
import type { PageRequest } from '@recordproof/shared/api/common.ts';
import type { Insertable, Selectable } from 'kysely';
import type { Engine } from '../../platform/db/open-db.ts';
import { onPage, type RowPage, toOrder } from '../../platform/db/page.ts';
import { countRows, findFirst, findWhere, insertReturning, selectWhere } from '../../platform/db/rows.ts';
import type { Db, Key, Tables, Time, Tx } from '../../platform/db/tables.ts';

export type LinkRow = Selectable<Tables['drop_link']>;
export type SenderRow = Selectable<Tables['drop_sender']>;
export type ArrivalRow = Selectable<Tables['drop_arrival']>;
export type Owner = { readonly tenantId: Key; readonly ownerId: Key };

const own = (db: Db, { tenantId, ownerId }: Owner) =>
  db.selectFrom('drop_link').where('tenant_id', '=', tenantId).where('owner_id', '=', ownerId);

/** The code alone identifies the owner: senders name no tenant. */
export const findLinkByCode = (db: Db, code: string): Promise<LinkRow | null> => findWhere(db, 'drop_link', { code });

export const findLink = (db: Db, owner: Owner, id: Key): Promise<LinkRow | null> =>
  findFirst(own(db, owner).selectAll().where('id', '=', id));

export const findLinkById = (db: Db, id: Key): Promise<LinkRow | null> => findWhere(db, 'drop_link', { id });

/**
 * Locks the link until the transaction ends: limits are checked under this lock. Returns null if it was deleted
 * meanwhile.
 */
export function lockLink(tx: Tx, engine: Engine, id: Key): Promise<LinkRow | null> {
  const query = tx.selectFrom('drop_link').selectAll().where('id', '=', id);
  return findFirst(engine === 'postgres' ? query.forUpdate() : query);
}

export const countLinks = (db: Db, owner: Owner): Promise<number> => countRows(own(db, owner));

export async function listLinks(db: Db, owner: Owner, request: PageRequest): Promise<RowPage<LinkRow>> {
  const { column, direction } = toOrder(request, { createdAt: 'created_at' } as const);
  const rows = await own(db, owner)
    .selectAll()
    .orderBy(column, direction)
    .orderBy('id', direction)
    .$call(onPage(request))
    .execute();
  return { rows, total: await countLinks(db, owner) };
}

export const insertLink = (tx: Tx, values: Insertable<Tables['drop_link']>): Promise<LinkRow> =>
  insertReturning(tx, 'drop_link', values);

export type LinkChange = Partial<Omit<LinkRow, 'id' | 'tenant_id' | 'owner_id' | 'code' | 'created_at'>>;

export const updateLink = (tx: Tx, id: Key, change: LinkChange): Promise<LinkRow> =>
  tx.updateTable('drop_link').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow();

/** With its senders and their arrivals; the files themselves stay with the owner. */
export async function deleteLinks(tx: Tx, ids: readonly Key[]): Promise<void> {
  if (ids.length === 0) return;
  await tx.deleteFrom('drop_arrival').where('link_id', 'in', ids).execute();
  await tx.deleteFrom('drop_sender').where('link_id', 'in', ids).execute();
  await tx.deleteFrom('drop_link').where('id', 'in', ids).execute();
}

export const listLinkIds = async (db: Db, owner: Owner): Promise<Key[]> =>
  (await own(db, owner).select('id').execute()).map(row => row.id);

export const listMailDue = (db: Db, now: Time, limit: number): Promise<LinkRow[]> =>
  db.selectFrom('drop_link').selectAll().where('mail_at', '<=', now).limit(limit).execute();

/** A token gives access to what was sent, so only its digest is stored. */
export const digestToken = (token: string): string => createHash('sha256').update(token).digest('base64url');

export const insertSender = (tx: Tx, values: Insertable<Tables['drop_sender']>): Promise<SenderRow> =>
  insertReturning(tx, 'drop_sender', values);

export const countSenders = (db: Db, linkId: Key): Promise<number> =>
  countRows(db.selectFrom('drop_sender').where('link_id', '=', linkId));

/** Senders without files. */
export async function deleteIdleSenders(tx: Tx, linkId: Key, before: Time): Promise<void> {
  await tx
    .deleteFrom('drop_sender')
    .where('link_id', '=', linkId)
    .where('created_at', '<', before)
    .where(eb =>
      eb.not(eb.exists(eb.selectFrom('drop_arrival').select('id').whereRef('sender_id', '=', 'drop_sender.id'))),
    )
    .execute();
}

export const findSender = (db: Db, link: LinkRow, token: string): Promise<SenderRow | null> =>
  findWhere(db, 'drop_sender', { token_digest: digestToken(token), link_id: link.id });

export const findSenderById = (db: Db, id: Key): Promise<SenderRow> =>
  db.selectFrom('drop_sender').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

export const listSenders = async (db: Db, ids: readonly Key[]): Promise<ReadonlyMap<Key, SenderRow>> => {
  if (ids.length === 0) return new Map();
  const rows = await db.selectFrom('drop_sender').selectAll().where('id', 'in', ids).execute();
  return new Map(rows.map(row => [row.id, row]));
};

/** Only files of this sender. */
export const findSent = (db: Db, sender: SenderRow, id: Key): Promise<ArrivalRow | null> =>
  findWhere(db, 'drop_arrival', { id, sender_id: sender.id });

export const findSentByKey = (db: Db, sender: SenderRow, key: string): Promise<ArrivalRow | null> =>
  findWhere(db, 'drop_arrival', { sender_id: sender.id, key });

export const listSent = (db: Db, sender: SenderRow, limit: number): Promise<ArrivalRow[]> =>
  selectWhere(db, 'drop_arrival', { sender_id: sender.id }).selectAll().orderBy('id', 'desc').limit(limit).execute();

export const insertArrival = (tx: Tx, values: Insertable<Tables['drop_arrival']>): Promise<ArrivalRow> =>
  insertReturning(tx, 'drop_arrival', values);

export const deleteArrival = (tx: Tx, id: Key): Promise<unknown> =>
  tx.deleteFrom('drop_arrival').where('id', '=', id).where('receipt', 'is', null).execute();

export const listUnderWay = (db: Db, linkId: Key): Promise<ArrivalRow[]> =>
  db.selectFrom('drop_arrival').selectAll().where('link_id', '=', linkId).where('receipt', 'is', null).execute();

/** Of all links, ordered by id. */
export const listAllUnderWay = (db: Db, afterId: Key, limit: number): Promise<ArrivalRow[]> =>
  db
    .selectFrom('drop_arrival')
    .selectAll()
    .where('receipt', 'is', null)
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit)
    .execute();

export const countArrivedFrom = (db: Db, linkId: Key, address: string): Promise<number> =>
  countRows(selectWhere(db, 'drop_arrival', { link_id: linkId, address }).where('receipt', 'is not', null));

export const findArrival = (db: Db, id: Key): Promise<ArrivalRow | null> => findWhere(db, 'drop_arrival', { id });

type Receipt = { readonly file_id: Key; readonly received_at: Time; readonly receipt: string };

/** Returns null if it already has a receipt. */
export const markReceived = (tx: Tx, id: Key, receipt: Receipt): Promise<ArrivalRow | null> =>
  findFirst(
    tx.updateTable('drop_arrival').set(receipt).where('id', '=', id).where('receipt', 'is', null).returningAll(),
  );

export async function listArrivals(db: Db, link: LinkRow, request: PageRequest): Promise<RowPage<ArrivalRow>> {
  const { column, direction } = toOrder(request, { receivedAt: 'received_at' } as const);
  const rows = await selectWhere(db, 'drop_arrival', { link_id: link.id })
    .selectAll()
    .where('receipt', 'is not', null)
    .orderBy(column, direction)
    .orderBy('id', direction)
    .$call(onPage(request))
    .execute();
  return { rows, total: link.arrived_files };
}
