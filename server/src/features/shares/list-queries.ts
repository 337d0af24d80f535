// Pages of shares, of an owner or of a tenant, and their number per status. The ids of a page are found first, in a
// covering index; totals come from counters, so no list counts rows. Filtering by status is supported for tenants only:
// owners have no index for it.
import type { PageRequest } from '@recordproof/shared/api/common.ts';
import { shareStatuses } from '@recordproof/shared/api/shares.ts';
import type { Selectable } from 'kysely';
import { onPage, type RowPage, toOrder } from '../../platform/db/page.ts';
import { countRows, selectWhere } from '../../platform/db/rows.ts';
import type { Db, Key, Tables, Time, Tx } from '../../platform/db/tables.ts';
import { wholeTenant } from '../quotas/index.ts';
import { type ShareRow, type ShareScope, within } from './queries.ts';

type CountRow = Selectable<Tables['share_count']>;

/** By the stored status: some active ones may have expired. */
function listCounts(db: Db, { tenantId, ownerId }: ShareScope): Promise<CountRow[]> {
  return selectWhere(db, 'share_count', { tenant_id: tenantId, owner_id: ownerId ?? wholeTenant })
    .selectAll()
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

const columns = { createdAt: 'created_at', expireTime: 'expire_at' } as const;

type Input = ShareScope & { readonly status?: number | undefined };

export async function listShares(db: Db, input: Input, request: PageRequest, now: Time): Promise<RowPage<ShareRow>> {
  const { column, direction } = toOrder(request, columns);
  const total = await countShares(db, input, now);
  if ((request.page - 1) * request.size >= total) return { rows: [], total };
  const rows = await db
    .selectFrom(idsOnPage(db, input, request, now).as('found'))
    .innerJoin('share', 'share.id', 'found.id')
    .selectAll('share')
    .orderBy(`share.${column}`, direction)
    .orderBy('share.id', direction)
    .execute();
  return { rows, total };
}

const { ACTIVE, EXPIRED } = shareStatuses;

/** Expired but not yet marked by the job, therefore few. */
const due = (db: Db, scope: ShareScope, now: Time) =>
  within(db, scope).where('status', '=', ACTIVE).where('expire_at', '<=', now);

/** By the status according to policy.ts. */
async function countShares(db: Db, { status, ...scope }: Input, now: Time): Promise<number> {
  const storedCount = sumCounts(await listCounts(db, scope), status);
  if (status !== ACTIVE && status !== EXPIRED) return storedCount;
  const unmarked = await countRows(due(db, scope, now));
  return status === ACTIVE ? storedCount - unmarked : storedCount + unmarked;
}

function idsOnPage(db: Db, { status, ...scope }: Input, request: PageRequest, now: Time) {
  const { column, direction } = toOrder(request, columns);
  if (status === EXPIRED) return expiredOnPage(db, scope, request, now);
  let query = within(db, scope);
  if (status !== undefined) query = query.where('status', '=', status);
  if (status === ACTIVE) query = query.where('expire_at', '>', now);
  return query.select('id').orderBy(column, direction).orderBy('id', direction).$call(onPage(request));
}

/** Merges expired shares, marked and unmarked, each in index order, and takes the page. */
function expiredOnPage(db: Db, scope: ShareScope, request: PageRequest, now: Time) {
  const { column, direction } = toOrder(request, columns);
  const begin = (query: ReturnType<typeof within>) => {
    const first = query
      .select(['id', `${column} as at`])
      .orderBy(column, direction)
      .orderBy('id', direction)
      .limit(request.page * request.size);
    return db.selectFrom(first.as('first')).select(['id', 'at']);
  };
  const marked = within(db, scope).where('status', '=', EXPIRED);
  return db
    .selectFrom(
      begin(marked)
        .unionAll(begin(due(db, scope, now)))
        .as('expired'),
    )
    .select('id')
    .orderBy('at', direction)
    .orderBy('id', direction)
    .$call(onPage(request));
}
