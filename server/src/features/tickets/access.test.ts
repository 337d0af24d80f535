// Access to tickets by role and tenant, validation of their fields, and their attachments.
import { deleteFile, getFile } from '@recordproof/shared/api/files.ts';
import * as api from '@recordproof/shared/api/tickets.ts';
import { expect, test } from 'vitest';
import { type Person, startApp } from '../../../../test/support/app.ts';
import { checkEverything } from '../../../../test/support/check-everything.ts';
import { idOf } from '../../../../test/support/friends.ts';
import {
  openTicket,
  openTicketPeople,
  readTicket,
  replyTo,
  storeFile,
  toStatus,
} from '../../../../test/support/tickets.ts';

const { PENDING, CLOSED } = api.ticketStatus;

test('a ticket is not found by other users, monitors and administrators of other tenants', {
  tags: 'long-on-postgres',
}, async () => {
  await using app = await startApp();
  const { alice, bob, watcher, foreigner } = await openTicketPeople(app);
  const { id } = await openTicket(alice);
  const calls = (which: string): [Parameters<Person['expectError']>[0], object][] => [
    [api.getTicket, { params: { id: which } }],
    [api.replyToTicket, { params: { id: which }, body: { content: 'x' } }],
    [api.updateTicketStatus, toStatus(which, CLOSED)],
  ];
  const forAdministrators = async (which: string): Promise<[Parameters<Person['expectError']>[0], object][]> => [
    [api.assignTicket, { params: { id: which }, body: { assigneeId: await idOf(foreigner) } }],
    [api.updateAnyTicketStatus, toStatus(which, CLOSED)],
  ];
  const expectNothing = async (person: Person, endpoint: Parameters<Person['expectError']>[0], input: object) => {
    const missing = await person.expectError(endpoint, { ...input, params: { id: '999999999' } } as never);
    const rejection = await person.expectError(endpoint, input as never);
    const label = `${person.name} ${endpoint.name}`;
    expect(rejection, label).toMatchObject({ status: 404, code: 60005, message: missing.message });
    expect(missing, label).toMatchObject({ status: 404, code: 60005 });
  };
  for (const person of [bob, foreigner]) {
    for (const [endpoint, input] of calls(id)) await expectNothing(person, endpoint, input);
  }
  await expectNothing(watcher, api.getTicket, { params: { id } });
  for (const [endpoint, input] of await forAdministrators(id)) {
    await expectNothing(foreigner, endpoint, input);
    for (const person of [alice, bob, watcher]) {
      expect(await person.expectError(endpoint, input as never)).toMatchObject({ status: 403, code: 403 });
    }
  }
  expect(await readTicket(alice, id)).toMatchObject({ status: PENDING, replyCount: 0 });
  await checkEverything(app);
});

test('monitors and users list only their own tickets, administrators those of their tenant', {
  tags: 'long-on-postgres',
}, async () => {
  await using app = await startApp();
  const { alice, bob, root, watcher, foreigner } = await openTicketPeople(app);
  const { ticketNo } = await openTicket(alice);
  const found = async (person: Person, endpoint: typeof api.listTickets | typeof api.listAllTickets) =>
    (await person.call(endpoint)).records.map(record => record.ticketNo);
  expect(await found(alice, api.listTickets)).toEqual([ticketNo]);
  for (const person of [bob, root, watcher, foreigner]) expect(await found(person, api.listTickets)).toEqual([]);
  expect(await found(root, api.listAllTickets)).toEqual([ticketNo]);
  expect(await found(foreigner, api.listAllTickets)).toEqual([]);
  for (const person of [alice, watcher]) {
    expect(await person.expectError(api.listAllTickets)).toMatchObject({ status: 403 });
  }
  const input = { body: { title: 'a', content: 'b' } };
  expect(await watcher.expectError(api.createTicket, input)).toMatchObject({ status: 403 });
  expect((await foreigner.call(api.createTicket, input)).ticketNo, 'each tenant counts for itself').toBe(ticketNo);
});

test('an administrator changes tickets of others only through the endpoint for administrators', {
  tags: 'long-on-postgres',
}, async () => {
  await using app = await startApp();
  const { alice, root } = await openTicketPeople(app);
  const { id } = await openTicket(alice);
  expect(await root.expectError(api.updateTicketStatus, toStatus(id, CLOSED))).toMatchObject({
    status: 403,
    code: 60007,
  });
  expect(await readTicket(alice, id)).toMatchObject({ status: PENDING });
});

