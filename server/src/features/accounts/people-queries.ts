// SQL on people as other users of the tenant see them, without service accounts.
import { sql } from 'kysely';
import { escapeLike } from '../../platform/db/like.ts';
import { findFirst, selectWhere } from '../../platform/db/rows.ts';
import type { Db, Key } from '../../platform/db/tables.ts';
import { type AccountRow, foldName } from './queries.ts';

/** The public columns of an account. */
export type PersonRow = Pick<AccountRow, 'id' | 'external_id' | 'username' | 'nickname' | 'avatar'>;

const personColumns = ['id', 'external_id', 'username', 'nickname', 'avatar'] as const;

/** Finds an active person of the tenant. */
export const findPerson = (db: Db, tenantId: Key, externalId: string): Promise<PersonRow | null> =>
  findFirst(
    selectWhere(db, 'account', {
      tenant_id: tenantId,
      external_id: externalId,
      kind: 'person',
      status: 'ACTIVE',
    }).select(personColumns),
  );

/** People by account, of one tenant, in any status. */
export async function listPeople(db: Db, tenantId: Key, ids: readonly Key[]): Promise<ReadonlyMap<Key, PersonRow>> {
  if (ids.length === 0) return new Map();
  const rows = await selectWhere(db, 'account', { tenant_id: tenantId })
    .select(personColumns)
    .where('id', 'in', [...new Set(ids)])
    .execute();
  return new Map(rows.map(row => [row.id, row]));
}

/** Searches by part of user name or nickname, or by the complete external id; exact matches come first. */
export async function searchPeople(
  db: Db,
  tenantId: Key,
  keyword: string,
  { except, limit }: { readonly except: Key; readonly limit: number },
): Promise<PersonRow[]> {
  const byId = await findPerson(db, tenantId, keyword);
  const ids = [...(byId ? [byId.id] : []), ...(await findByName(db, tenantId, keyword, limit + 1))];
  const matchingIds = [...new Set(ids)].filter(id => id !== except).slice(0, limit);
  const people = await listPeople(db, tenantId, matchingIds);
  return matchingIds.flatMap(id => people.get(id) ?? []);
}

/** Reads only the name index. */
async function findByName(db: Db, tenantId: Key, keyword: string, limit: number): Promise<Key[]> {
  const folded = foldName(keyword);
  const holds = (column: 'username_folded' | 'nickname_folded', pattern: string) =>
    sql<boolean>`${sql.ref(column)} like ${pattern} escape '\\'`;
  const [part, beginning] = [`%${escapeLike(folded)}%`, `${escapeLike(folded)}%`];
  const rows = await selectWhere(db, 'account', { tenant_id: tenantId, kind: 'person', status: 'ACTIVE' })
    .select('id')
    .where(eb => eb.or([holds('username_folded', part), holds('nickname_folded', part)]))
    .orderBy(sql`username_folded = ${folded}`, 'desc')
    .orderBy(holds('username_folded', beginning), 'desc')
    .orderBy('username_folded')
    .limit(limit)
    .execute();
  return rows.map(row => row.id);
}
