// All SQL on trust rules, and on exchanged identity tokens.
import type { Insertable, Selectable } from 'kysely';
import { deleteWhere, findFirst, hasRow, insertReturning, selectWhere } from '../../platform/db/rows.ts';
import type { Db, Key, Tables, Time, Tx } from '../../platform/db/tables.ts';

export type RuleRow = Selectable<Tables['workload_identity_rule']>;

type Owner = { readonly tenantId: Key; readonly userId: Key };

export const insertRule = (tx: Tx, row: Insertable<Tables['workload_identity_rule']>): Promise<RuleRow> =>
  insertReturning(tx, 'workload_identity_rule', row);

export const listRules = (db: Db, { tenantId, userId }: Owner): Promise<RuleRow[]> =>
  selectWhere(db, 'workload_identity_rule', { tenant_id: tenantId, user_id: userId })
    .selectAll()
    .orderBy('id')
    .execute();

/** Returns whether the rule is there, and keeps it until the transaction ends. */
export const lockRule = (tx: Tx, { tenant_id, id }: Pick<RuleRow, 'tenant_id' | 'id'>): Promise<boolean> =>
  hasRow(
    tx
      .updateTable('workload_identity_rule')
      .set(eb => ({ name: eb.ref('name') }))
      .where('tenant_id', '=', tenant_id)
      .where('id', '=', id)
      .returning('id'),
  );

export const deleteRule = (tx: Tx, { tenantId, userId }: Owner, id: Key): Promise<RuleRow | null> =>
  findFirst(
    tx
      .deleteFrom('workload_identity_rule')
      .where('tenant_id', '=', tenantId)
      .where('user_id', '=', userId)
      .where('id', '=', id)
      .returningAll(),
  );

export const deleteRulesOf = (tx: Tx, { tenantId, userId }: Owner): Promise<void> =>
  deleteWhere(tx, 'workload_identity_rule', { tenant_id: tenantId, user_id: userId });

/** Returns whether this is its first use: of concurrent calls, one succeeds. */
export const noteFirstUse = (tx: Tx, digest: string, expiresAt: Time): Promise<boolean> =>
  hasRow(
    tx
      .insertInto('workload_identity_use')
      .values({ digest, expires_at: expiresAt })
      .onConflict(conflict => conflict.doNothing())
      .returning('digest'),
  );

export async function deleteUses(tx: Tx, before: Time): Promise<void> {
  await tx.deleteFrom('workload_identity_use').where('expires_at', '<', before).execute();
}

/** In any tenant: external ids are unique. */
export const findServiceAccount = (db: Db, externalId: string) =>
  findFirst(
    db
      .selectFrom('account')
      .innerJoin('tenant', 'tenant.id', 'account.tenant_id')
      .select(['account.id', 'account.tenant_id', 'account.username'])
      .where('account.external_id', '=', externalId)
      .where('account.kind', '=', 'service')
      .where('account.status', '=', 'ACTIVE')
      .where('tenant.status', '=', 'ACTIVE'),
  );
