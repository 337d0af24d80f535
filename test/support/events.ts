// Events to accounts: sends them, and reads those that were stored after all due work has run.
import type { EventPayload, EventType } from '@recordproof/shared/api/events.ts';
import { type Audience, notify } from '../../server/src/features/events/index.ts';
import type { Key } from '../../server/src/platform/db/tables.ts';
import type { TestApp } from './app.ts';

export type ReceivedEvent<T extends EventType = EventType> = { readonly type: T; readonly payload: EventPayload<T> };

/** Events that were addressed to this account alone, oldest first. */
export async function noticesOf(app: TestApp, username: string): Promise<ReceivedEvent[]> {
  await app.drain();
  const rows = await app.app.database.db
    .selectFrom('event')
    .innerJoin('account', 'account.id', 'event.user_id')
    .select(['event.type', 'event.payload'])
    .where('account.username', '=', username)
    .orderBy('event.id')
    .execute();
  return rows.map(({ type, payload }) => ({ type, payload: JSON.parse(payload) }) as ReceivedEvent);
}

export type Account = { readonly tenantId: Key; readonly userId: Key };

/** The ids of an account, by its name. */
export async function accountOf(app: TestApp, username: string): Promise<Account> {
  const row = await app.app.database.db
    .selectFrom('account')
    .select(['tenant_id as tenantId', 'id as userId'])
    .where('username', '=', username)
    .executeTakeFirstOrThrow();
  return row;
}

/** Sends an audience of a tenant an event that its payload names. */
export async function announce(app: TestApp, tenantId: Key, to: Audience, title: string): Promise<void> {
  const payload = { id: '1', title, priority: 0, isPinned: false };
  await app.app.database.db
    .transaction()
    .execute(tx => notify(tx, { tenantId, to, type: 'announcement-published', payload }, app.clock.now()));
}

/** Sends one account an event. */
export async function announceTo(app: TestApp, username: string, title: string): Promise<void> {
  const { tenantId, userId } = await accountOf(app, username);
  await announce(app, tenantId, { kind: 'users', userIds: [userId] }, title);
}
