// Support tickets: state transitions, notices, internal replies and assignment.
import { updateUserRole } from '@recordproof/shared/api/accounts.ts';
import * as api from '@recordproof/shared/api/tickets.ts';
import { expect, test } from 'vitest';
import { type Person, startApp, testPassword } from '../../../../test/support/app.ts';
import { checkEverything } from '../../../../test/support/check-everything.ts';
import { type Listener, listen } from '../../../../test/support/event-streams.ts';
import { accountOf } from '../../../../test/support/events.ts';
import { idOf } from '../../../../test/support/friends.ts';
import {
  assignTo,
  openTicket,
  openTicketPeople,
  payloadsFor,
  payloadsForAdministrators,
  readTicket,
  replyTo,
  storeFile,
  takeTo,
  toStatus,
} from '../../../../test/support/tickets.ts';

const { PENDING, PROCESSING, CONFIRMING, COMPLETED, CLOSED } = api.ticketStatus;

test('a ticket passes through all states, and each side is notified of changes by the other', {
  tags: 'long-on-postgres',
}, async () => {
  await using app = await startApp();
  const { alice, root } = await openTicketPeople(app);
  const ticket = await openTicket(alice);
  expect(ticket).toMatchObject({
    ticketNo: 'TK202601310001',
    title: 'It broke',
    status: PENDING,
    category: api.ticketCategory.OTHER,
    priority: api.ticketPriority.MEDIUM,
    creatorName: 'alice',
    assigneeName: null,
    replyCount: 0,
  });
  const { id, ticketNo } = ticket;
  expect(await payloadsForAdministrators(app)).toEqual([{ ticketId: id, ticketNo, newStatus: 0, preview: 'It broke' }]);

  expect(await assignTo(root, id, root)).toMatchObject({ status: PROCESSING, assigneeName: 'root' });
  await replyTo(root, id, { content: 'Have you\n\ttried again?' });
  await replyTo(alice, id, { content: 'Yes.' });
  await takeTo(root, id, CONFIRMING);
  await alice.call(api.updateTicketStatus, toStatus(id, PROCESSING));
  await takeTo(root, id, CONFIRMING);
  await alice.call(api.updateTicketStatus, toStatus(id, COMPLETED));
  expect(await alice.call(api.updateTicketStatus, toStatus(id, CLOSED))).toMatchObject({ status: CLOSED });

  const about = { ticketId: id, ticketNo };
  expect(await payloadsFor(app, 'alice')).toEqual([
    { ...about, oldStatus: PENDING, newStatus: PROCESSING },
    { ...about, replierName: 'root', preview: 'Have you tried again?' },
    { ...about, oldStatus: PROCESSING, newStatus: CONFIRMING },
    { ...about, oldStatus: PROCESSING, newStatus: CONFIRMING },
  ]);
  expect(await payloadsFor(app, 'root')).toEqual([
    { ...about, replierName: 'alice', preview: 'Yes.' },
    { ...about, oldStatus: CONFIRMING, newStatus: PROCESSING },
    { ...about, oldStatus: CONFIRMING, newStatus: COMPLETED },
    { ...about, oldStatus: COMPLETED, newStatus: CLOSED },
  ]);
  expect(await payloadsForAdministrators(app)).toHaveLength(1);

  const details = await readTicket(alice, id);
  expect(details).toMatchObject({ content: 'When I pressed the button.', replyCount: 2, attachments: [] });
  expect(details.replies.records.map(({ authorName, fromAdministrator }) => [authorName, fromAdministrator])).toEqual([
    ['alice', false],
    ['root', true],
  ]);
  expect(await readTicket(root, id)).toEqual(details);
  await checkEverything(app);
});

test('the first reply of an administrator starts processing, with one notification for both', {
  tags: 'long-on-postgres',
}, async () => {
  await using app = await startApp();
  const { alice, root, helper } = await openTicketPeople(app);
  const { id, ticketNo } = await openTicket(alice);
  await replyTo(alice, id, { content: 'By the way.' });
  expect(await readTicket(alice, id), 'after a reply of the creator').toMatchObject({ status: PENDING, replyCount: 1 });
  await replyTo(root, id, { content: 'x'.repeat(200) });
  await replyTo(helper, id, { content: 'Me too.' });
  expect(await readTicket(alice, id)).toMatchObject({ status: PROCESSING, assigneeName: null });
  const preview = `${'x'.repeat(99)}…`;
  expect(await payloadsFor(app, 'alice')).toEqual([
    { ticketId: id, ticketNo, oldStatus: PENDING, newStatus: PROCESSING, replierName: 'root', preview },
    { ticketId: id, ticketNo, replierName: 'helper', preview: 'Me too.' },
  ]);
});

