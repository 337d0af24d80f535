import { me } from '@recordproof/shared/api/auth.ts';
import { deleteFile, getFile } from '@recordproof/shared/api/files.ts';
import * as api from '@recordproof/shared/api/tickets.ts';
import { expect, test } from 'vitest';
import { type Person, startApp, type TestApp } from '../../../../test/support/app.ts';
import { toldTo } from '../../../../test/support/events.ts';
import { sendFile } from '../../../../test/support/uploads.ts';

const { PENDING, PROCESSING, CONFIRMING, COMPLETED, CLOSED } = api.ticketStatus;

const open = (person: Person, more: Partial<{ title: string; content: string; attachmentIds: string[] }> = {}) =>
  person.call(api.createTicket, { body: { title: 'It broke', content: 'When I pressed the button.', ...more } });
const reply = (person: Person, id: string, more: { content?: string; isInternal?: boolean } = {}) =>
  person.call(api.replyToTicket, { params: { id }, body: { content: 'Have you tried again?', ...more } });
const read = (person: Person, id: string) => person.call(api.getTicket, { params: { id } });
const toStatus = (id: string, status: api.TicketStatus) => ({ params: { id }, body: { status } });
const take = (admin: Person, id: string, status: api.TicketStatus) =>
  admin.call(api.updateAnyTicketStatus, toStatus(id, status));
const externalIdOf = async (person: Person) => (await person.call(me)).externalId;
const assign = async (admin: Person, id: string, to: Person) =>
  admin.call(api.assignTicket, { params: { id }, body: { assigneeId: await externalIdOf(to) } });
const store = async (person: Person, name: string) => (await sendFile(person, Buffer.from(name), name)).data;

async function openPeople(app: TestApp) {
  return {
    alice: await app.person('alice'),
    bob: await app.person('bob'),
    root: await app.person('root', { role: 'admin' }),
    helper: await app.person('helper', { role: 'admin' }),
    watcher: await app.person('watcher', { role: 'monitor' }),
    foreigner: await app.person('foreigner', { role: 'admin', tenant: 'acme' }),
  };
}

/** What administrators were told as such, whoever they are. */
async function toldToAdministrators(app: TestApp) {
  await app.drain();
  const rows = await app.app.database.db.selectFrom('event').select('payload').where('roles', '=', 'admin').execute();
  return rows.map(row => JSON.parse(row.payload) as Record<string, unknown>);
}

const payloads = async (app: TestApp, name: string) => (await toldTo(app, name)).map(({ payload }) => payload);

test('a ticket goes its way between who opened it and an administrator, and each is told what the other does', async () => {
  await using app = await startApp();
  const { alice, root } = await openPeople(app);
  const ticket = await open(alice);
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
  expect(await toldToAdministrators(app)).toEqual([{ ticketId: id, ticketNo, newStatus: 0, preview: 'It broke' }]);

  expect(await assign(root, id, root)).toMatchObject({ status: PROCESSING, assigneeName: 'root' });
  await reply(root, id, { content: 'Have you\n\ttried again?' });
  await reply(alice, id, { content: 'Yes.' });
  await take(root, id, CONFIRMING);
  await alice.call(api.updateTicketStatus, toStatus(id, PROCESSING));
  await take(root, id, CONFIRMING);
  await alice.call(api.updateTicketStatus, toStatus(id, COMPLETED));
  expect(await alice.call(api.updateTicketStatus, toStatus(id, CLOSED))).toMatchObject({ status: CLOSED });

  const about = { ticketId: id, ticketNo };
  expect(await payloads(app, 'alice')).toEqual([
    { ...about, oldStatus: PENDING, newStatus: PROCESSING },
    { ...about, replierName: 'root', preview: 'Have you tried again?' },
    { ...about, oldStatus: PROCESSING, newStatus: CONFIRMING },
    { ...about, oldStatus: PROCESSING, newStatus: CONFIRMING },
  ]);
  expect(await payloads(app, 'root')).toEqual([
    { ...about, replierName: 'alice', preview: 'Yes.' },
    { ...about, oldStatus: CONFIRMING, newStatus: PROCESSING },
    { ...about, oldStatus: CONFIRMING, newStatus: COMPLETED },
    { ...about, oldStatus: COMPLETED, newStatus: CLOSED },
  ]);
  expect(await toldToAdministrators(app)).toHaveLength(1);

  const details = await read(alice, id);
  expect(details).toMatchObject({ content: 'When I pressed the button.', replyCount: 2, attachments: [] });
  expect(details.replies.records.map(({ authorName, fromAdministrator }) => [authorName, fromAdministrator])).toEqual([
    ['alice', false],
    ['root', true],
  ]);
  expect(await read(root, id)).toEqual(details);
});

