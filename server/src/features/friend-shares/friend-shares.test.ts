// Shares between friends: notices, downloads, read marks, cancellation, and the end of a friendship.
import { toPath } from '@recordproof/shared/api/client.ts';
import type { AnyEndpoint } from '@recordproof/shared/api/endpoint.ts';
import type { ApiError } from '@recordproof/shared/api/errors.ts';
import { deleteFile, downloadFile, fileStats, getFile, listFiles } from '@recordproof/shared/api/files.ts';
import * as api from '@recordproof/shared/api/friend-shares.ts';
import { unfriend } from '@recordproof/shared/api/friends.ts';
import { expect, test } from 'vitest';
import type { Person, TestApp } from '../../../../test/support/app.ts';
import { checkEverything } from '../../../../test/support/check-everything.ts';
import { eachApp } from '../../../../test/support/each-app.ts';
import { noticesOf } from '../../../../test/support/events.ts';
import { befriend, idOf, openFriends } from '../../../../test/support/friends.ts';
import { completeDirect, digestOf, sendDirect, sendFile } from '../../../../test/support/uploads.ts';

const nonsense = 'f'.repeat(64);
const unknownId = `U${'0'.repeat(22)}`;
const bytes = Buffer.from('what Alice wrote down');

/** What a caller can tell apart. */
const shown = ({ status, code, message, detail }: ApiError) => ({ status, code, message, detail });

const store = async (person: Person, content: Buffer = bytes, name = 'plan.pdf'): Promise<string> =>
  (await sendFile(person, content, name)).data.fileHash;

const give = async (from: Person, to: Person, fileHashes: string[], message?: string) =>
  from.call(api.shareWithFriend, {
    body: { friendId: await idOf(to), fileHashes, ...(message !== undefined && { message }) },
  });

const download = (person: Person, id: string, fileHash: string, init: RequestInit = {}) =>
  person.fetch(toPath(api.downloadFriendFile, { params: { id, fileHash } }), init);

const unread = async (person: Person) => (await person.call(api.countUnreadShares)).count;

const keyStates = async (app: TestApp) =>
  (
    await app.app.database.db
      .selectFrom('envelope')
      .select('status')
      .where('recipient_type', '=', 'FRIEND_SHARE')
      .orderBy('id')
      .execute()
  ).map(row => row.status);

