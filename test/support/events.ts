// What people were told, read from the database after everything due has run.
import type { EventPayload, EventType } from '@recordproof/shared/api/events.ts';
import type { TestApp } from './app.ts';

export type Told<T extends EventType = EventType> = { readonly type: T; readonly payload: EventPayload<T> };

/** Events that were addressed to this person alone, oldest first. */
export async function toldTo(app: TestApp, username: string): Promise<Told[]> {
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
