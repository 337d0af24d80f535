// All SQL on second factors.
import type { Role } from '@recordproof/shared/api/auth.ts';
import type { Selectable } from 'kysely';
import { deleteWhere, findWhere, hasRow, insertInto, selectWhere } from '../../platform/db/rows.ts';
import type { Db, Key, Tables, Time, Tx } from '../../platform/db/tables.ts';

export type Owner = { readonly id: Key; readonly tenant_id: Key };

/** Factors of an account change one after another: what is counted then still holds at the commit. Taken before all else. */
export async function lockFactors(tx: Tx, { id, tenant_id }: Owner): Promise<void> {
  await tx
    .updateTable('account')
    .set(eb => ({ auth_version: eb.ref('auth_version') }))
    .where('tenant_id', '=', tenant_id)
    .where('id', '=', id)
    .execute();
}

export const findTotp = (db: Db, { id, tenant_id }: Owner): Promise<Selectable<Tables['totp']> | null> =>
  findWhere(db, 'totp', { tenant_id, user_id: id });

export async function setPendingTotp(tx: Tx, { id, tenant_id }: Owner, sealed: string, now: Time): Promise<void> {
  const pending = { pending_secret: sealed, pending_at: now };
  await tx
    .insertInto('totp')
    .values({ user_id: id, tenant_id, sealed_secret: null, confirmed_at: null, last_step: 0, ...pending })
    .onConflict(conflict => conflict.column('user_id').doUpdateSet(pending))
    .execute();
}

/** Returns whether the pending secret is still the confirmed one: of concurrent calls, one succeeds. */
export const activateTotp = (
  tx: Tx,
  { id, tenant_id }: Owner,
  { sealed, step, now }: { readonly sealed: string; readonly step: number; readonly now: Time },
): Promise<boolean> =>
  hasRow(
    tx
      .updateTable('totp')
      .set({ sealed_secret: sealed, confirmed_at: now, last_step: step, pending_secret: null, pending_at: null })
      .where('tenant_id', '=', tenant_id)
      .where('user_id', '=', id)
      .where('pending_secret', '=', sealed)
      .returning('user_id'),
  );

/** Accepts a time step once: returns false for it and earlier ones afterwards. */
export const acceptStep = (tx: Tx, { id, tenant_id }: Owner, step: number): Promise<boolean> =>
  hasRow(
    tx
      .updateTable('totp')
      .set({ last_step: step })
      .where('tenant_id', '=', tenant_id)
      .where('user_id', '=', id)
      .where('last_step', '<', step)
      .returning('user_id'),
  );

export const deleteTotp = (tx: Tx, { id, tenant_id }: Owner): Promise<boolean> =>
  hasRow(tx.deleteFrom('totp').where('tenant_id', '=', tenant_id).where('user_id', '=', id).returning('user_id'));

export async function replaceRecoveryCodes(tx: Tx, owner: Owner, digests: readonly string[]): Promise<void> {
  await deleteRecoveryCodes(tx, owner);
  const { id: user_id, tenant_id } = owner;
  const rows = digests.map(code_digest => ({ tenant_id, user_id, code_digest }));
  await insertInto(tx, 'recovery_code', rows);
}

/** Deletes the code; returns whether it existed. */
export const useRecoveryCode = (tx: Tx, { id, tenant_id }: Owner, digest: string): Promise<boolean> =>
  hasRow(
    tx
      .deleteFrom('recovery_code')
      .where('tenant_id', '=', tenant_id)
      .where('user_id', '=', id)
      .where('code_digest', '=', digest)
      .returning('user_id'),
  );

export const deleteRecoveryCodes = (tx: Tx, { id, tenant_id }: Owner): Promise<void> =>
  deleteWhere(tx, 'recovery_code', { tenant_id, user_id: id });

export type EnrolledFactors = {
  readonly totpSince: Time | null;
  readonly passkeys: number;
  readonly recoveryCodesLeft: number;
};

/** For each of these accounts, in one statement per kind. */
export async function listEnrolledFactors(
  db: Db,
  tenantId: Key,
  ids: readonly Key[],
): Promise<ReadonlyMap<Key, EnrolledFactors>> {
  if (ids.length === 0) return new Map();
  const totps = await selectWhere(db, 'totp', { tenant_id: tenantId })
    .select(['user_id', 'confirmed_at'])
    .where('user_id', 'in', ids)
    .execute();
  const count = async (table: 'recovery_code' | 'passkey'): Promise<ReadonlyMap<Key, number>> => {
    const rows = await db
      .selectFrom(table)
      .select(eb => ['user_id', eb.fn.countAll<number>().as('count')])
      .where('tenant_id', '=', tenantId)
      .where('user_id', 'in', ids)
      .groupBy('user_id')
      .execute();
    return new Map(rows.map(row => [row.user_id, Number(row.count)]));
  };
  const [left, passkeys] = [await count('recovery_code'), await count('passkey')];
  const since = new Map(totps.map(row => [row.user_id, row.confirmed_at]));
  const toEnrolled = (id: Key): EnrolledFactors => ({
    totpSince: since.get(id) ?? null,
    passkeys: passkeys.get(id) ?? 0,
    recoveryCodesLeft: left.get(id) ?? 0,
  });
  return new Map(ids.map(id => [id, toEnrolled(id)]));
}

export type Requirement = { readonly since: Readonly<Partial<Record<Role, Time>>>; readonly graceDays: number };

export async function findRequirement(db: Db, tenantId: Key): Promise<Requirement> {
  const row = await selectWhere(db, 'factor_requirement', { tenant_id: tenantId })
    .select(['roles', 'grace_days'])
    .executeTakeFirst();
  return { since: row === undefined ? {} : JSON.parse(row.roles), graceDays: row?.grace_days ?? 14 };
}

export async function putRequirement(
  tx: Tx,
  tenantId: Key,
  { since, graceDays }: Requirement,
  now: Time,
): Promise<void> {
  const values = { roles: JSON.stringify(since), grace_days: graceDays, changed_at: now };
  await tx
    .insertInto('factor_requirement')
    .values({ tenant_id: tenantId, ...values })
    .onConflict(conflict => conflict.column('tenant_id').doUpdateSet(values))
    .execute();
}