eachApp(start => {
  test('shares of a suspended account are hidden until it is reactivated', async () => {
    await using app = await start();
    const { alice, bob } = await openFriends(app);
    const hash = await store(alice);
    const { id } = await give(alice, bob, [hash]);
    const { db } = app.app.database;
    const set = (status: 'ACTIVE' | 'SUSPENDED') =>
      db.updateTable('account').set({ status }).where('username', '=', 'alice').execute();
    await set('SUSPENDED');
    const never = { params: { id: '999' } };
    for (const endpoint of [api.getFriendShare, api.readFriendShare, api.saveFriendFiles, api.cancelFriendShare])
      expect(shown(await bob.expectError(endpoint, { params: { id } }))).toEqual(
        shown(await bob.expectError(endpoint, never)),
      );
    expect((await download(bob, id, hash)).status).toBe(404);
    expect([(await bob.call(api.listReceivedShares)).total, await unread(bob)]).toEqual([0, 0]);
    await set('ACTIVE');
    expect((await download(bob, id, hash)).status).toBe(200);
    expect([(await bob.call(api.listReceivedShares)).total, await unread(bob)]).toEqual([1, 1]);
  });

  test('a friend is notified of shared files, lists them, and downloads them byte for byte', async () => {
    await using app = await start();
    const { alice, bob } = await openFriends(app);
    const hashes = [await store(alice), await store(alice, Buffer.from('more'), 'more.txt')];
    const share = await give(alice, bob, [...hashes, hashes[0] ?? ''], 'have a look');
    const { id } = share;
    expect(share).toMatchObject({
      sharer: { username: 'alice' },
      friend: { username: 'bob' },
      message: 'have a look',
      fileCount: 2,
      status: 1,
      readAt: null,
    });
    const payload = { shareId: id, sharerName: 'alice', fileCount: 2, message: 'have a look' };
    expect((await noticesOf(app, 'bob')).at(-1)).toEqual({ type: 'friend-share', payload });
    expect((await noticesOf(app, 'alice')).map(({ type }) => type)).not.toContain('friend-share');
    expect((await bob.call(api.listReceivedShares)).records).toEqual([share]);
    expect((await alice.call(api.listSentShares)).records).toEqual([share]);
    expect((await alice.call(api.listReceivedShares)).total + (await bob.call(api.listSentShares)).total).toBe(0);

    const details = await bob.call(api.getFriendShare, { params: { id } });
    expect(details.files.map(file => file.fileHash)).toEqual(hashes);
    expect(details.files[0]).toMatchObject({
      fileName: 'plan.pdf',
      fileSize: bytes.length,
      contentHash: digestOf(bytes),
      contentType: expect.any(String),
    });
    const whole = await download(bob, id, hashes[0] ?? '');
    expect(whole.headers.get('etag')).toBe(`"${digestOf(bytes)}"`);
    expect(Buffer.from(await whole.arrayBuffer()).equals(bytes)).toBe(true);
    const part = await download(bob, id, hashes[0] ?? '', { headers: { range: 'bytes=5-9' } });
    expect([part.status, await part.text()]).toEqual([206, 'Alice']);
    expect((await download(bob, id, hashes[0] ?? '', { method: 'HEAD' })).headers.get('content-length')).toBe('21');
    const params = { id, fileHash: hashes[0] ?? '' };
    const { canonicalManifestJson } = await bob.call(api.friendDownloadMetadata, { params });
    expect(JSON.parse(canonicalManifestJson)).toMatchObject({ fileHash: hashes[0], totalSize: bytes.length });
    expect(await bob.expectError(getFile, { params: { hash: hashes[0] ?? '' } }), 'only by the share').toMatchObject({
      code: 50008,
    });
    expect((await bob.fetch(toPath(downloadFile, { params: { hash: hashes[0] ?? '' } }))).status).toBe(404);
    expect(await keyStates(app)).toEqual(['ACTIVE', 'ACTIVE']);
    expect(await alice.call(fileStats)).toMatchObject({ totalFiles: 2, sharedFiles: 2 });
    await checkEverything(app);
  });

  test('an unencrypted file needs no key, and can be shared with several friends', {
    tags: 'long-on-postgres',
  }, async () => {
    await using app = await start();
    const { alice, bob, carol } = await openFriends(app);
    await befriend(alice, carol);
    const { clientId } = await sendDirect(alice, bytes);
    const { fileHash } = await completeDirect(alice, clientId);
    const shares = [await give(alice, bob, [fileHash]), await give(alice, carol, [fileHash])];
    expect(await (await download(bob, shares[0]?.id ?? '', fileHash)).text()).toBe(bytes.toString());
    expect(await (await download(carol, shares[1]?.id ?? '', fileHash)).text()).toBe(bytes.toString());
    expect((await download(carol, shares[0]?.id ?? '', fileHash)).status).toBe(404);
    expect(await keyStates(app)).toEqual([]);
    expect(await alice.call(fileStats)).toMatchObject({ sharedFiles: 1 });
    await checkEverything(app);
  });

  test('a share is marked as read by the friend, once, and the unread count stays right concurrently', async () => {
    await using app = await start();
    const { alice, bob } = await openFriends(app);
    const fileHash = await store(alice);
    const first = await give(alice, bob, [fileHash]);
    const params = { id: first.id };
    const read = await bob.call(api.readFriendShare, { params });
    expect(read.readAt).not.toBeNull();
    expect(await bob.call(api.readFriendShare, { params }), 'again changes nothing').toEqual(read);
    expect(await unread(bob)).toBe(0);
    const shares = await Promise.all(Array.from({ length: 20 }, () => give(alice, bob, [fileHash])));
    const readTwice = shares.slice(0, 12).flatMap(({ id }) => [id, id]);
    await Promise.all(
      [
        ...readTwice.map(id => bob.call(api.readFriendShare, { params: { id } })),
        ...shares.slice(10, 15).map(({ id }) => alice.call(api.cancelFriendShare, { params: { id } })),
      ].map(call => call.catch((error: ApiError) => expect(error.kind).toBe('FRIEND_SHARE_NOT_FOUND'))),
    );
    expect(await unread(bob), 'neither read nor taken back').toBe(5);
    expect((await bob.call(api.listReceivedShares)).total).toBe(16);
    expect(await unread(alice)).toBe(0);
    await checkEverything(app);
  });

  test('a cancelled share is not accessible any more, and its keys are revoked', {
    tags: 'long-on-postgres',
  }, async () => {
    await using app = await start();
    const { alice, bob } = await openFriends(app);
    const fileHash = await store(alice);
    const [{ id }, other] = [await give(alice, bob, [fileHash]), await give(alice, bob, [fileHash])];
    expect(await bob.expectError(api.cancelFriendShare, { params: { id } })).toMatchObject({
      status: 403,
      code: 60017,
    });
    await alice.call(api.cancelFriendShare, { params: { id } });
    expect(await keyStates(app)).toEqual(['REVOKED', 'ACTIVE']);
    const file = { id, fileHash };
    const calls: [AnyEndpoint, object][] = [
      [api.getFriendShare, { id }],
      [api.readFriendShare, { id }],
      [api.downloadFriendFile, file],
      [api.friendDownloadMetadata, file],
      [api.saveFriendFiles, { id }],
      [api.cancelFriendShare, { id }],
    ];
    for (const [endpoint, params] of calls) {
      expect(await bob.expectError(endpoint, { params }), endpoint.name).toMatchObject({ status: 404, code: 60016 });
    }
    expect((await bob.call(api.listReceivedShares)).records.map(share => share.id)).toEqual([other.id]);
    expect(await unread(bob)).toBe(1);
    expect(await alice.call(api.getFriendShare, { params: { id } })).toMatchObject({ status: 0 });
    expect((await alice.call(api.listSentShares)).records.map(share => share.status)).toEqual([1, 0]);
    expect(await alice.expectError(api.cancelFriendShare, { params: { id } })).toMatchObject({
      status: 410,
      code: 50010,
    });
    expect((await download(bob, other.id, fileHash)).status, 'the other share still opens').toBe(200);
    await checkEverything(app);
  });

  test('of ten concurrent cancellations of one share, one succeeds', async () => {
    await using app = await start();
    const { alice, bob } = await openFriends(app);
    const { id } = await give(alice, bob, [await store(alice)]);
    const cancel = () => alice.call(api.cancelFriendShare, { params: { id } });
    const results = await Promise.allSettled(Array.from({ length: 10 }, cancel));
    expect(results.filter(result => result.status === 'fulfilled')).toHaveLength(1);
    const audit = app.app.database.db.selectFrom('audit_log').select('id').where('module', '=', 'friend-shares');
    expect(await audit.where('operation_type', '=', 'cancel').execute()).toHaveLength(1);
    await checkEverything(app);
  });

  test('unfriending ends the shares between the two in both directions, and no others', async () => {
    await using app = await start();
    const { alice, bob, carol } = await openFriends(app);
    await befriend(alice, carol);
    const [ofAlice, ofBob] = [await store(alice), await store(bob, Buffer.from('of Bob'))];
    const shares = [await give(alice, bob, [ofAlice]), await give(bob, alice, [ofBob])];
    const kept = await give(alice, carol, [ofAlice]);
    await alice.call(unfriend, { params: { id: await idOf(bob) } });
    expect(await keyStates(app)).toEqual(['REVOKED', 'REVOKED', 'ACTIVE']);
    expect((await download(bob, shares[0]?.id ?? '', ofAlice)).status).toBe(404);
    expect((await download(alice, shares[1]?.id ?? '', ofBob)).status).toBe(404);
    expect((await download(carol, kept.id, ofAlice)).status).toBe(200);
    await befriend(bob, alice);
    expect((await bob.call(api.listReceivedShares)).total, 'it does not come back').toBe(0);
    await checkEverything(app);
  });

  test('shares created while a friendship ends do not outlive it', async () => {
    await using app = await start();
    const { alice, bob } = await openFriends(app);
    const [fileHash, bobId] = [await store(alice), await idOf(bob)];
    for (let round = 0; round < 5; round += 1) {
      const giving = Array.from({ length: 8 }, () => give(alice, bob, [fileHash]));
      const ending = bob.call(unfriend, { params: { id: await idOf(alice) } });
      const results = await Promise.allSettled([...giving, ending]);
      const kinds = results.flatMap(result => (result.status === 'rejected' ? [result.reason.kind] : []));
      expect(new Set([...kinds, 'NOT_FRIENDS'])).toEqual(new Set(['NOT_FRIENDS']));
      const active = app.app.database.db.selectFrom('friend_share').select('id').where('status', '=', 1);
      expect(await active.execute()).toEqual([]);
      await befriend(alice, bob);
    }
    expect(
      await alice.expectError(api.shareWithFriend, { body: { friendId: bobId, fileHashes: [nonsense] } }),
    ).toMatchObject({ code: 50008 });
    await checkEverything(app);
  });

  test('a saved file belongs to the friend, records its origin, and is kept', async () => {
    await using app = await start();
    const { alice, bob, carol } = await openFriends(app);
    const hashes = [await store(alice), await store(alice, Buffer.from('more'), 'more.txt')];
    const { id } = await give(alice, bob, hashes);
    const [first] = await bob.call(api.saveFriendFiles, { params: { id }, body: { fileHashes: [hashes[1] ?? ''] } });
    expect(first).toMatchObject({
      fileName: 'more.txt',
      ownerName: 'bob',
      originOwnerName: 'alice',
      sharedFromUserName: 'alice',
      status: 1,
      version: 1,
    });
    expect(first?.fileHash).not.toBe(hashes[1]);
    const saved = await bob.call(api.saveFriendFiles, { params: { id } });
    expect(saved.map(file => file.fileName)).toEqual(['plan.pdf', 'more.txt']);
    expect(saved[1]?.id, 'saved again it is the same').toBe(first?.id);
    expect((await bob.call(listFiles)).total).toBe(2);

    await alice.call(api.cancelFriendShare, { params: { id } });
    for (const hash of hashes) await alice.call(deleteFile, { params: { hash } });
    const own = await bob.fetch(toPath(downloadFile, { params: { hash: saved[0]?.fileHash ?? '' } }));
    expect(await own.text()).toBe(bytes.toString());
    await befriend(bob, carol);
    const onward = await give(bob, carol, [saved[0]?.fileHash ?? '']);
    const [third] = await carol.call(api.saveFriendFiles, { params: { id: onward.id } });
    expect(third).toMatchObject({ originOwnerName: 'alice', sharedFromUserName: 'bob' });
    const depths = app.app.database.db.selectFrom('file').select('provenance_depth').where('status', '=', 1);
    expect((await depths.orderBy('id').execute()).map(row => row.provenance_depth)).toEqual([1, 1, 2]);
    await checkEverything(app);
  });

  test('a file deleted by its owner is removed from the share, with its key', {
    tags: 'long-on-postgres',
  }, async () => {
    await using app = await start();
    const { alice, bob } = await openFriends(app);
    const hashes = [await store(alice), await store(alice, Buffer.from('more'), 'more.txt')];
    const { id } = await give(alice, bob, hashes);
    await alice.call(deleteFile, { params: { hash: hashes[0] ?? '' } });
    const details = await bob.call(api.getFriendShare, { params: { id } });
    expect([details.fileCount, details.files.map(file => file.fileName)]).toEqual([2, ['more.txt']]);
    const missing = shown(await bob.expectError(api.downloadFriendFile, { params: { id, fileHash: nonsense } }));
    expect(missing).toMatchObject({ status: 404, code: 50008 });
    const params = { id, fileHash: hashes[0] ?? '' };
    for (const endpoint of [api.downloadFriendFile, api.friendDownloadMetadata] as AnyEndpoint[]) {
      expect(shown(await bob.expectError(endpoint, { params }))).toEqual(missing);
    }
    const save = { params: { id }, body: { fileHashes: [hashes[0] ?? ''] } };
    expect(shown(await bob.expectError(api.saveFriendFiles, save))).toEqual(missing);
    expect(await keyStates(app)).toEqual(['REVOKED', 'ACTIVE']);
    await checkEverything(app);
  });

  test('only own existing files can be shared, and only with friends', { tags: 'long-on-postgres' }, async () => {
    await using app = await start();
    const { alice, bob, carol, eve } = await openFriends(app);
    const [own, foreign, deleted] = [await store(alice), await store(bob), await store(alice, Buffer.from('x'))];
    await alice.call(deleteFile, { params: { hash: deleted } });
    const friendId = await idOf(bob);
    for (const hash of [foreign, deleted, nonsense]) {
      const body = { friendId, fileHashes: [own, hash] };
      expect(await alice.expectError(api.shareWithFriend, { body })).toMatchObject({ status: 404, code: 50008 });
    }
    const rejections = await Promise.all(
      [await idOf(carol), await idOf(eve), await idOf(alice), unknownId].map(other =>
        alice.expectError(api.shareWithFriend, { body: { friendId: other, fileHashes: [own] } }),
      ),
    );
    expect(rejections[0]).toMatchObject({ status: 403, code: 60010 });
    expect(new Set(rejections.map(rejection => JSON.stringify(shown(rejection)))).size).toBe(1);
    const wrong = [
      {},
      { friendId },
      { friendId, fileHashes: [] },
      { friendId, fileHashes: ['x'] },
      { friendId: '1', fileHashes: [own] },
      { friendId, fileHashes: Array(101).fill(own) },
      { friendId, fileHashes: [own], message: 'x'.repeat(256) },
    ];
    for (const body of wrong) {
      const rejection = await alice.expectError(api.shareWithFriend, {
        body: body as { friendId: string; fileHashes: [] },
      });
      expect(rejection.status, JSON.stringify(body).slice(0, 60)).toBe(400);
    }
    expect((await alice.call(api.listSentShares)).total).toBe(0);
  });

  test('others get 404 for a share, and the sharer cannot act as its recipient', {
    tags: 'long-on-postgres',
  }, async () => {
    await using app = await start();
    const { alice, bob, carol, eve } = await openFriends(app);
    await befriend(alice, carol);
    const fileHash = await store(alice);
    const { id } = await give(alice, bob, [fileHash]);
    const calls: [AnyEndpoint, object][] = [
      [api.getFriendShare, {}],
      [api.readFriendShare, {}],
      [api.cancelFriendShare, {}],
      [api.downloadFriendFile, { fileHash }],
      [api.friendDownloadMetadata, { fileHash }],
      [api.saveFriendFiles, {}],
    ];
    for (const [endpoint, more] of calls) {
      const missing = shown(await carol.expectError(endpoint, { params: { id: '999999', ...more } }));
      expect(missing, endpoint.name).toMatchObject({ status: 404, code: 60016 });
      for (const person of [carol, eve]) {
        expect(shown(await person.expectError(endpoint, { params: { id, ...more } })), endpoint.name).toEqual(missing);
      }
      expect(await bob.expectError(endpoint, { params: { id: 'x', ...more } })).toMatchObject({ status: 400 });
      expect(await app.anonymous.expectError(endpoint, { params: { id, ...more } })).toMatchObject({ status: 401 });
      const ofFriend = endpoint !== api.getFriendShare && endpoint !== api.cancelFriendShare;
      if (ofFriend)
        expect(await alice.expectError(endpoint, { params: { id, ...more } }), endpoint.name).toMatchObject({
          status: 403,
          code: 60017,
        });
    }
    for (const endpoint of [api.listReceivedShares, api.listSentShares, api.countUnreadShares]) {
      expect(await app.anonymous.expectError(endpoint)).toMatchObject({ status: 401 });
    }
    expect(await alice.expectError(api.listSentShares, { query: { sort: 'message' } })).toMatchObject({ status: 400 });
    const body = { friendId: await idOf(bob), fileHashes: [fileHash] };
    expect(await app.anonymous.expectError(api.shareWithFriend, { body })).toMatchObject({ status: 401 });
    const watcher = await app.person('watcher', { role: 'monitor' });
    expect(await watcher.expectError(api.shareWithFriend, { body })).toMatchObject({ status: 403 });
    const page = await bob.call(api.listReceivedShares, { query: { page: 2, size: 1 } });
    expect(page).toMatchObject({ total: 1, current: 2, pages: 1, records: [] });
  });
});
