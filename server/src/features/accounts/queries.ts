// All SQL on tenants and accounts. Every query but those that look for the tenant itself names the tenant.

import type { AccountStatus } from '@recordproof/shared/api/accounts.ts';
import type { Role } from '@recordproof/shared/api/auth.ts';
import type { PageRequest } from '@recordproof/shared/api/common.ts';
import { type Selectable, sql } from 'kysely';
import { isTaken } from '../../platform/db/is-taken.ts';
import { escapeLike } from '../../platform/db/like.ts';
import { type Found, findPage, toOrder } from '../../platform/db/page.ts';
import type { Db, Key, Tables, Time, Tx } from '../../platform/db/tables.ts';
import { foldText } from '../../platform/text.ts';

export type AccountRow = Omit<Selectable<Tables['account']>, 'role' | 'status'> & { role: Role; status: AccountStatus };

export const foldName = foldText;
const foldNickname = (nickname: string | null): string | null => (nickname === null ? null : foldName(nickname));

const toRow = (row: Selectable<Tables['account']> | undefined): AccountRow | null =>
  (row as AccountRow | undefined) ?? null;

export async function findAccount(db: Db, tenantId: Key, id: Key): Promise<AccountRow | null> {
  return toRow(
    await db
      .selectFrom('account')
      .selectAll()
      .where('tenant_id', '=', tenantId)
      .where('id', '=', id)
      .executeTakeFirst(),
  );
}

export async function findAccountByName(db: Db, tenantId: Key, username: string): Promise<AccountRow | null> {
  const folded = foldName(username);
  return toRow(
    await db
      .selectFrom('account')
      .selectAll()
      .where('tenant_id', '=', tenantId)
      .where('username_folded', '=', folded)
      .executeTakeFirst(),
  );
}

/** An address belongs to one account of the whole server, so it also tells the tenant. */
export async function findAccountByEmail(db: Db, email: string): Promise<AccountRow | null> {
  return toRow(await db.selectFrom('account').selectAll().where('email', '=', email.toLowerCase()).executeTakeFirst());
}

/** Whatever its role and status. */
export async function findAccountByExternalId(db: Db, tenantId: Key, externalId: string): Promise<AccountRow | null> {
  return toRow(
    await db
      .selectFrom('account')
      .selectAll()
      .where('tenant_id', '=', tenantId)
      .where('external_id', '=', externalId)
      .executeTakeFirst(),
  );
}

/** User names by account, of one tenant. */
export async function listUsernames(db: Db, tenantId: Key, ids: readonly Key[]): Promise<ReadonlyMap<Key, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('account')
    .select(['id', 'username'])
    .where('tenant_id', '=', tenantId)
    .where('id', 'in', ids)
    .execute();
  return new Map(rows.map(row => [row.id, row.username]));
}

/** What others see of an account. */
export type PersonRow = Pick<AccountRow, 'id' | 'external_id' | 'username' | 'nickname' | 'avatar'>;

const personColumns = ['id', 'external_id', 'username', 'nickname', 'avatar'] as const;

/** Somebody of the tenant who is let in. */
export async function findPerson(db: Db, tenantId: Key, externalId: string): Promise<PersonRow | null> {
  const row = await db
    .selectFrom('account')
    .select(personColumns)
    .where('tenant_id', '=', tenantId)
    .where('external_id', '=', externalId)
    .where('status', '=', 'ACTIVE')
    .executeTakeFirst();
  return row ?? null;
}

/** People by account, of one tenant, whatever has become of them. */
export async function listPeople(db: Db, tenantId: Key, ids: readonly Key[]): Promise<ReadonlyMap<Key, PersonRow>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('account')
    .select(personColumns)
    .where('tenant_id', '=', tenantId)
    .where('id', 'in', [...new Set(ids)])
    .execute();
  return new Map(rows.map(row => [row.id, row]));
}

/** By part of user name or nickname, or by the whole external id; who is called exactly so comes first. */
export async function searchPeople(
  db: Db,
  tenantId: Key,
  keyword: string,
  { except, limit }: { readonly except: Key; readonly limit: number },
): Promise<PersonRow[]> {
  const byId = await findPerson(db, tenantId, keyword);
  const ids = [...(byId ? [byId.id] : []), ...(await findByName(db, tenantId, keyword, limit + 1))];
  const wanted = [...new Set(ids)].filter(id => id !== except).slice(0, limit);
  const people = await listPeople(db, tenantId, wanted);
  return wanted.flatMap(id => people.get(id) ?? []);
}

/** Reads nothing but the index of names, however many there are. */
async function findByName(db: Db, tenantId: Key, keyword: string, limit: number): Promise<Key[]> {
  const folded = foldName(keyword);
  const holds = (column: 'username_folded' | 'nickname_folded', pattern: string) =>
    sql<boolean>`${sql.ref(column)} like ${pattern} escape '\\'`;
  const [part, beginning] = [`%${escapeLike(folded)}%`, `${escapeLike(folded)}%`];
  const rows = await db
    .selectFrom('account')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('status', '=', 'ACTIVE')
    .where(eb => eb.or([holds('username_folded', part), holds('nickname_folded', part)]))
    .orderBy(sql`username_folded = ${folded}`, 'desc')
    .orderBy(holds('username_folded', beginning), 'desc')
    .orderBy('username_folded')
    .limit(limit)
    .execute();
  return rows.map(row => row.id);
}