test('an administrator is treated as the creator of an own ticket', { tags: 'long-on-postgres' }, async () => {
  await using app = await startApp();
  const { root, helper } = await openTicketPeople(app);
  const { id } = await openTicket(root);
  await replyTo(root, id);
  const seen = await readTicket(root, id);
  expect(seen).toMatchObject({ status: PENDING, replies: { records: [{ fromAdministrator: false }] } });
  expect(await root.expectError(api.updateTicketStatus, toStatus(id, PROCESSING))).toMatchObject({ code: 60008 });
  expect(await takeTo(root, id, PROCESSING), 'by the door of administrators').toMatchObject({ status: PROCESSING });
  await replyTo(helper, id, { isInternal: true });
  expect((await readTicket(root, id)).replies.records[0]).toMatchObject({ isInternal: true, authorName: 'helper' });
});

test('an internal reply and its attachments are invisible to the creator', async () => {
  await using app = await startApp();
  const { alice, root } = await openTicketPeople(app);
  const { id } = await openTicket(alice);
  const before = await readTicket(alice, id);
  const listed = await alice.call(api.listTickets);
  const file = await storeFile(root, 'notes.txt');
  const note = { content: 'Strange customer.', isInternal: true, attachmentIds: [file.fileId] };
  await root.call(api.replyToTicket, { params: { id }, body: note });
  expect(await readTicket(alice, id), 'status, count, time and page of replies').toEqual(before);
  expect(await alice.call(api.listTickets)).toEqual(listed);
  expect(await payloadsFor(app, 'alice')).toEqual([]);

  const seen = await readTicket(root, id);
  expect(seen).toMatchObject({ status: PENDING, replyCount: 1, replies: { total: 1 } });
  expect(seen.replies.records[0]).toMatchObject({
    isInternal: true,
    fromAdministrator: true,
    content: 'Strange customer.',
    attachments: [{ fileId: file.fileId, fileName: 'notes.txt' }],
  });
  expect((await root.call(api.listAllTickets)).records[0]).toMatchObject({ replyCount: 1 });
  await replyTo(root, id, { content: 'We look into it.' });
  const page = (await readTicket(alice, id)).replies;
  expect(page).toMatchObject({ total: 1, pages: 1 });
  expect(page.records.map(record => record.content)).toEqual(['We look into it.']);
  const own = { params: { id }, body: { content: 'x', isInternal: true } };
  expect(await alice.expectError(api.replyToTicket, own)).toMatchObject({ status: 403 });
  expect((await readTicket(alice, id)).replyCount).toBe(1);
  await checkEverything(app);
});

test('an internal reply is notified only to the assigned administrator', { tags: 'long-on-postgres' }, async () => {
  await using app = await startApp();
  const { alice, root, helper } = await openTicketPeople(app);
  const { id, ticketNo } = await openTicket(alice);
  await assignTo(root, id, helper);
  await replyTo(root, id, { content: 'Over to you.', isInternal: true });
  await replyTo(helper, id, { content: 'Thanks.', isInternal: true });
  expect(await payloadsFor(app, 'helper')).toEqual([
    { ticketId: id, ticketNo, oldStatus: PENDING, newStatus: PROCESSING },
    { ticketId: id, ticketNo, replierName: 'root', preview: 'Over to you.' },
  ]);
  expect(await payloadsFor(app, 'root')).toEqual([]);
  expect(await payloadsFor(app, 'alice')).toHaveLength(1);
  expect(await payloadsForAdministrators(app)).toHaveLength(1);
});

test('a former administrator no longer receives missed events of the administrator role', {
  tags: 'long-on-postgres',
}, async () => {
  await using app = await startApp();
  const { alice, root, helper } = await openTicketPeople(app);
  const { id } = await openTicket(alice);
  await assignTo(root, id, helper);
  await replyTo(root, id, { content: 'Between us.', isInternal: true });
  await replyTo(alice, id, { content: 'It is urgent.' });
  await app.drain();
  const missed = { headers: { 'last-event-id': '0' } };
  const previewsOf = (listener: Listener) => listener.messages.flatMap(({ payload }) => Object(payload).preview ?? []);
  using before = await listen(helper, missed);
  await before.until('ticket-updated', ({ payload }) => Object(payload).preview === 'It is urgent.');
  expect(previewsOf(before)).toEqual(['It broke', 'Between us.', 'It is urgent.']);

  const { userId } = await accountOf(app, 'helper');
  await root.call(updateUserRole, { params: { id: String(userId) }, body: { role: 'user' } });
  await helper.login('helper', testPassword);
  using after = await listen(helper, missed);
  await takeTo(root, (await openTicket(helper)).id, CLOSED);
  await app.drain();
  await after.until('ticket-updated');
  expect(previewsOf(after)).toEqual([]);
});

