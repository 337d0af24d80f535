// Pages of shares, of an owner or of a whole tenant. The ids of a page are found first, in an index that holds all it takes;
// totals come from counters, so no list counts what stands behind it. By status only tenants are asked for theirs: owners
// have no index for that.
import type { PageRequest } from '@recordproof/shared/api/common.ts';
import { shareStatuses } from '@recordproof/shared/api/shares.ts';
import { type Found, onPage, toOrder } from '../../platform/db/page.ts';
import type { Db, Time } from '../../platform/db/tables.ts';
import { listCounts, sumCounts } from './count-queries.ts';
import { type ShareRow, type ShareScope, within } from './queries.ts';

const columns = { createdAt: 'created_at', expireTime: 'expire_at' } as const;

type Wish = ShareScope & { readonly status?: number | undefined };

export async function listShares(db: Db, wish: Wish, request: PageRequest, now: Time): Promise<Found<ShareRow>> {
  const { column, direction } = toOrder(request, columns);
  const total = await countShares(db, wish, now);
  if ((request.page - 1) * request.size >= total) return { rows: [], total };
  const rows = await db
    .selectFrom(idsOnPage(db, wish, request, now).as('found'))
    .innerJoin('share', 'share.id', 'found.id')
    .selectAll('share')
    .orderBy(`share.${column}`, direction)
    .orderBy('share.id', direction)
    .execute();
  return { rows, total };
}

const { ACTIVE, EXPIRED } = shareStatuses;

/** Past their time and not marked so yet: what the job has left, so few. */
const due = (db: Db, scope: ShareScope, now: Time) =>
  within(db, scope).where('status', '=', ACTIVE).where('expire_at', '<=', now);

/** By the status as policy.ts tells it. */
async function countShares(db: Db, { status, ...scope }: Wish, now: Time): Promise<number> {
  const known = sumCounts(await listCounts(db, scope), status);
  if (status !== ACTIVE && status !== EXPIRED) return known;
  const counted = due(db, scope, now).select(eb => eb.fn.countAll<number>().as('unmarked'));
  const { unmarked } = await counted.executeTakeFirstOrThrow();
  return status === ACTIVE ? known - unmarked : known + unmarked;
}

function idsOnPage(db: Db, { status, ...scope }: Wish, request: PageRequest, now: Time) {
  const { column, direction } = toOrder(request, columns);
  if (status === EXPIRED) return expiredOnPage(db, scope, request, now);
  let query = within(db, scope);
  if (status !== undefined) query = query.where('status', '=', status);
  if (status === ACTIVE) query = query.where('expire_at', '>', now);
  return query.select('id').orderBy(column, direction).orderBy('id', direction).$call(onPage(request));
}

/** Of those that are marked and of those that are not yet, each in the order of its index, the page is cut. */
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
