// @module-tag long-on-postgres
// Previews: encrypted thumbnails, media streams from signed addresses, and thumbnails in shares.
import { logout } from '@recordproof/shared/api/auth.ts';
import { deleteFile, fileQuota } from '@recordproof/shared/api/files.ts';
import { createStream, maxThumbnailBytes, putThumbnails, readThumbnails } from '@recordproof/shared/api/previews.ts';
import { getShareStats } from '@recordproof/shared/api/share-logs.ts';
import { createShare, revokeShare } from '@recordproof/shared/api/shares.ts';
import { emptyTrash, restoreFromTrash } from '@recordproof/shared/api/trash.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Person, startApp, type TestApp } from '../../../../test/support/app.ts';
import { pattern } from '../../../../test/support/bytes.ts';
import { checkEverything } from '../../../../test/support/check-everything.ts';
import * as pictures from '../../../../test/support/pictures.ts';
import { storeProxied, storeTyped } from '../../../../test/support/uploads.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app[Symbol.asyncDispose]());

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

const put = (person: Person, fileHash: string, image: Uint8Array) =>
  person.call(putThumbnails, { body: { thumbnails: [{ fileHash, image: base64(image) }] } });

const read = async (person: Person, ...fileHashes: string[]) =>
  (await person.call(readThumbnails, { body: { fileHashes } })).map(({ fileHash, contentType, image }) => [
    fileHash,
    contentType,
    Buffer.from(image, 'base64'),
  ]);

const rows = () => app.app.database.db.selectFrom('thumbnail').selectAll().execute();

test('a thumbnail is stripped, encrypted, returned to its owner only, and replaced by a later one', async () => {
  const [ada, eve, far] = [
    await app.person('ada'),
    await app.person('eve'),
    await app.person('far', { tenant: 'far' }),
  ];
  const { fileHash } = await storeProxied(ada, await pattern(10_000, 1), { name: 'a.jpg' });
  const other = await storeTyped(ada, Buffer.from('plain'), 'b.png', 'image/png');
  expect(await read(ada, fileHash)).toEqual([]);
  await put(ada, fileHash, pictures.talkativePng);
  await put(ada, other, pictures.webp);
  const before = await ada.call(fileQuota);
  expect(await read(ada, fileHash, other, 'f'.repeat(64))).toEqual([
    [fileHash, 'image/png', pictures.png],
    [other, 'image/webp', pictures.webp],
  ]);
  const [sealed] = await rows();
  expect(Buffer.from(sealed?.content ?? []).includes(pictures.png.subarray(16, 60))).toBe(false);
  await put(ada, fileHash, pictures.jpeg);
  expect(await read(ada, fileHash)).toEqual([[fileHash, 'image/jpeg', pictures.jpeg]]);
  expect(await rows()).toHaveLength(2);
  expect(await ada.call(fileQuota), 'one of at most 32 KiB for each file: no quota counts it').toEqual(before);
  for (const stranger of [eve, far]) {
    expect(await read(stranger, fileHash)).toEqual([]);
    const body = { thumbnails: [{ fileHash, image: base64(pictures.png) }] };
    expect(await stranger.expectError(putThumbnails, { body })).toMatchObject({ kind: 'FILE_NOT_EXIST' });
  }
  expect(await app.anonymous.expectError(readThumbnails, { body: { fileHashes: [fileHash] } })).toMatchObject({
    status: 401,
  });
});