type NewAccount = {
  tenantId: Key;
  externalId: string;
  username: string;
  email: string;
  nickname: string | null;
  role: Role;
  passwordHash: string;
};

/** Null when the name or the address is taken. */
export async function insertAccount(tx: Tx, account: NewAccount, now: Time): Promise<AccountRow | null> {
  const row = await tx
    .insertInto('account')
    .values({
      tenant_id: account.tenantId,
      external_id: account.externalId,
      username: account.username,
      username_folded: foldName(account.username),
      email: account.email.toLowerCase(),
      nickname: account.nickname,
      nickname_folded: foldNickname(account.nickname),
      avatar: null,
      role: account.role,
      status: 'ACTIVE',
      password_hash: account.passwordHash,
      auth_version: 1,
      registered_at: now,
    })
    .onConflict(conflict => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
  return toRow(row);
}

type AccountChange = Partial<Pick<AccountRow, 'role' | 'status' | 'email' | 'nickname' | 'avatar' | 'password_hash'>>;

export async function updateAccount(tx: Tx, tenantId: Key, id: Key, change: AccountChange): Promise<AccountRow> {
  const row = await tx
    .updateTable('account')
    .set(change.nickname === undefined ? change : { ...change, nickname_folded: foldNickname(change.nickname) })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return row as AccountRow;
}

/** No account can be registered under the name and the address that it gets: neither fits its schema. */
export async function eraseAccount(tx: Tx, tenantId: Key, id: Key, passwordHash: string, now: Time): Promise<void> {
  const username = `(deleted ${id})`;
  await tx
    .updateTable('account')
    .set({
      username,
      username_folded: foldName(username),
      email: `${id}@deleted`,
      nickname: null,
      nickname_folded: null,
      avatar: null,
      status: 'SUSPENDED',
      password_hash: passwordHash,
      deleted_at: now,
    })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute();
}

/** Null when the address is taken: then the transaction has to be undone. */
export async function moveToAddress(tx: Tx, tenantId: Key, id: Key, email: string): Promise<AccountRow | null> {
  try {
    return await updateAccount(tx, tenantId, id, { email });
  } catch (error) {
    if (isTaken(error)) return null;
    throw error;
  }
}

/** The same password hashed anew. A password that took its place since the account was read stays. */
export async function renewPasswordHash(tx: Tx, account: AccountRow, renewed: string): Promise<void> {
  await tx
    .updateTable('account')
    .set({ password_hash: renewed })
    .where('tenant_id', '=', account.tenant_id)
    .where('id', '=', account.id)
    .where('password_hash', '=', account.password_hash)
    .execute();
}

/** Every token made so far dies with this. */
export async function bumpAuthVersion(tx: Tx, tenantId: Key, id: Key): Promise<number> {
  const row = await tx
    .updateTable('account')
    .set(eb => ({ auth_version: eb('auth_version', '+', 1) }))
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .returning('auth_version')
    .executeTakeFirstOrThrow();
  return row.auth_version;
}

export async function countActiveAdmins(tx: Db, tenantId: Key): Promise<number> {
  const row = await tx
    .selectFrom('account')
    .select(eb => eb.fn.countAll<number>().as('count'))
    .where('tenant_id', '=', tenantId)
    .where('role', '=', 'admin')
    .where('status', '=', 'ACTIVE')
    .executeTakeFirstOrThrow();
  return row.count;
}

export const listActiveAdmins = (db: Db, tenantId: Key): Promise<Pick<AccountRow, 'id'>[]> =>
  db
    .selectFrom('account')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('role', '=', 'admin')
    .where('status', '=', 'ACTIVE')
    .orderBy('id')
    .execute();

export async function countAccounts(db: Db, tenantId: Key): Promise<number> {
  const { count } = await db
    .selectFrom('account')
    .select(eb => eb.fn.countAll<number>().as('count'))
    .where('tenant_id', '=', tenantId)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  return count;
}

type AccountFilter = {
  keyword?: string | undefined;
  role?: Role | undefined;
  status?: AccountStatus | undefined;
};

const columns = { registerTime: 'registered_at', username: 'username_folded' } as const;

export async function listAccounts(
  db: Db,
  tenantId: Key,
  filter: AccountFilter,
  request: PageRequest,
): Promise<Found<AccountRow>> {
  let query = db.selectFrom('account').where('tenant_id', '=', tenantId).where('deleted_at', 'is', null);
  if (filter.role) query = query.where('role', '=', filter.role);
  if (filter.status) query = query.where('status', '=', filter.status);
  const keyword = filter.keyword?.trim();
  if (keyword) {
    const pattern = `%${escapeLike(foldName(keyword))}%`;
    const holds = (column: 'username_folded' | 'email' | 'nickname_folded') =>
      sql<boolean>`${sql.ref(column)} like ${pattern} escape '\\'`;
    query = query.where(({ or }) => or([holds('username_folded'), holds('email'), holds('nickname_folded')]));
  }
  const { column, direction } = toOrder(request, columns);
  const { rows, total } = await findPage(query, request, accounts =>
    accounts.selectAll().orderBy(column, direction).orderBy('id', direction),
  );
  return { rows: rows as AccountRow[], total };
}
