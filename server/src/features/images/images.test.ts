// @module-tag long-on-postgres
// Avatars and other pictures: upload, replacement, caching, validation, and cleaning of interrupted uploads.
import * as api from '@recordproof/shared/api/images.ts';
import { expect, test } from 'vitest';
import { toList } from '../../../../test/support/bytes.ts';
import { eachDatabase } from '../../../../test/support/databases.ts';
import { openFileHttp, type Visitor } from '../../../../test/support/file-http.ts';
import { openFileWorld } from '../../../../test/support/file-world.ts';
import * as pictures from '../../../../test/support/pictures.ts';
import { migrations } from '../../compose/features.ts';

const kinds = { avatar: '/api/v1/images/upload/avatar', image: '/api/v1/images/upload/image' };

function upload(visitor: Visitor, kind: keyof typeof kinds, bytes: Uint8Array, name = 'file'): Promise<Response> {
  const form = new FormData();
  form.set(name, new Blob([Buffer.from(bytes)], { type: 'image/svg+xml' }), 'x.svg');
  return visitor.fetch(kinds[kind], { method: 'POST', body: form });
}

async function storedPath(answer: Response): Promise<string> {
  const { data } = (await answer.json()) as { data: unknown };
  return api.uploadImage.answer?.parse(data).path ?? '';
}

const codeOf = async (answer: Response) => ((await answer.json()) as { code: number }).code;

eachDatabase((_engine, open) => {
  test('a picture is readable in its tenant, without metadata, typed by its bytes, and cached', async () => {
    await using world = await openFileWorld(await open(migrations));
    await using http = await openFileHttp(world);
    const acme = await world.tenant('acme');
    const alice = http.as(await world.person(acme, 'alice'));
    const bob = http.as(await world.person(acme, 'bob'));
    const eve = http.as(await world.person(await world.tenant('other'), 'eve'));
    const path = await storedPath(await upload(alice, 'image', pictures.talkativePng));
    expect(path).toMatch(/^\/api\/v1\/images\/download\/[0-9A-Za-z]{22}\.png$/);
    const answer = await bob.fetch(path);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'image/png',
      'cache-control': 'private, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    });
    expect(Buffer.from(await answer.arrayBuffer()).equals(pictures.png)).toBe(true);
    const etag = answer.headers.get('etag') ?? '';
    expect((await bob.fetch(path, { headers: { 'if-none-match': etag } })).status).toBe(304);
    const head = await bob.fetch(path, { method: 'HEAD' });
    expect(head.headers.get('content-length')).toBe(String(pictures.png.length));
    expect((await eve.fetch(path)).status).toBe(404);
    expect((await http.anonymous.fetch(path)).status).toBe(401);
    for (const wrong of ['nothing.png', '..%2f..%2fetc', 'a/b/c']) {
      expect((await alice.fetch(api.imageDownloadPrefix + wrong)).status, wrong).toBe(404);
    }
  });

  test('a new avatar replaces the previous one, which is deleted', async () => {
    await using world = await openFileWorld(await open(migrations));
    await using http = await openFileHttp(world);
    const person = await world.person(await world.tenant('acme'), 'alice');
    const alice = http.as(person);
    const first = await storedPath(await upload(alice, 'avatar', pictures.png));
    const kept = await storedPath(await upload(alice, 'image', pictures.webp));
    const second = await storedPath(await upload(alice, 'avatar', pictures.talkativeJpeg(1)));
    const account = await world.db.selectFrom('account').select('avatar').where('id', '=', person.userId).execute();
    expect(account).toEqual([{ avatar: second }]);
    expect((await alice.fetch(first)).status).toBe(404);
    expect((await alice.fetch(kept)).status).toBe(200);
    await http.drain();
    expect(await toList(world.objects.list('tenant-'))).toHaveLength(2);
  });

  test('invalid, too large, empty and unknown pictures are rejected and leave nothing', async () => {
    await using world = await openFileWorld(await open(migrations));
    await using http = await openFileHttp(world);
    const alice = http.as(await world.person(await world.tenant('acme'), 'alice'));
    const large = Buffer.concat([pictures.png, Buffer.alloc(1024 * 1024)]);
    expect(await codeOf(await upload(alice, 'avatar', large))).toBe(40001);
    expect((await upload(alice, 'image', large)).status).toBe(200);
    expect(await codeOf(await upload(alice, 'image', Buffer.alloc(5 * 1024 * 1024 + 1)))).toBe(40001);
    expect(await codeOf(await upload(alice, 'image', Buffer.from('<svg/>')))).toBe(40002);
    expect(await codeOf(await upload(alice, 'image', pictures.png.subarray(0, 40)))).toBe(40002);
    expect(await codeOf(await upload(alice, 'image', Buffer.alloc(0)))).toBe(50018);
    expect(await codeOf(await upload(alice, 'image', pictures.png, 'other'))).toBe(10000);
    const noForm = await alice.fetch(kinds.image, {
      method: 'POST',
      body: 'x',
      headers: { 'content-type': 'text/plain' },
    });
    expect(noForm.status).toBe(400);
    expect((await upload(http.anonymous, 'avatar', pictures.png)).status).toBe(401);
    expect(await world.db.selectFrom('image').selectAll().execute()).toHaveLength(1);
  });

  test('an upload interrupted before its bytes were stored is removed', async () => {
    await using world = await openFileWorld(await open(migrations));
    await using http = await openFileHttp(world);
    const alice = http.as(await world.person(await world.tenant('acme'), 'alice'));
    const path = await storedPath(await upload(alice, 'image', pictures.gif));
    await world.db.updateTable('image').set({ status: 'PREPARE' }).execute();
    expect((await alice.fetch(path)).status).toBe(404);
    await http.drain();
    world.clock.advance(2 * 3600 * 1000);
    await http.drain();
    expect(await world.db.selectFrom('image').selectAll().execute()).toEqual([]);
    expect(await toList(world.objects.list('tenant-'))).toEqual([]);
  });
});
