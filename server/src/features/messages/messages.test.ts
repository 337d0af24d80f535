// Messages between friends: delivery, unread counts, order and pages, deletion, and concurrency.
import type { AnyEndpoint } from '@recordproof/shared/api/endpoint.ts';
import type { ApiError } from '@recordproof/shared/api/errors.ts';
import { unfriend } from '@recordproof/shared/api/friends.ts';
import * as api from '@recordproof/shared/api/messages.ts';
import { expect, test } from 'vitest';
import type { Person } from '../../../../test/support/app.ts';
import { listAuditRows } from '../../../../test/support/audit-rows.ts';
import { checkEverything } from '../../../../test/support/check-everything.ts';
import { eachApp } from '../../../../test/support/each-app.ts';
import { noticesOf } from '../../../../test/support/events.ts';
import { befriend, idOf, openFriends } from '../../../../test/support/friends.ts';
import * as pictures from '../../../../test/support/pictures.ts';
import { sendFile } from '../../../../test/support/uploads.ts';
import { purgeMessages } from './conversation.ts';

const unknownId = `U${'0'.repeat(22)}`;

/** What a caller can tell apart. */
const shown = ({ status, code, message, detail }: ApiError) => ({ status, code, message, detail });

const write = async (from: Person, to: Person, content: string) =>
  from.call(api.sendMessage, { body: { receiverId: await idOf(to), content } });

const unread = async (person: Person) => (await person.call(api.countUnreadMessages)).count;

const conversationsOf = async (person: Person) => (await person.call(api.listConversations)).records;

const contents = async (person: Person, id: string, query: object = {}) =>
  (await person.call(api.listMessages, { params: { id }, query })).records.map(message => message.content);

async function uploadPicture(person: Person, kind: 'avatar' | 'image'): Promise<string> {
  const form = new FormData();
  form.set('file', new Blob([Buffer.from(pictures.png)]), 'x.png');
  const answer = await person.fetch(`/api/v1/images/upload/${kind}`, { method: 'POST', body: form });
  return ((await answer.json()) as { data: { path: string } }).data.path;
}