/** Every step there is, as the two sides may take it. */
const creatorSteps = ['0→4', '1→4', '2→3', '2→1', '3→4'];
const administratorSteps = ['0→1', '0→4', '1→2', '1→4', '2→3', '2→1', '3→4'];
const ways: Readonly<Record<api.TicketStatus, readonly api.TicketStatus[]>> = {
  0: [],
  1: [PROCESSING],
  2: [PROCESSING, CONFIRMING],
  3: [PROCESSING, CONFIRMING, COMPLETED],
  4: [CLOSED],
};
type StatusEndpoint = typeof api.updateTicketStatus | typeof api.updateAnyTicketStatus;

test('only the status changes in the table are accepted, each from its side', {
  tags: 'long-on-postgres',
}, async () => {
  await using app = await startApp();
  const { alice, root } = await openTicketPeople(app);
  const all = Object.values(api.ticketStatus);
  const tryAll = async (allowed: readonly string[], by: Person, endpoint: StatusEndpoint) => {
    for (const [from, to] of all.flatMap(from => all.map(to => [from, to] as const))) {
      const { id } = await openTicket(alice);
      for (const step of ways[from]) await takeTo(root, id, step);
      const label = `${by.name} ${from}→${to}`;
      if (allowed.includes(`${from}→${to}`)) {
        expect((await by.call(endpoint, toStatus(id, to))).status, label).toBe(to);
      } else {
        const code = from === CLOSED ? 60006 : 60008;
        expect(await by.expectError(endpoint, toStatus(id, to)), label).toMatchObject({ status: 409, code });
        expect((await readTicket(alice, id)).status, label).toBe(from);
      }
    }
  };
  await tryAll(creatorSteps, alice, api.updateTicketStatus);
  await tryAll(administratorSteps, root, api.updateAnyTicketStatus);
  await checkEverything(app);
});

test('a closed ticket accepts neither replies nor assignments', async () => {
  await using app = await startApp();
  const { alice, root } = await openTicketPeople(app);
  const { id } = await openTicket(alice);
  await alice.call(api.updateTicketStatus, toStatus(id, CLOSED));
  const answer = { params: { id }, body: { content: 'x' } };
  const note = { params: { id }, body: { content: 'x', isInternal: true } };
  for (const rejection of [
    await alice.expectError(api.replyToTicket, answer),
    await root.expectError(api.replyToTicket, answer),
    await root.expectError(api.replyToTicket, note),
    await root.expectError(api.assignTicket, { params: { id }, body: { assigneeId: await idOf(root) } }),
  ]) {
    expect(rejection).toMatchObject({ status: 409, code: 60006 });
  }
  expect(await readTicket(root, id)).toMatchObject({ replyCount: 0, assigneeName: null });
});

test('a ticket can be assigned to active administrators of the tenant, and repeating it changes nothing', {
  tags: 'long-on-postgres',
}, async () => {
  await using app = await startApp();
  const { alice, root, helper, watcher, foreigner } = await openTicketPeople(app);
  const { id } = await openTicket(alice);
  const rejection = async (to: string) =>
    root.expectError(api.assignTicket, { params: { id }, body: { assigneeId: to } });
  const unknown = await rejection(`U${'x'.repeat(22)}`);
  expect(unknown).toMatchObject({ status: 404, code: 20004 });
  expect(await rejection(await idOf(foreigner))).toMatchObject({ code: 20004, message: unknown.message });
  for (const person of [alice, watcher]) {
    expect(await rejection(await idOf(person))).toMatchObject({ status: 400, code: 10001 });
  }
  expect(await rejection('root')).toMatchObject({ status: 400 });
  expect(await readTicket(alice, id)).toMatchObject({ status: PENDING });

  const assigned = await assignTo(root, id, helper);
  app.clock.advance(1000);
  expect(await assignTo(root, id, helper)).toEqual(assigned);
  expect(await assignTo(helper, id, root)).toMatchObject({ assigneeName: 'root', status: PROCESSING });
  expect(await payloadsFor(app, 'helper'), 'once').toHaveLength(1);
  expect(await payloadsFor(app, 'root'), 'the new one').toHaveLength(1);
  expect(await payloadsFor(app, 'alice'), 'only that it was taken up').toHaveLength(1);
  const { db } = app.app.database;
  const audited = await db.selectFrom('audit_log').select('id').where('operation_type', '=', 'assign').execute();
  expect(audited).toHaveLength(2);
});

test('if the assignee is no longer an administrator, all administrators are notified again', async () => {
  await using app = await startApp();
  const { alice, root, helper } = await openTicketPeople(app);
  const { id } = await openTicket(alice);
  await assignTo(root, id, helper);
  const { db } = app.app.database;
  await db.updateTable('account').set({ role: 'user' }).where('username', '=', 'helper').execute();
  await replyTo(alice, id, { content: 'Anybody there?' });
  expect(await payloadsFor(app, 'helper'), 'only of the assignment').toHaveLength(1);
  expect((await payloadsForAdministrators(app)).map(({ preview }) => preview)).toEqual(['It broke', 'Anybody there?']);
});
