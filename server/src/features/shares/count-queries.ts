// SQL on the number of shares per status, of an owner and of a tenant; lists take their totals from it.
import type { Selectable } from 'kysely';
import type { Db, Key, Tables, Tx } from '../../platform/db/tables.ts';
import { wholeTenant } from '../quotas/index.ts';
import type { ShareRow, ShareScope } from './queries.ts';

type CountRow = Selectable<Tables['share_count']>;

/** By the stored status: some active ones may have expired. */
export function listCounts(db: Db, { tenantId, ownerId }: ShareScope): Promise<CountRow[]> {
  return db
    .selectFrom('share_count')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('owner_id', '=', ownerId ?? wholeTenant)
    .execute();
}

export const sumCounts = (counts: readonly CountRow[], status?: number): number =>
  counts.reduce((sum, count) => (status === undefined || count.status === status ? sum + count.shares : sum), 0);

/** A status change of a share; null before it is created. */
type Step = { readonly from: number | null; readonly to: number };

/**
 * In the transaction of the change, as its last lock before the audit log's; the rows are locked in one order until it
 * ends. Returns the owner's counts of those statuses.
 */
export async function countStep(
  tx: Tx,
  { tenant_id, owner_id }: Pick<ShareRow, 'tenant_id' | 'owner_id'>,
  { from, to }: Step,
): Promise<CountRow[]> {
  if (from === to) return [];
  const changes = [...(from === null ? [] : [{ status: from, shares: -1 }]), { status: to, shares: 1 }];
  changes.sort((one, other) => one.status - other.status);
  const toRows = (owner: Key) => changes.map(change => ({ tenant_id, owner_id: owner, ...change }));
  const rows = await tx
    .insertInto('share_count')
    .values([...toRows(wholeTenant), ...toRows(owner_id)])
    .onConflict(conflict =>
      conflict
        .columns(['tenant_id', 'owner_id', 'status'])
        .doUpdateSet(eb => ({ shares: eb('share_count.shares', '+', eb.ref('excluded.shares')) })),
    )
    .returningAll()
    .execute();
  return rows.filter(row => row.owner_id === owner_id);
}
