// SQL on how many shares there are of each status, of an owner and of a whole tenant: lists tell their totals from it.
import type { Selectable } from 'kysely';
import type { Db, Key, Tables, Tx } from '../../platform/db/tables.ts';
import { wholeTenant } from '../files/index.ts';
import type { ShareRow, ShareScope } from './queries.ts';

type CountRow = Selectable<Tables['share_count']>;

/** By the status that stands in the rows: some that are active in them may be past their time. */
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

/** What becomes of a share: nothing before it is made. */
type Step = { readonly from: number | null; readonly to: number };

/**
 * In the transaction of the change, as its last lock before the audit log's; the rows stay locked, in one order, until it
 * ends. Answers what the owner has now, of those statuses.
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