test('every call needs a session', { tags: 'long-on-postgres' }, async () => {
  await using app = await startApp();
  const calls: [Parameters<Person['expectError']>[0], object?][] = [
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
    expect(await app.anonymous.expectError(endpoint, input as never), endpoint.name).toMatchObject({ status: 401 });
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
  [{ content: 'half \ud83d' }, 'half a character'],
  [{ priority: 3 }, 'priority'],
  [{ priority: '1' }, 'priority'],
  [{ category: 4 }, 'category'],
  [{ category: null }, 'category'],
  [{ attachmentIds: ['x'] }, 'attachmentIds'],
  [{ attachmentIds: '1' }, 'attachmentIds'],
];

test('fields out of bounds are rejected by name, and text is stored unchanged', {
  tags: 'long-on-postgres',
}, async () => {
  await using app = await startApp();
  const { alice } = await openTicketPeople(app);
  for (const [change, field] of outOfBounds) {
    const rejection = await alice.expectError(api.createTicket, {
      body: { title: 'a', content: 'b', ...change },
    } as never);
    expect(rejection, JSON.stringify(change).slice(0, 60)).toMatchObject({ status: 400 });
    expect(rejection.message).toContain(field);
  }
  const text = '<script>alert(1)</script> **bold** 表\r\n\tindented \u{1F600}';
  const { id } = await openTicket(alice, { title: ` ${'T'.repeat(200)} `, content: text });
  expect(await readTicket(alice, id)).toMatchObject({ title: 'T'.repeat(200), content: text });
  const empty = { params: { id }, body: { content: '' } };
  expect(await alice.expectError(api.replyToTicket, empty)).toMatchObject({ status: 400 });
  for (const status of [5, -1, 1.5, '4', null]) {
    const rejection = await alice.expectError(api.updateTicketStatus, { params: { id }, body: { status } } as never);
    expect(rejection, String(status)).toMatchObject({ status: 400 });
  }
  expect(await alice.expectError(api.getTicket, { params: { id: 'x' } })).toMatchObject({ status: 400 });
  expect(await alice.call(api.listTickets)).toMatchObject({ total: 1 });
});

test('attachments are own existing files, at most ten, and only both sides of the ticket see them', {
  tags: 'long-on-postgres',
}, async () => {
  await using app = await startApp();
  const { alice, bob, root, foreigner } = await openTicketPeople(app);
  const file = await storeFile(alice, 'log.txt');
  const gone = await storeFile(alice, 'gone.txt');
  await alice.call(deleteFile, { params: { hash: gone.fileHash } });
  const others = [await storeFile(bob, 'bob.txt'), await storeFile(foreigner, 'far.txt'), gone];
  const input = (attachmentIds: string[]) => ({ body: { title: 'a', content: 'b', attachmentIds } });
  const unknown = await alice.expectError(api.createTicket, input(['999999999']));
  expect(unknown).toMatchObject({ status: 404, code: 50008 });
  for (const { fileId } of others) {
    const rejection = await alice.expectError(api.createTicket, input([file.fileId, fileId]));
    expect(rejection).toMatchObject({ code: 50008, message: unknown.message });
  }
  const eleven = Array.from({ length: 11 }, (_, index) => String(index + 1000));
  expect(await alice.expectError(api.createTicket, input(eleven))).toMatchObject({ status: 400, code: 60009 });
  expect(await alice.call(api.listTickets), 'nothing was written').toMatchObject({ total: 0 });

  const { id, ticketNo } = await openTicket(alice, { attachmentIds: [file.fileId, file.fileId] });
  expect(ticketNo, 'refused tickets take no number').toBe('TK202601310001');
  const { attachments } = await readTicket(root, id);
  expect(attachments).toMatchObject([{ fileId: file.fileId, fileName: 'log.txt', fileSize: 7 }]);
  expect(await root.expectError(getFile, { params: { hash: file.fileHash } })).toMatchObject({ code: 50008 });

  const own = await storeFile(root, 'fix.zip');
  const answer = (attachmentIds: string[]) => ({ params: { id }, body: { content: 'Here.', attachmentIds } });
  expect(await alice.expectError(api.replyToTicket, answer([own.fileId]))).toMatchObject({ code: 50008 });
  expect(await root.expectError(api.replyToTicket, answer(eleven))).toMatchObject({ code: 60009 });
  const written = await root.call(api.replyToTicket, answer([own.fileId]));
  expect(written).toMatchObject({ attachments: [{ fileName: 'fix.zip' }] });
  expect((await readTicket(alice, id)).replies.records).toEqual([written]);
  await alice.call(deleteFile, { params: { hash: file.fileHash } });
  expect((await readTicket(alice, id)).attachments, 'what was attached stays in the list').toEqual(attachments);
  await checkEverything(app);
});

test('replies are paged, newest first by default', async () => {
  await using app = await startApp();
  const { alice, root } = await openTicketPeople(app);
  const { id } = await openTicket(alice);
  for (const content of ['1', '2', '3']) await replyTo(alice, id, { content });
  await replyTo(root, id, { content: 'note', isInternal: true });
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
  expect(await alice.expectError(api.getTicket, unsortable)).toMatchObject({ status: 400 });
});
