// Pages of shares, of an owner or of a tenant. The ids of a page are found first, in a covering index; totals come from
// counters, so no list counts rows. Filtering by status is supported for tenants only: owners have no index for it.
import type { PageRequest } from '@recordproof/shared/api/common.ts';
import { shareStatuses } from '@recordproof/shared/api/shares.ts';
import { onPage, type RowPage, toOrder } from '../../platform/db/page.ts';
import type { Db, Time } from '../../platform/db/tables.ts';
import { listCounts, sumCounts } from './count-queries.ts';
import { type ShareRow, type ShareScope, within } from './queries.ts';

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
  const counted = due(db, scope, now).select(eb => eb.fn.countAll<number>().as('unmarked'));
  const { unmarked } = await counted.executeTakeFirstOrThrow();
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