eachApp(start => {
  test('a message is delivered to the friend with a notification, is counted and can be read', {
    tags: 'long-on-postgres',
  }, async () => {
    await using app = await start();
    const { alice, bob } = await openFriends(app);
    const aliceId = await idOf(alice);
    const message = await write(alice, bob, 'Hello,\n\tBob — 你好');
    expect(message).toMatchObject({ senderId: aliceId, contentType: 'text', fileName: null });
    const { id, conversationId } = message;
    const told = (await noticesOf(app, 'bob')).at(-1);
    const payload = { messageId: id, conversationId, senderId: aliceId, senderName: 'alice' };
    expect(told).toEqual({ type: 'message-received', payload: { ...payload, preview: 'Hello, Bob — 你好' } });
    expect((await noticesOf(app, 'alice')).map(({ type }) => type)).not.toContain('message-received');

    expect(await bob.call(api.getMessage, { params: { id } })).toEqual(message);
    expect(await bob.call(api.getConversation, { params: { id: conversationId } })).toMatchObject({
      id: conversationId,
      person: { externalId: aliceId, username: 'alice' },
      isFriend: true,
      unreadCount: 1,
      lastMessage: { id, senderId: aliceId, contentType: 'text', preview: 'Hello, Bob — 你好' },
    });
    expect([await unread(alice), await unread(bob)]).toEqual([0, 1]);
    expect(await bob.call(api.readConversation, { params: { id: conversationId } })).toEqual({ count: 0 });
    expect(await unread(bob)).toBe(0);
    await checkEverything(app);
  });

  test('marking as read advances to the given message, never back and never beyond the newest', {
    tags: 'long-on-postgres',
  }, async () => {
    await using app = await start();
    const { alice, bob } = await openFriends(app);
    const sent = [];
    for (const text of ['1', '2', '3', '4']) sent.push(await write(alice, bob, text));
    await write(bob, alice, 'mine');
    const params = { id: sent[0]?.conversationId ?? '' };
    const read = (messageId?: string) =>
      bob.call(api.readConversation, { params, ...(messageId !== undefined && { body: { messageId } }) });
    expect(await unread(bob)).toBe(4);
    expect(await read(sent[2]?.id)).toEqual({ count: 1 });
    expect(await read(sent[0]?.id), 'what was read stays read').toEqual({ count: 1 });
    expect(await read('999999999')).toEqual({ count: 0 });
    await write(alice, bob, '5');
    expect(await unread(bob), 'what comes later is unread').toBe(1);
    expect(await unread(alice)).toBe(1);
    await checkEverything(app);
  });

  test('unread counts stay right under concurrent writes and reads', async () => {
    await using app = await start();
    const { alice, bob, carol } = await openFriends(app);
    await befriend(carol, bob);
    const { conversationId } = await write(alice, bob, 'first');
    await write(carol, bob, 'first');
    const params = { id: conversationId };
    const work = Array.from({ length: 120 }, (_, at) => {
      if (at % 6 === 5) return bob.call(api.readConversation, { params });
      if (at % 6 === 4) return write(bob, alice, `b${at}`);
      if (at % 6 === 3) return write(carol, bob, `c${at}`);
      return write(alice, bob, `a${at}`);
    });
    await Promise.all(work);
    await checkEverything(app);
    const rows = await conversationsOf(bob);
    expect(rows.reduce((sum, row) => sum + row.unreadCount, 0)).toBe(await unread(bob));
    expect(await unread(alice)).toBe(20);
    expect(await unread(carol)).toBe(0);
    const fromCarol = rows.find(row => row.person.username === 'carol');
    expect(fromCarol?.unreadCount, 'nothing of Carol was read').toBe(21);
    for (const row of rows) await bob.call(api.readConversation, { params: { id: row.id } });
    expect(await unread(bob)).toBe(0);
    expect((await bob.call(api.listMessages, { params })).total).toBe(81);
  });

  test('two concurrent first messages create one conversation', async () => {
    await using app = await start();
    const { alice, bob } = await openFriends(app);
    const sent = await Promise.all([write(alice, bob, 'a'), write(bob, alice, 'b'), write(alice, bob, 'c')]);
    expect(new Set(sent.map(message => message.conversationId)).size).toBe(1);
    expect([await unread(alice), await unread(bob)]).toEqual([1, 2]);
    await checkEverything(app);
  });

  test('conversations are sorted by their last message, and messages are paged backwards from any point', async () => {
    await using app = await start();
    const { alice, bob, carol } = await openFriends(app);
    await befriend(alice, carol);
    const sent = [];
    for (const text of ['1', '2', '3', '4', '5']) sent.push(await write(alice, bob, text));
    await write(carol, alice, 'hi');
    const names = async (query: object = {}) =>
      (await alice.call(api.listConversations, { query })).records.map(row => row.person.username);
    expect(await names()).toEqual(['carol', 'bob']);
    expect(await names({ sort: 'lastMessageAt,asc' })).toEqual(['bob', 'carol']);
    expect(await names({ page: 2, size: 1 })).toEqual(['bob']);
    await write(bob, alice, '6');
    expect(await names()).toEqual(['bob', 'carol']);
    const id = sent[0]?.conversationId ?? '';
    expect(await contents(alice, id, { size: 4 })).toEqual(['6', '5', '4', '3']);
    expect(await contents(alice, id, { size: 4, page: 2 })).toEqual(['2', '1']);
    expect(await contents(alice, id, { sort: 'createdAt,asc', size: 2 })).toEqual(['1', '2']);
    expect(await contents(alice, id, { before: sent[2]?.id, size: 1 })).toEqual(['2']);
    const page = await alice.call(api.listMessages, { params: { id }, query: { before: sent[2]?.id ?? '' } });
    expect(page).toMatchObject({ total: 2, pages: 1 });
  });

  test('a conversation is deleted per user, returns with new messages, and is purged after both deleted', async () => {
    await using app = await start();
    const { alice, bob } = await openFriends(app);
    const { db } = app.app.database;
    const old = await write(alice, bob, 'old');
    const params = { id: old.conversationId };
    await bob.call(api.deleteConversation, { params });
    expect(await conversationsOf(bob)).toEqual([]);
    expect(await unread(bob)).toBe(0);
    const gone = shown(await bob.expectError(api.getConversation, { params: { id: '999999' } }));
    const ofConversation: AnyEndpoint[] = [
      api.getConversation,
      api.listMessages,
      api.readConversation,
      api.deleteConversation,
    ];
    for (const endpoint of ofConversation) {
      expect(shown(await bob.expectError(endpoint, { params })), endpoint.name).toEqual(gone);
    }
    expect(await bob.expectError(api.getMessage, { params: { id: old.id } })).toMatchObject({ code: 60001 });
    expect(await contents(alice, params.id)).toEqual(['old']);
    await app.drain();
    expect(await contents(alice, params.id), 'the other one keeps it').toEqual(['old']);

    await write(alice, bob, 'new');
    expect(await contents(bob, params.id)).toEqual(['new']);
    expect(await unread(bob)).toBe(1);
    expect(await contents(alice, params.id)).toEqual(['new', 'old']);
    await checkEverything(app);

    await alice.call(api.deleteConversation, { params });
    await app.drain();
    expect(await contents(bob, params.id)).toEqual(['new']);
    const left = await db.selectFrom('message').select('content').execute();
    expect(left, 'what neither can see is removed').toEqual([{ content: 'new' }]);
    await bob.call(api.deleteConversation, { params });
    await app.drain();
    expect(await db.selectFrom('message').selectAll().execute()).toEqual([]);
    await write(bob, alice, 'again');
    expect(await contents(alice, params.id)).toEqual(['again']);
    await checkEverything(app);
  });

  test('messages can be sent only to friends, and earlier messages are kept', {
    tags: 'long-on-postgres',
  }, async () => {
    await using app = await start();
    const { alice, bob, carol, eve } = await openFriends(app);
    const send = async (receiverId: string) =>
      alice.expectError(api.sendMessage, { body: { receiverId, content: 'x' } });
    expect(await send(await idOf(alice))).toMatchObject({ status: 400, code: 60003 });
    const rejections = [await send(await idOf(carol)), await send(await idOf(eve)), await send(unknownId)];
    expect(rejections[0]).toMatchObject({ status: 403, code: 60010 });
    expect(new Set(rejections.map(rejection => JSON.stringify(shown(rejection)))).size).toBe(1);
    const { conversationId } = await write(alice, bob, 'kept');
    await bob.call(unfriend, { params: { id: await idOf(alice) } });
    expect(await send(await idOf(bob))).toMatchObject({ code: 60010 });
    expect(await contents(bob, conversationId)).toEqual(['kept']);
    expect(await conversationsOf(bob)).toMatchObject([{ isFriend: false, unreadCount: 1 }]);
  });

  test('no message is stored after a friendship has ended, also with concurrent sends', async () => {
    await using app = await start();
    const { alice, bob } = await openFriends(app);
    const { conversationId } = await write(alice, bob, 'before');
    const receiverId = await idOf(bob);
    const send = (content: string) => alice.call(api.sendMessage, { body: { receiverId, content } });
    const sending = Promise.allSettled(Array.from({ length: 30 }, (_none, index) => send(`at once ${index}`)));
    await bob.call(unfriend, { params: { id: await idOf(alice) } });
    const kept = await contents(bob, conversationId, { size: 100 });
    await sending;
    expect(await contents(bob, conversationId, { size: 100 })).toEqual(kept);
    await checkEverything(app);
  });

  test('conversations and messages of others are not found', async () => {
    await using app = await start();
    const { alice, bob, carol, eve } = await openFriends(app);
    const { id: messageId, conversationId } = await write(alice, bob, 'secret');
    const calls: [AnyEndpoint, string, number][] = [
      [api.getMessage, messageId, 60001],
      [api.getConversation, conversationId, 60002],
      [api.listMessages, conversationId, 60002],
      [api.readConversation, conversationId, 60002],
      [api.deleteConversation, conversationId, 60002],
    ];
    for (const [endpoint, id, code] of calls) {
      const missing = shown(await carol.expectError(endpoint, { params: { id: '999999' } }));
      expect(missing, endpoint.name).toMatchObject({ status: 404, code });
      for (const person of [carol, eve]) {
        expect(shown(await person.expectError(endpoint, { params: { id } })), endpoint.name).toEqual(missing);
      }
      expect(await bob.expectError(endpoint, { params: { id: 'x' } }), endpoint.name).toMatchObject({ status: 400 });
      expect(await app.anonymous.expectError(endpoint, { params: { id } })).toMatchObject({ status: 401 });
    }
    for (const person of [carol, eve]) {
      expect(await conversationsOf(person)).toEqual([]);
      expect(await unread(person)).toBe(0);
    }
    const audit = await listAuditRows(app.app.database.db);
    expect(JSON.stringify(audit), 'what people write is nobody’s business').not.toContain('secret');
  });

  test('a message can refer to a picture or file of its sender only', async () => {
    await using app = await start();
    const { alice, bob } = await openFriends(app);
    const receiverId = await idOf(bob);
    const [picture, avatar] = [await uploadPicture(alice, 'image'), await uploadPicture(alice, 'avatar')];
    const foreign = await uploadPicture(bob, 'image');
    const { data: file } = await sendFile(alice, Buffer.from('hello'));
    const image = await alice.call(api.sendMessage, { body: { receiverId, contentType: 'image', content: picture } });
    expect(image).toMatchObject({ contentType: 'image', content: picture, fileName: null });
    expect((await bob.fetch(picture)).status).toBe(200);
    const named = { receiverId, contentType: 'file', content: file.fileHash } as const;
    expect(await alice.call(api.sendMessage, { body: named })).toMatchObject({ fileName: 'report.pdf' });
    const [conversation] = await conversationsOf(bob);
    expect(conversation?.lastMessage.preview).toBe('[file] report.pdf');
    expect((await bob.fetch(`/api/v1/files/${file.fileHash}/download`)).status, 'naming is not sharing').toBe(404);
    for (const content of [avatar, foreign, `${picture}x`]) {
      const body = { receiverId, contentType: 'image', content } as const;
      expect(await alice.expectError(api.sendMessage, { body }), content).toMatchObject({ status: 404, code: 404 });
    }
    for (const body of [named, { ...named, content: 'f'.repeat(64) }]) {
      const rejected = await bob.expectError(api.sendMessage, { body: { ...body, receiverId: await idOf(alice) } });
      expect(rejected).toMatchObject({ status: 404, code: 50008 });
    }
  });

  test('empty, too long and malformed messages are rejected', { tags: 'long-on-postgres' }, async () => {
    await using app = await start();
    const { alice, bob } = await openFriends(app);
    const receiverId = await idOf(bob);
    const wrong = [
      {},
      { receiverId },
      { receiverId, content: '' },
      { receiverId, content: ' \n\t ' },
      { receiverId, content: 'x'.repeat(4001) },
      { receiverId, content: 'a\u0000b' },
      { receiverId, content: 'a\u001b[31mb' },
      { receiverId: '7', content: 'x' },
      { receiverId, content: 'x', contentType: 'video' },
      { receiverId, content: '/etc/passwd', contentType: 'image' },
      { receiverId, content: 'report.pdf', contentType: 'file' },
    ];
    for (const body of wrong) {
      const rejection = await alice.expectError(api.sendMessage, {
        body: body as { receiverId: string; content: string },
      });
      expect(rejection.status, JSON.stringify(body).slice(0, 80)).toBe(400);
    }
    const long = await write(alice, bob, '👍'.repeat(2000));
    expect(long.content).toHaveLength(4000);
    const preview = (await conversationsOf(bob))[0]?.lastMessage.preview ?? '';
    expect([...preview]).toHaveLength(api.maxPreview);
    expect(preview.endsWith('👍…')).toBe(true);
    expect(await bob.expectError(api.listConversations, { query: { sort: 'name' } })).toMatchObject({ status: 400 });
    const watcher = await app.person('watcher', { role: 'monitor' });
    const body = { receiverId, content: 'x' };
    expect(await watcher.expectError(api.sendMessage, { body })).toMatchObject({ status: 403 });
    expect(await app.anonymous.expectError(api.sendMessage, { body })).toMatchObject({ status: 401 });
    for (const endpoint of [api.listConversations, api.countUnreadMessages]) {
      expect(await app.anonymous.expectError(endpoint)).toMatchObject({ status: 401 });
    }
  });

  test('an interrupted removal of messages is completed by the next run', async () => {
    await using app = await start();
    const { alice, bob } = await openFriends(app);
    const { conversationId } = await write(alice, bob, 'first');
    const { db } = app.app.database;
    const { id: _id, ...row } = await db.selectFrom('message').selectAll().executeTakeFirstOrThrow();
    const many = Array.from({ length: 600 }, () => row);
    for (const rows of [many, many]) await db.insertInto('message').values(rows).execute();
    const { id: last } = await db.selectFrom('message').select('id').orderBy('id', 'desc').executeTakeFirstOrThrow();
    await db.updateTable('conversation_side').set({ cleared_through: last }).execute();
    const removal = (signal: AbortSignal) =>
      purgeMessages({ database: app.app.database }).run({
        id: 1,
        payload: { conversationId: Number(conversationId) },
        attempt: 1,
        fence: 1,
        signal,
        keepLease: async () => undefined,
        assertFence: async () => undefined,
      });
    await expect(removal(AbortSignal.abort())).rejects.toThrow('abort');
    expect(await db.selectFrom('message').select('id').execute()).toHaveLength(201);
    await removal(new AbortController().signal);
    expect(await db.selectFrom('message').select('id').execute()).toEqual([]);
  });
});