test('the first reply of an administrator takes a ticket up, in one event with the reply', async () => {
  await using app = await startApp();
  const { alice, root, helper } = await openPeople(app);
  const { id, ticketNo } = await open(alice);
  await reply(alice, id, { content: 'By the way.' });
  expect(await read(alice, id), 'after a reply of the creator').toMatchObject({ status: PENDING, replyCount: 1 });
  await reply(root, id, { content: 'x'.repeat(200) });
  await reply(helper, id, { content: 'Me too.' });
  expect(await read(alice, id)).toMatchObject({ status: PROCESSING, assigneeName: null });
  const preview = `${'x'.repeat(99)}…`;
  expect(await payloads(app, 'alice')).toEqual([
    { ticketId: id, ticketNo, oldStatus: PENDING, newStatus: PROCESSING, replierName: 'root', preview },
    { ticketId: id, ticketNo, replierName: 'helper', preview: 'Me too.' },
  ]);
});

test('an administrator with a ticket of their own is a creator like others', async () => {
  await using app = await startApp();
  const { root, helper } = await openPeople(app);
  const { id } = await open(root);
  await reply(root, id);
  const seen = await read(root, id);
  expect(seen).toMatchObject({ status: PENDING, replies: { records: [{ fromAdministrator: false }] } });
  expect(await root.refused(api.updateTicketStatus, toStatus(id, PROCESSING))).toMatchObject({ code: 60008 });
  expect(await take(root, id, PROCESSING), 'by the door of administrators').toMatchObject({ status: PROCESSING });
  await reply(helper, id, { isInternal: true });
  expect((await read(root, id)).replies.records[0]).toMatchObject({ isInternal: true, authorName: 'helper' });
});

test('an internal reply and its attachments leave no trace that the creator could see', async () => {
  await using app = await startApp();
  const { alice, root } = await openPeople(app);
  const { id } = await open(alice);
  const before = await read(alice, id);
  const listed = await alice.call(api.listTickets);
  const file = await store(root, 'notes.txt');
  const note = { content: 'Strange customer.', isInternal: true, attachmentIds: [file.fileId] };
  await root.call(api.replyToTicket, { params: { id }, body: note });
  expect(await read(alice, id), 'status, count, time and page of replies').toEqual(before);
  expect(await alice.call(api.listTickets)).toEqual(listed);
  expect(await payloads(app, 'alice')).toEqual([]);

  const seen = await read(root, id);
  expect(seen).toMatchObject({ status: PENDING, replyCount: 1, replies: { total: 1 } });
  expect(seen.replies.records[0]).toMatchObject({
    isInternal: true,
    fromAdministrator: true,
    content: 'Strange customer.',
    attachments: [{ fileId: file.fileId, fileName: 'notes.txt' }],
  });
  expect((await root.call(api.listAllTickets)).records[0]).toMatchObject({ replyCount: 1 });
  await reply(root, id, { content: 'We look into it.' });
  const page = (await read(alice, id)).replies;
  expect(page).toMatchObject({ total: 1, pages: 1 });
  expect(page.records.map(record => record.content)).toEqual(['We look into it.']);
  const own = { params: { id }, body: { content: 'x', isInternal: true } };
  expect(await alice.refused(api.replyToTicket, own)).toMatchObject({ status: 403 });
  expect((await read(alice, id)).replyCount).toBe(1);
});

