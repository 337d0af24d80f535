// Accounts around tickets, their calls, and their notifications.
import * as api from '@recordproof/shared/api/tickets.ts';
import type { Person, TestApp } from './app.ts';
import { noticesOf } from './events.ts';
import { idOf } from './friends.ts';
import { sendFile } from './uploads.ts';

export type TicketPeople = Readonly<Record<'alice' | 'bob' | 'root' | 'helper' | 'watcher' | 'foreigner', Person>>;

/** Two who ask, two who answer, one who watches, and an administrator of another tenant. */
export async function openTicketPeople(app: TestApp): Promise<TicketPeople> {
  return {
    alice: await app.person('alice'),
    bob: await app.person('bob'),
    root: await app.person('root', { role: 'admin' }),
    helper: await app.person('helper', { role: 'admin' }),
    watcher: await app.person('watcher', { role: 'monitor' }),
    foreigner: await app.person('foreigner', { role: 'admin', tenant: 'acme' }),
  };
}

type Wording = { readonly title?: string; readonly content?: string; readonly attachmentIds?: string[] };

export const openTicket = (person: Person, wording: Wording = {}): Promise<api.Ticket> =>
  person.call(api.createTicket, { body: { title: 'It broke', content: 'When I pressed the button.', ...wording } });

export const replyTo = (
  person: Person,
  id: string,
  more: { readonly content?: string; readonly isInternal?: boolean } = {},
): Promise<api.TicketReply> =>
  person.call(api.replyToTicket, { params: { id }, body: { content: 'Have you tried again?', ...more } });

export const readTicket = (person: Person, id: string): Promise<api.TicketDetails> =>
  person.call(api.getTicket, { params: { id } });

export const toStatus = (id: string, status: api.TicketStatus) => ({ params: { id }, body: { status } });

export const takeTo = (administrator: Person, id: string, status: api.TicketStatus): Promise<api.Ticket> =>
  administrator.call(api.updateAnyTicketStatus, toStatus(id, status));

export const assignTo = async (administrator: Person, id: string, to: Person): Promise<api.Ticket> =>
  administrator.call(api.assignTicket, { params: { id }, body: { assigneeId: await idOf(to) } });

export const storeFile = async (person: Person, name: string) => (await sendFile(person, Buffer.from(name), name)).data;

/** Notifications of this account alone. */
export const payloadsFor = async (app: TestApp, name: string) =>
  (await noticesOf(app, name)).map(({ payload }) => payload as Record<string, unknown>);

/** Notifications of administrators as a role. */
export async function payloadsForAdministrators(app: TestApp) {
  await app.drain();
  const { db } = app.app.database;
  const toAll = db
    .selectFrom('event')
    .select('payload')
    .where('roles', '=', 'admin')
    .where('user_id', 'is', null)
    .orderBy('id');
  const rows = await toAll.execute();
  return rows.map(row => JSON.parse(row.payload) as Record<string, unknown>);
}