test('an invalid or too large image is rejected, and nothing of the call is stored', async () => {
  const bob = await app.person('bob');
  const fileHash = await storeTyped(bob, Buffer.from('x'), 'x.png', 'image/png');
  const before = await rows();
  const huge = Buffer.from(pictures.png);
  huge.writeUInt32BE(513, 16);
  const padded = Buffer.concat([
    pictures.png.subarray(0, 33),
    pictures.pngChunk('iCCP', Buffer.alloc(31_000)),
    pictures.png.subarray(33),
  ]);
  expect(padded.length).toBeLessThanOrEqual(maxThumbnailBytes);
  const tooMany = Buffer.concat([
    pictures.png.subarray(0, 33),
    pictures.pngChunk('iCCP', Buffer.alloc(33_000)),
    pictures.png.subarray(33),
  ]);
  for (const image of [
    Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
    pictures.gif,
    huge,
    pictures.png.subarray(0, 40),
  ]) {
    const thumbnails = [{ fileHash, image: base64(image) }];
    expect(await bob.expectError(putThumbnails, { body: { thumbnails } })).toMatchObject({
      kind: 'FILE_ACCEPT_NOT_SUPPORT',
    });
  }
  for (const image of [base64(tooMany), 'no base64', '']) {
    const body = JSON.stringify({ thumbnails: [{ fileHash, image }] });
    const headers = { 'content-type': 'application/json' };
    expect((await bob.fetch(putThumbnails.path, { method: 'PUT', body, headers })).status).toBe(400);
  }
  const missing = { fileHash: 'f'.repeat(64), image: base64(pictures.png) };
  const body = { thumbnails: [{ fileHash, image: base64(pictures.png) }, missing] };
  expect(await bob.expectError(putThumbnails, { body })).toMatchObject({ kind: 'FILE_NOT_EXIST' });
  expect(await rows()).toEqual(before);
  await put(bob, fileHash, padded);
  expect(await read(bob, fileHash)).toHaveLength(1);
});

test('a thumbnail is restored from the trash with its file, and deleted when the file is purged', async () => {
  const cleo = await app.person('cleo');
  const fileHash = await storeTyped(cleo, Buffer.from('c'), 'c.png', 'image/png');
  await put(cleo, fileHash, pictures.png);
  const count = (await rows()).length;
  await cleo.call(deleteFile, { params: { hash: fileHash } });
  expect(await read(cleo, fileHash)).toEqual([]);
  await cleo.call(restoreFromTrash, { body: { fileHash: [fileHash] } });
  expect(await read(cleo, fileHash)).toHaveLength(1);
  for (const purge of [() => cleo.call(emptyTrash, { body: {} }), purgeByTime]) {
    const one = await storeTyped(cleo, Buffer.from(String(purge)), 'd.png', 'image/png');
    await put(cleo, one, pictures.png);
    await cleo.call(deleteFile, { params: { hash: one } });
    expect(await rows()).toHaveLength(count + 1);
    await purge();
    expect(await rows()).toHaveLength(count);
  }
  await checkEverything(app);
});

async function purgeByTime(): Promise<void> {
  app.clock.advance(40 * 24 * 3600_000);
  await app.drain();
}

test('a damaged or swapped thumbnail counts as missing, and can be created again', async () => {
  const dan = await app.person('dan');
  const { fileHash } = await storeProxied(dan, await pattern(5000, 2), { name: 'a.jpg' });
  const { fileHash: other } = await storeProxied(dan, await pattern(5000, 3), { name: 'b.jpg' });
  await put(dan, fileHash, pictures.png);
  await put(dan, other, pictures.jpeg);
  const [one, two] = (await rows()).slice(-2);
  const { db } = app.app.database;
  const write = (content: Uint8Array) =>
    db
      .updateTable('thumbnail')
      .set({ content: Buffer.from(content) })
      .where('file_id', '=', one?.file_id ?? 0)
      .execute();
  await write(two?.content ?? new Uint8Array());
  expect((await read(dan, fileHash, other)).map(([hash]) => hash)).toEqual([other]);
  const flipped = Buffer.from(one?.content ?? []);
  flipped.writeUInt8(flipped.readUInt8(60) ^ 1, 60);
  await write(flipped);
  expect(await read(dan, fileHash)).toEqual([]);
  await put(dan, fileHash, pictures.png);
  expect(await read(dan, fileHash)).toHaveLength(1);
});