test('of an internal reply only the administrator who handles the ticket is told', async () => {
  await using app = await startApp();
  const { alice, root, helper } = await openPeople(app);
  const { id, ticketNo } = await open(alice);
  await assign(root, id, helper);
  await reply(root, id, { content: 'Over to you.', isInternal: true });
  await reply(helper, id, { content: 'Thanks.', isInternal: true });
  expect(await payloads(app, 'helper')).toEqual([
    { ticketId: id, ticketNo, oldStatus: PENDING, newStatus: PROCESSING },
    { ticketId: id, ticketNo, replierName: 'root', preview: 'Over to you.' },
  ]);
  expect(await payloads(app, 'root')).toEqual([]);
  expect(await payloads(app, 'alice')).toHaveLength(1);
  expect(await toldToAdministrators(app)).toHaveLength(1);
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
type Door = typeof api.updateTicketStatus | typeof api.updateAnyTicketStatus;

test('of all steps only those of the table are taken, each by whom it belongs to', async () => {
  await using app = await startApp();
  const { alice, root } = await openPeople(app);
  const all = Object.values(api.ticketStatus);
  const tryAll = async (allowed: readonly string[], by: Person, door: Door) => {
    for (const [from, to] of all.flatMap(from => all.map(to => [from, to] as const))) {
      const { id } = await open(alice);
      for (const step of ways[from]) await take(root, id, step);
      const label = `${by.name} ${from}→${to}`;
      if (allowed.includes(`${from}→${to}`)) {
        expect((await by.call(door, toStatus(id, to))).status, label).toBe(to);
      } else {
        const code = from === CLOSED ? 60006 : 60008;
        expect(await by.refused(door, toStatus(id, to)), label).toMatchObject({ status: 409, code });
        expect((await read(alice, id)).status, label).toBe(from);
      }
    }
  };
  await tryAll(creatorSteps, alice, api.updateTicketStatus);
  await tryAll(administratorSteps, root, api.updateAnyTicketStatus);
});

test('a closed ticket takes neither replies nor handlers', async () => {
  await using app = await startApp();
  const { alice, root } = await openPeople(app);
  const { id } = await open(alice);
  await alice.call(api.updateTicketStatus, toStatus(id, CLOSED));
  const answer = { params: { id }, body: { content: 'x' } };
  const note = { params: { id }, body: { content: 'x', isInternal: true } };
  for (const refusal of [
    await alice.refused(api.replyToTicket, answer),
    await root.refused(api.replyToTicket, answer),
    await root.refused(api.replyToTicket, note),
    await root.refused(api.assignTicket, { params: { id }, body: { assigneeId: await externalIdOf(root) } }),
  ]) {
    expect(refusal).toMatchObject({ status: 409, code: 60006 });
  }
  expect(await read(root, id)).toMatchObject({ replyCount: 0, assigneeName: null });
});

test('a ticket goes to active administrators of the tenant, and again to the same one changes nothing', async () => {
  await using app = await startApp();
  const { alice, root, helper, watcher, foreigner } = await openPeople(app);
  const { id } = await open(alice);
  const refusal = async (to: string) => root.refused(api.assignTicket, { params: { id }, body: { assigneeId: to } });
  const unknown = await refusal(`U${'x'.repeat(22)}`);
  expect(unknown).toMatchObject({ status: 404, code: 20004 });
  expect(await refusal(await externalIdOf(foreigner))).toMatchObject({ code: 20004, message: unknown.message });
  for (const person of [alice, watcher]) {
    expect(await refusal(await externalIdOf(person))).toMatchObject({ status: 400, code: 10001 });
  }
  expect(await refusal('root')).toMatchObject({ status: 400 });
  expect(await read(alice, id)).toMatchObject({ status: PENDING });

  const assigned = await assign(root, id, helper);
  app.clock.advance(1000);
  expect(await assign(root, id, helper)).toEqual(assigned);
  expect(await assign(helper, id, root)).toMatchObject({ assigneeName: 'root', status: PROCESSING });
  expect(await payloads(app, 'helper'), 'once').toHaveLength(1);
  expect(await payloads(app, 'root'), 'the new one').toHaveLength(1);
  expect(await payloads(app, 'alice'), 'only that it was taken up').toHaveLength(1);
  const { db } = app.app.database;
  const audited = await db.selectFrom('audit_log').select('id').where('operation_type', '=', 'assign').execute();
  expect(audited).toHaveLength(2);
});

test('when its handler is no administrator any more, all administrators are told again', async () => {
  await using app = await startApp();
  const { alice, root, helper } = await openPeople(app);
  const { id } = await open(alice);
  await assign(root, id, helper);
  const { db } = app.app.database;
  await db.updateTable('account').set({ role: 'user' }).where('username', '=', 'helper').execute();
  await reply(alice, id, { content: 'Anybody there?' });
  expect(await payloads(app, 'helper'), 'only of the assignment').toHaveLength(1);
  expect((await toldToAdministrators(app)).map(({ preview }) => preview)).toEqual(['It broke', 'Anybody there?']);
});

test('to strangers, to monitors and to administrators of another tenant a ticket is not there', async () => {
  await using app = await startApp();
  const { alice, bob, watcher, foreigner } = await openPeople(app);
  const { id } = await open(alice);
  const calls = (which: string): [Parameters<Person['refused']>[0], object][] => [
    [api.getTicket, { params: { id: which } }],
    [api.replyToTicket, { params: { id: which }, body: { content: 'x' } }],
    [api.updateTicketStatus, toStatus(which, CLOSED)],
  ];
  const forAdministrators = async (which: string): Promise<[Parameters<Person['refused']>[0], object][]> => [
    [api.assignTicket, { params: { id: which }, body: { assigneeId: await externalIdOf(foreigner) } }],
    [api.updateAnyTicketStatus, toStatus(which, CLOSED)],
  ];
  const expectNothing = async (person: Person, endpoint: Parameters<Person['refused']>[0], input: object) => {
    const missing = await person.refused(endpoint, { ...input, params: { id: '999999999' } } as never);
    const refusal = await person.refused(endpoint, input as never);
    const label = `${person.name} ${endpoint.name}`;
    expect(refusal, label).toMatchObject({ status: 404, code: 60005, message: missing.message });
    expect(missing, label).toMatchObject({ status: 404, code: 60005 });
  };
  for (const person of [bob, foreigner]) {
    for (const [endpoint, input] of calls(id)) await expectNothing(person, endpoint, input);
  }
  await expectNothing(watcher, api.getTicket, { params: { id } });
  for (const [endpoint, input] of await forAdministrators(id)) {
    await expectNothing(foreigner, endpoint, input);
    for (const person of [alice, bob, watcher]) {
      expect(await person.refused(endpoint, input as never)).toMatchObject({ status: 403, code: 403 });
    }
  }
  expect(await read(alice, id)).toMatchObject({ status: PENDING, replyCount: 0 });
});

test('monitors and people see lists of their own tickets alone, administrators those of their tenant', async () => {
  await using app = await startApp();
  const { alice, bob, root, watcher, foreigner } = await openPeople(app);
  const { ticketNo } = await open(alice);
  const found = async (person: Person, endpoint: typeof api.listTickets | typeof api.listAllTickets) =>
    (await person.call(endpoint)).records.map(record => record.ticketNo);
  expect(await found(alice, api.listTickets)).toEqual([ticketNo]);
  for (const person of [bob, root, watcher, foreigner]) expect(await found(person, api.listTickets)).toEqual([]);
  expect(await found(root, api.listAllTickets)).toEqual([ticketNo]);
  expect(await found(foreigner, api.listAllTickets)).toEqual([]);
  for (const person of [alice, watcher]) {
    expect(await person.refused(api.listAllTickets)).toMatchObject({ status: 403 });
  }
  const wish = { body: { title: 'a', content: 'b' } };
  expect(await watcher.refused(api.createTicket, wish)).toMatchObject({ status: 403 });
  expect((await foreigner.call(api.createTicket, wish)).ticketNo, 'each tenant counts for itself').toBe(ticketNo);
});

test('an administrator changes the tickets of others by the door of administrators only', async () => {
  await using app = await startApp();
  const { alice, root } = await openPeople(app);
  const { id } = await open(alice);
  expect(await root.refused(api.updateTicketStatus, toStatus(id, CLOSED))).toMatchObject({ status: 403, code: 60007 });
  expect(await read(alice, id)).toMatchObject({ status: PENDING });
});

test('nobody comes in without logging in', async () => {
  await using app = await startApp();
  const calls: [Parameters<Person['refused']>[0], object?][] = [
    [api.createTicket, { body: { title: 'a', content: 'b' } }],
    [api.listTickets],
    [api.getTicket, { params: { id: '1' } }],
    [api.replyToTicket, { params: { id: '1' }, body: { content: 'x' } }],
    [api.updateTicketStatus, toStatus('1', CLOSED)],
    [api.listAllTickets],
    [api.assignTicket, { params: { id: '1' }, body: { assigneeId: `U${'x'.repeat(22)}` } }],
    [api.updateAnyTicketStatus, toStatus('1', CLOSED)],
  ];
  for (const [endpoint, input] of calls) {
    expect(await app.anonymous.refused(endpoint, input as never), endpoint.name).toMatchObject({ status: 401 });
  }
});

const outOfBounds: readonly (readonly [object, string])[] = [
  [{ title: '' }, 'title'],
  [{ title: '   ' }, 'title'],
  [{ title: 'x'.repeat(201) }, 'title'],
  [{ title: 'two\nlines' }, 'title'],
  [{ title: 'bell\u0007' }, 'title'],
  [{ title: 7 }, 'title'],
  [{ content: '' }, 'content'],
  [{ content: ' \n\t ' }, 'content'],
  [{ content: 'x'.repeat(10_001) }, 'content'],
  [{ content: 'nul\u0000' }, 'content'],
  [{ content: 'escape\u001b[31m' }, 'content'],
  [{ content: 'half \ud83d' }, 'content'],
  [{ priority: 3 }, 'priority'],
  [{ priority: '1' }, 'priority'],
  [{ category: 4 }, 'category'],
  [{ category: null }, 'category'],
  [{ attachmentIds: ['x'] }, 'attachmentIds'],
  [{ attachmentIds: '1' }, 'attachmentIds'],
];

test('what is not within bounds is refused and says why, and text is kept as it was written', async () => {
  await using app = await startApp();
  const { alice } = await openPeople(app);
  for (const [change, field] of outOfBounds) {
    const refusal = await alice.refused(api.createTicket, { body: { title: 'a', content: 'b', ...change } } as never);
    expect(refusal, JSON.stringify(change).slice(0, 60)).toMatchObject({ status: 400 });
    expect(refusal.message).toContain(field);
  }
  const text = '<script>alert(1)</script> **bold** 表\r\n\tindented \u{1F600}';
  const { id } = await open(alice, { title: ` ${'T'.repeat(200)} `, content: text });
  expect(await read(alice, id)).toMatchObject({ title: 'T'.repeat(200), content: text });
  const empty = { params: { id }, body: { content: '' } };
  expect(await alice.refused(api.replyToTicket, empty)).toMatchObject({ status: 400 });
  for (const status of [5, -1, 1.5, '4', null]) {
    const refusal = await alice.refused(api.updateTicketStatus, { params: { id }, body: { status } } as never);
    expect(refusal, String(status)).toMatchObject({ status: 400 });
  }
  expect(await alice.refused(api.getTicket, { params: { id: 'x' } })).toMatchObject({ status: 400 });
  expect(await alice.call(api.listTickets)).toMatchObject({ total: 1 });
});

test('attached are own living files, ten at most; both sides see what they are, nobody else gets the bytes', async () => {
  await using app = await startApp();
  const { alice, bob, root, foreigner } = await openPeople(app);
  const file = await store(alice, 'log.txt');
  const gone = await store(alice, 'gone.txt');
  await alice.call(deleteFile, { params: { hash: gone.fileHash } });
  const others = [await store(bob, 'bob.txt'), await store(foreigner, 'far.txt'), gone];
  const wish = (attachmentIds: string[]) => ({ body: { title: 'a', content: 'b', attachmentIds } });
  const unknown = await alice.refused(api.createTicket, wish(['999999999']));
  expect(unknown).toMatchObject({ status: 404, code: 50008 });
  for (const { fileId } of others) {
    const refusal = await alice.refused(api.createTicket, wish([file.fileId, fileId]));
    expect(refusal).toMatchObject({ code: 50008, message: unknown.message });
  }
  const eleven = Array.from({ length: 11 }, (_, index) => String(index + 1000));
  expect(await alice.refused(api.createTicket, wish(eleven))).toMatchObject({ status: 400, code: 60009 });
  expect(await alice.call(api.listTickets), 'nothing was written').toMatchObject({ total: 0 });

  const { id, ticketNo } = await open(alice, { attachmentIds: [file.fileId, file.fileId] });
  expect(ticketNo, 'refused tickets take no number').toBe('TK202601310001');
  const { attachments } = await read(root, id);
  expect(attachments).toMatchObject([{ fileId: file.fileId, fileName: 'log.txt', fileSize: 7 }]);
  expect(await root.refused(getFile, { params: { hash: file.fileHash } })).toMatchObject({ code: 50008 });

  const own = await store(root, 'fix.zip');
  const answer = (attachmentIds: string[]) => ({ params: { id }, body: { content: 'Here.', attachmentIds } });
  expect(await alice.refused(api.replyToTicket, answer([own.fileId]))).toMatchObject({ code: 50008 });
  expect(await root.refused(api.replyToTicket, answer(eleven))).toMatchObject({ code: 60009 });
  const written = await root.call(api.replyToTicket, answer([own.fileId]));
  expect(written).toMatchObject({ attachments: [{ fileName: 'fix.zip' }] });
  expect((await read(alice, id)).replies.records).toEqual([written]);
  await alice.call(deleteFile, { params: { hash: file.fileHash } });
  expect((await read(alice, id)).attachments, 'what was attached stays in the list').toEqual(attachments);
});

test('replies are read page by page, the newest first unless turned round', async () => {
  await using app = await startApp();
  const { alice, root } = await openPeople(app);
  const { id } = await open(alice);
  for (const content of ['1', '2', '3']) await reply(alice, id, { content });
  await reply(root, id, { content: 'note', isInternal: true });
  const page = async (person: Person, query: object) => {
    const { replies } = await person.call(api.getTicket, { params: { id }, query });
    return [replies.records.map(({ content }) => content).join(' '), replies.total, replies.pages];
  };
  expect(await page(alice, {})).toEqual(['3 2 1', 3, 1]);
  expect(await page(alice, { size: 2, page: 2 })).toEqual(['1', 3, 2]);
  expect(await page(alice, { size: 2, page: 2, sort: 'createdAt,asc' })).toEqual(['3', 3, 2]);
  expect(await page(root, { sort: 'createdAt,asc' })).toEqual(['1 2 3 note', 4, 1]);
  expect(await page(alice, { page: 9 })).toEqual(['', 3, 1]);
  const unsortable = { params: { id }, query: { sort: 'id' } };
  expect(await alice.refused(api.getTicket, unsortable)).toMatchObject({ status: 400 });
});
