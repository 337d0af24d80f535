// All SQL on events, and the notices that become events. Ids increase within a tenant in commit order: a client that
// remembers the last id it saw misses nothing by asking for later ones
// (docs/decisions/0060-events-are-numbered-in-commit-order.md).
import type { Role } from '@recordproof/shared/api/auth.ts';
import type { EventPayload, EventType } from '@recordproof/shared/api/events.ts';
import type { Selectable } from 'kysely';
import { type Awaitable, andThen } from '../../platform/awaitable.ts';
import type { Database } from '../../platform/db/open-db.ts';
import { prepare } from '../../platform/db/prepared.ts';
import { findWhere, insertInto, selectWhere } from '../../platform/db/rows.ts';
import type { Db, Key, Tables, Time, Tx } from '../../platform/db/tables.ts';

/** The audience, within one tenant. */
export type Audience =
  | {
      readonly kind: 'users';
      readonly userIds: readonly Key[];
      /** Not delivered to a user who has lost this role. */
      readonly as?: Role;
    }
  | { readonly kind: 'roles'; readonly roles: readonly Role[] }
  | { readonly kind: 'tenant' };

export type Notice<T extends EventType = EventType> = {
  readonly tenantId: Key;
  readonly to: Audience;
  readonly type: T;
  readonly payload: EventPayload<T>;
};

export type EventRow = Selectable<Tables['event']>;

const noOne = { user_id: null, roles: null };
const rowsAtOnce = 1000;

const toAddressees = (to: Audience): { user_id: Key | null; roles: string | null }[] => {
  switch (to.kind) {
    case 'users':
      return [...new Set(to.userIds)].map(userId => ({ user_id: userId, roles: to.as ?? null }));
    case 'roles':
      return [{ ...noOne, roles: to.roles.join(' ') }];
    case 'tenant':
      return [noOne];
  }
};

type GivenNotice = Omit<Notice, 'tenantId'> & { readonly createdAt: Time };

/** In this order. */
export async function insertEvents(
  tx: Tx,
  tenantId: Key,
  notices: readonly GivenNotice[],
  storedAt: Time,
): Promise<void> {
  const events = notices.flatMap(({ to, type, payload, createdAt }) => {
    const eventRow = { type, payload: JSON.stringify(payload), created_at: createdAt };
    return toAddressees(to).map(addressee => ({ ...addressee, ...eventRow }));
  });
  const first = (await takeIds(tx, tenantId, events.length)) - events.length + 1;
  const rows = events.map((event, index) => ({
    tenant_id: tenantId,
    id: first + index,
    ...event,
    stored_at: storedAt,
  }));
  for (let at = 0; at < rows.length; at += rowsAtOnce) {
    await insertInto(tx, 'event', rows.slice(at, at + rowsAtOnce));
  }
}

/**
 * The last of `count` new ids. Locks the tenant's counter until the commit, so that greater ids are committed later.
 */
async function takeIds(tx: Tx, tenantId: Key, count: number): Promise<Key> {
  const row = await tx
    .insertInto('event_counter')
    .values({ tenant_id: tenantId, last_id: count })
    .onConflict(conflict =>
      conflict
        .column('tenant_id')
        .doUpdateSet(eb => ({ last_id: eb('event_counter.last_id', '+', eb.ref('excluded.last_id')) })),
    )
    .returning('last_id')
    .executeTakeFirstOrThrow();
  return row.last_id;
}

export type FindLastId = (tenantId: Key) => Awaitable<Key>;

/** Finds the newest committed id of a tenant; 0 before the first. */
export function prepareFindLastId(database: Pick<Database, 'db' | 'prepareFirst'>): FindLastId {
  const find = prepare(database, (db, [tenantId]: [tenantId: Key]) =>
    db.selectFrom('event_counter').select('last_id').where('tenant_id', '=', tenantId),
  );
  return tenantId => andThen(find(tenantId), row => row?.last_id ?? 0);
}

export const listLastIds = (db: Db): Promise<{ tenant_id: Key; last_id: Key }[]> =>
  db.selectFrom('event_counter').selectAll().execute();

export const findEvent = (db: Db, tenantId: Key, id: Key): Promise<EventRow | null> =>
  findWhere(db, 'event', { tenant_id: tenantId, id });

/** Events after an id, for any addressee. */
export const listEvents = (db: Db, tenantId: Key, after: Key, limit: number): Promise<EventRow[]> =>
  selectWhere(db, 'event', { tenant_id: tenantId })
    .selectAll()
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();

type Span = { readonly after: Key; readonly upTo: Key; readonly storedSince: Time };

/**
 * Events for one user within a range of ids, and those for several addressees, not all of which concern that user. Two
 * index scans, so that events of others cost nothing.
 */
export async function listEventsFor(
  db: Db,
  { tenantId, userId }: { tenantId: Key; userId: Key },
  { after, upTo, storedSince }: Span,
  limit: number,
): Promise<EventRow[]> {
  const walk = (whose: 'own' | 'shared') =>
    selectWhere(db, 'event', { tenant_id: tenantId })
      .selectAll()
      .where('user_id', whose === 'own' ? '=' : 'is', whose === 'own' ? userId : null)
      .where('id', '>', after)
      .where('id', '<=', upTo)
      .where('stored_at', '>=', storedSince)
      .orderBy('id')
      .limit(limit)
      .execute();
  const [own, shared] = await Promise.all([walk('own'), walk('shared')]);
  return [...own, ...shared].sort((a, b) => a.id - b.id).slice(0, limit);
}

/** Deletes events stored before a time; returns how many. */
export async function sweepEvents(db: Db, before: Time, limit: number): Promise<number> {
  const old = db
    .selectFrom('event')
    .select(['tenant_id', 'id'])
    .where('stored_at', '<', before)
    .orderBy('stored_at')
    .limit(limit);
  const { numDeletedRows } = await db
    .deleteFrom('event')
    .where(({ eb, refTuple }) => eb(refTuple('tenant_id', 'id'), 'in', old.$asTuple('tenant_id', 'id')))
    .executeTakeFirst();
  return Number(numDeletedRows);
}