test('media are streamed by range from a signed address until it expires or all sessions end', async () => {
  const fay = await app.person('fay');
  const bytes = await pattern(100_000, 4);
  const film = await storeTyped(fay, bytes, 'film.mp4', 'video/mp4');
  const page = await storeTyped(fay, Buffer.from('<script>'), 'page.html', 'text/html');
  expect(await fay.expectError(createStream, { params: { hash: page } })).toMatchObject({
    kind: 'FILE_ACCEPT_NOT_SUPPORT',
  });
  const eve = await app.person('eva');
  expect(await eve.expectError(createStream, { params: { hash: film } })).toMatchObject({ kind: 'FILE_NOT_EXIST' });
  const { path } = await fay.call(createStream, { params: { hash: film } });
  const ask = (headers: Record<string, string> = {}, address = path) => app.anonymous.fetch(address, { headers });
  const part = await ask({ range: 'bytes=70000-70099' });
  expect([part.status, part.headers.get('content-range')]).toEqual([206, 'bytes 70000-70099/100000']);
  expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(70_000, 70_100))).toBe(true);
  expect(Object.fromEntries(part.headers)).toMatchObject({
    'content-type': 'video/mp4',
    'content-security-policy': "sandbox; default-src 'none'",
    'x-content-type-options': 'nosniff',
  });
  expect((await ask({ 'sec-fetch-dest': 'script' })).status).toBe(403);
  const parts = path.split('.');
  for (const forged of [
    `${path}x`,
    parts.with(4, '1').join('.'),
    parts.with(-1, 'A'.repeat(43)).join('.'),
    '/api/v1/streams/x',
  ])
    expect((await ask({}, forged)).status, forged).toBe(403);
  const second = await storeTyped(fay, await pattern(10, 5), 'b.mp3', 'audio/mpeg');
  const deleted = await fay.call(createStream, { params: { hash: second } });
  await fay.call(deleteFile, { params: { hash: second } });
  expect((await ask({}, deleted.path)).status).toBe(404);
  app.clock.advance(61 * 60_000);
  expect((await ask()).status).toBe(403);
  const again = await fay.call(createStream, { params: { hash: film } });
  expect((await ask({}, again.path)).status).toBe(200);
  await fay.call(logout, { body: { everywhere: true } });
  expect((await ask({}, again.path)).status).toBe(403);
});

test('a share returns the thumbnails of its files without counting an access, until it ends', async () => {
  const gus = await app.person('gus');
  const options = { name: 'a.jpg', path: 'album' };
  const { fileHash } = await storeProxied(gus, await pattern(10_000, 6), options);
  const bare = await storeTyped(gus, Buffer.from('other'), 'b.jpg', 'image/jpeg');
  await put(gus, fileHash, pictures.webp);
  const body = { folder: 'album', includesLater: true, expireMinutes: 60, shareType: 0 } as const;
  const { shareCode } = await gus.call(createShare, { body });
  const ask = (hash: string) => app.anonymous.fetch(`/s/${shareCode}/files/${hash}/thumbnail`);
  const given = await ask(fileHash);
  expect(Object.fromEntries(given.headers)).toMatchObject({
    'content-type': 'image/webp',
    'content-security-policy': "sandbox; default-src 'none'",
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
  });
  expect(Buffer.from(await given.arrayBuffer()).equals(pictures.webp)).toBe(true);
  expect((await ask(bare)).status, 'it is not in the share').toBe(404);
  const page = await (await app.anonymous.fetch(`/s/${shareCode}`)).text();
  expect(page).toContain(`src="/s/${shareCode}/files/${fileHash}/thumbnail"`);
  const { viewCount, downloadCount } = await gus.call(getShareStats, { params: { code: shareCode } });
  expect([viewCount, downloadCount], 'only the page was seen').toEqual([1, 0]);
  await gus.call(revokeShare, { params: { code: shareCode } });
  expect((await ask(fileHash)).status).toBe(410);
});
