// Telling people something, and what they were told: read from the database after everything due has run.
import type { EventPayload, EventType } from '@recordproof/shared/api/events.ts';
import { type Audience, notify } from '../../server/src/features/events/index.ts';
import type { Key } from '../../server/src/platform/db/tables.ts';
import type { TestApp } from './app.ts';

export type Told<T extends EventType = EventType> = { readonly type: T; readonly payload: EventPayload<T> };

/** Events that were addressed to this person alone, oldest first. */
export async function noticesOf(app: TestApp, username: string): Promise<Told[]> {
  await app.drain();
  const rows = await app.app.database.db
    .selectFrom('event')
    .innerJoin('account', 'account.id', 'event.user_id')
    .select(['event.type', 'event.payload'])
    .where('account.username', '=', username)
    .orderBy('event.id')
    .execute();
  return rows.map(({ type, payload }) => ({ type, payload: JSON.parse(payload) }) as Told);
}

export type Account = { readonly tenantId: Key; readonly userId: Key };

/** Whom the database means by a name. */
export async function accountOf(app: TestApp, username: string): Promise<Account> {
  const row = await app.app.database.db
    .selectFrom('account')
    .select(['tenant_id as tenantId', 'id as userId'])
    .where('username', '=', username)
    .executeTakeFirstOrThrow();
  return row;
}

/** Tells an audience of a tenant something that its payload names. */
export async function announce(app: TestApp, tenantId: Key, to: Audience, title: string): Promise<void> {
  const payload = { id: '1', title, priority: 0, isPinned: false };
  await app.app.database.db
    .transaction()
    .execute(tx => notify(tx, { tenantId, to, type: 'announcement-published', payload }, app.clock.now()));
}

/** Tells one person something. */
export async function announceTo(app: TestApp, username: string, title: string): Promise<void> {
  const { tenantId, userId } = await accountOf(app, username);
  await announce(app, tenantId, { kind: 'users', userIds: [userId] }, title);
}
