// All SQL on tenants and accounts. Every query names the tenant, except those that look the tenant up.
import type { AccountKind, AccountStatus } from '@recordproof/shared/api/accounts.ts';
import type { Role } from '@recordproof/shared/api/auth.ts';
import type { PageRequest } from '@recordproof/shared/api/common.ts';
import { type Selectable, sql } from 'kysely';
import { isTaken } from '../../platform/db/database-errors.ts';
import { escapeLike } from '../../platform/db/like.ts';
import { findPage, type RowPage, toOrder } from '../../platform/db/page.ts';
import { countRows, findFirst, type RowQuery, selectWhere, updateWhere } from '../../platform/db/rows.ts';
import type { Db, Key, Tables, Time, Tx } from '../../platform/db/tables.ts';
import { foldText } from '../../platform/text.ts';

export type AccountRow = Omit<Selectable<Tables['account']>, 'role' | 'status' | 'kind'> & {
  role: Role;
  status: AccountStatus;
  kind: AccountKind;
};

export const foldName = foldText;
const foldNickname = (nickname: string | null): string | null => (nickname === null ? null : foldName(nickname));

const findAccountRow = async (query: RowQuery<Selectable<Tables['account']>>) =>
  (await findFirst(query)) as AccountRow | null;

export const findAccount = (db: Db, tenantId: Key, id: Key): Promise<AccountRow | null> =>
  findAccountRow(selectWhere(db, 'account', { tenant_id: tenantId, id }).selectAll());

export const findAccountByName = (db: Db, tenantId: Key, username: string): Promise<AccountRow | null> =>
  findAccountRow(selectWhere(db, 'account', { tenant_id: tenantId, username_folded: foldName(username) }).selectAll());

/** An address belongs to one account of the whole server, so it also identifies the tenant. */
export const findAccountByEmail = (db: Db, email: string): Promise<AccountRow | null> =>
  findAccountRow(selectWhere(db, 'account', { email: email.toLowerCase() }).selectAll());

/** In any role and status. */
export const findAccountByExternalId = (db: Db, tenantId: Key, externalId: string): Promise<AccountRow | null> =>
  findAccountRow(selectWhere(db, 'account', { tenant_id: tenantId, external_id: externalId }).selectAll());

/** User names by account, of one tenant. */
export async function listUsernames(db: Db, tenantId: Key, ids: readonly Key[]): Promise<ReadonlyMap<Key, string>> {
  if (ids.length === 0) return new Map();
  const rows = await selectWhere(db, 'account', { tenant_id: tenantId })
    .select(['id', 'username'])
    .where('id', 'in', ids)
    .execute();
  return new Map(rows.map(row => [row.id, row.username]));
}

type NewAccount = {
  tenantId: Key;
  externalId: string;
  username: string;
  email: string;
  nickname: string | null;
  role: Role;
  kind: AccountKind;
  passwordHash: string;
  isInstallationAdmin: boolean;
};

/** Returns null if the name or the address is taken. */
export const insertAccount = (tx: Tx, account: NewAccount, now: Time): Promise<AccountRow | null> =>
  findAccountRow(
    tx
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
        kind: account.kind,
        password_hash: account.passwordHash,
        auth_version: 1,
        registered_at: now,
        installation_admin: account.isInstallationAdmin ? 1 : 0,
      })
      .onConflict(conflict => conflict.doNothing())
      .returningAll(),
  );

type AccountChange = Partial<
  Pick<AccountRow, 'role' | 'status' | 'email' | 'nickname' | 'avatar' | 'password_hash' | 'installation_admin'>
>;

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

/** The erased name and address do not fit their schemas, so that no account can register with them. */
export async function eraseAccount(tx: Tx, tenantId: Key, id: Key, passwordHash: string, now: Time): Promise<void> {
  const username = `(deleted ${id})`;
  await updateWhere(
    tx,
    'account',
    { tenant_id: tenantId, id },
    {
      username,
      username_folded: foldName(username),
      email: `${id}@deleted`,
      nickname: null,
      nickname_folded: null,
      avatar: null,
      status: 'SUSPENDED',
      password_hash: passwordHash,
      deleted_at: now,
      installation_admin: 0,
    },
  );
}

/** Returns null if the address is taken; the transaction must then be rolled back. */
export async function moveToAddress(tx: Tx, tenantId: Key, id: Key, email: string): Promise<AccountRow | null> {
  try {
    return await updateAccount(tx, tenantId, id, { email });
  } catch (error) {
    if (isTaken(error)) return null;
    throw error;
  }
}

/** Stores the same password with a new hash. A password set since the account was read is kept. */
export const renewPasswordHash = (tx: Tx, account: AccountRow, renewed: string): Promise<void> =>
  updateWhere(
    tx,
    'account',
    { tenant_id: account.tenant_id, id: account.id, password_hash: account.password_hash },
    { password_hash: renewed },
  );

/** Invalidates all tokens of the account. */
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

const activeAdmins = (db: Db, tenantId: Key) =>
  selectWhere(db, 'account', { tenant_id: tenantId, role: 'admin', kind: 'person', status: 'ACTIVE' });

export const countActiveAdmins = (db: Db, tenantId: Key): Promise<number> => countRows(activeAdmins(db, tenantId));

export const listActiveAdmins = (db: Db, tenantId: Key): Promise<Pick<AccountRow, 'id'>[]> =>
  activeAdmins(db, tenantId).select('id').orderBy('id').execute();

export const countAccounts = (db: Db, tenantId: Key): Promise<number> =>
  countRows(db.selectFrom('account').where('tenant_id', '=', tenantId).where('deleted_at', 'is', null));

type AccountFilter = {
  keyword?: string | undefined;
  role?: Role | undefined;
  status?: AccountStatus | undefined;
  kind?: AccountKind | undefined;
};

const columns = { registerTime: 'registered_at', username: 'username_folded' } as const;

export async function listAccounts(
  db: Db,
  tenantId: Key,
  filter: AccountFilter,
  request: PageRequest,
): Promise<RowPage<AccountRow>> {
  let query = db.selectFrom('account').where('tenant_id', '=', tenantId).where('deleted_at', 'is', null);
  if (filter.role) query = query.where('role', '=', filter.role);
  if (filter.status) query = query.where('status', '=', filter.status);
  if (filter.kind) query = query.where('kind', '=', filter.kind);
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
