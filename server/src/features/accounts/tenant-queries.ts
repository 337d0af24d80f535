// SQL on tenants.
import type { PageRequest } from '@recordproof/shared/api/common.ts';
import type { TenantStatus } from '@recordproof/shared/api/tenants.ts';
import { type Selectable, sql } from 'kysely';
import { escapeLike } from '../../platform/db/like.ts';
import { findPage, type RowPage, toOrder } from '../../platform/db/page.ts';
import { findFirst, findWhere, hasRow } from '../../platform/db/rows.ts';
import type { Db, Key, Tables, Time, Tx } from '../../platform/db/tables.ts';
import type { AccountRow } from './queries.ts';

export type TenantRow = Selectable<Tables['tenant']>;

export const findTenant = (db: Db, name: string): Promise<TenantRow | null> => findWhere(db, 'tenant', { name });

export const findTenantById = (db: Db, id: Key): Promise<TenantRow | null> => findWhere(db, 'tenant', { id });

/** The tenant of people who register without naming one. */
export async function getDefaultTenant(db: Db): Promise<Key> {
  return (await db.selectFrom('tenant').select('id').orderBy('id').limit(1).executeTakeFirstOrThrow()).id;
}

export async function insertTenant(tx: Tx, name: string, now: Time): Promise<Key> {
  return (await tx.insertInto('tenant').values({ name, created_at: now }).returning('id').executeTakeFirstOrThrow()).id;
}

/** Returns whether there is no other tenant; installation-wide data then belongs to this tenant. */
export async function isOnlyTenant(db: Db, tenantId: Key): Promise<boolean> {
  const others = db.selectFrom('tenant').select('id').where('id', '<>', tenantId).limit(1);
  return (await others.executeTakeFirst()) === undefined;
}

export const listTenants = (db: Db): Promise<TenantRow[]> =>
  db.selectFrom('tenant').selectAll().orderBy('id').execute();

export const isTenantActive = async (db: Db, id: Key): Promise<boolean> =>
  (await findTenantById(db, id))?.status === 'ACTIVE';

/** Returns whether the tenant is active, and locks its status until the transaction ends. */
export const lockActiveTenant = (tx: Tx, id: Key): Promise<boolean> =>
  hasRow(
    tx
      .updateTable('tenant')
      .set({ status: 'ACTIVE' })
      .where('id', '=', id)
      .where('status', '=', 'ACTIVE')
      .returning('id'),
  );

type StatusChange = { readonly status: TenantStatus; readonly reason: string | null; readonly name?: string };

/** Returns null if its status is none of these any more: of concurrent changes, one succeeds. */
export const changeTenantStatus = (
  tx: Tx,
  id: Key,
  from: readonly TenantStatus[],
  { status, reason, ...renamed }: StatusChange,
  now: Time,
): Promise<TenantRow | null> =>
  findFirst(
    tx
      .updateTable('tenant')
      .set({ ...renamed, status, status_reason: reason, status_at: now })
      .where('id', '=', id)
      .where('status', 'in', from)
      .returningAll(),
  );

type TenantFilter = { readonly keyword?: string | undefined; readonly status?: TenantStatus | undefined };

const columns = { createdAt: 'created_at', name: 'name' } as const;

/** Deleted tenants are included only on request. */
export function listTenantPage(
  db: Db,
  { keyword, status }: TenantFilter,
  request: PageRequest,
): Promise<RowPage<TenantRow>> {
  const all = db.selectFrom('tenant');
  let query = status === undefined ? all.where('status', '<>', 'DELETED') : all.where('status', '=', status);
  const part = keyword?.trim().toLowerCase();
  if (part) query = query.where(sql<boolean>`name like ${`%${escapeLike(part)}%`} escape '\\'`);
  const { column, direction } = toOrder(request, columns);
  return findPage(query, request, rows => rows.selectAll().orderBy(column, direction).orderBy('id', direction));
}

/** Invalidates all tokens of all accounts of the tenant. */
export async function bumpAuthVersions(tx: Tx, tenantId: Key): Promise<void> {
  await tx
    .updateTable('account')
    .set(eb => ({ auth_version: eb('auth_version', '+', 1) }))
    .where('tenant_id', '=', tenantId)
    .execute();
}

type AccountCount = { readonly users: number; readonly administrators: number };

/** Accounts that are not deleted, by tenant. */
export async function countAccountsOf(db: Db, tenantIds: readonly Key[]): Promise<ReadonlyMap<Key, AccountCount>> {
  if (tenantIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('account')
    .select(({ fn }) => [
      'tenant_id',
      fn.countAll<number>().as('users'),
      fn.sum<number>(sql`case when role = 'admin' and status = 'ACTIVE' then 1 else 0 end`).as('administrators'),
    ])
    .where('tenant_id', 'in', tenantIds)
    .where('deleted_at', 'is', null)
    .groupBy('tenant_id')
    .execute();
  return new Map(
    rows.map(row => [row.tenant_id, { users: Number(row.users), administrators: Number(row.administrators) }]),
  );
}

/** Accounts of the tenant in any status but deleted. */
export async function listUndeleted(db: Db, tenantId: Key, limit: number): Promise<AccountRow[]> {
  const query = db.selectFrom('account').selectAll().where('tenant_id', '=', tenantId).where('deleted_at', 'is', null);
  return (await query.orderBy('id').limit(limit).execute()) as AccountRow[];
}
