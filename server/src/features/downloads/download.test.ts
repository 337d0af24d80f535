// @module-tag long-on-postgres
// Downloads of files: ranges, preconditions, access, detection of damage, and slow clients.
import { readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import * as api from '@recordproof/shared/api/files.ts';
import { expect, test } from 'vitest';
import { listAuditRows } from '../../../../test/support/audit-rows.ts';
import { pattern } from '../../../../test/support/bytes.ts';
import { eachDatabase } from '../../../../test/support/databases.ts';
import { type FileHttp, openFileHttp } from '../../../../test/support/file-http.ts';
import { type FileWorld, openFileWorld, sha256 } from '../../../../test/support/file-world.ts';
import { readManifestText, readStoredManifest, writeManifestText } from '../../../../test/support/manifest-text.ts';
import { migrations } from '../../compose/features.ts';
import { localOrigin } from '../../platform/call.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { toObjectPath } from '../../platform/objects/disk-layout.ts';
import { silentLog } from '../../platform/telemetry/log.ts';
import type { FileRow } from '../files/index.ts';
import { listHeld } from '../stored-objects/index.ts';
import { downloadContent } from './download.ts';

const MiB = 1024 * 1024;
const kinds = [
  { name: 'stored as it is', sealed: false },
  { name: 'sealed', sealed: true },
];

const download = (
  fileHttp: FileHttp,
  actor: Actor,
  file: FileRow,
  headers: Record<string, string> = {},
  method = 'GET',
) => fileHttp.as(actor).fetch(`/api/v1/files/${file.file_hash}/download`, { headers, method });

async function openAlice(world: FileWorld): Promise<Actor> {
  return world.person(await world.tenant('acme'), 'alice');
}

/** Where the chunks of a file lie on disk, in their order. */
async function listStoredFiles(world: FileWorld, file: FileRow): Promise<string[]> {
  const { chunks } = await readStoredManifest(world.db, file.id);
  expect(await listHeld(world.db, { tenantId: file.tenant_id, holder: `file:${file.id}` })).not.toHaveLength(0);
  return chunks.map(({ storagePath }) => {
    const { folders, file: name } = toObjectPath(storagePath);
    return join(world.folder, 'objects', ...folders, name);
  });
}

async function flipBit(path: string, at: number): Promise<void> {
  const bytes = await readFile(path);
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
  await writeFile(path, bytes);
}

/** The answer's body, or what came of it. */
const outcome = (answer: Response): Promise<string> =>
  answer.arrayBuffer().then(
    body => `${answer.status} and ${body.byteLength} bytes`,
    () => 'broken off',
  );

const rejectedOrBroken = /^(broken off|500 and \d{2,3} bytes)$/;

eachDatabase((_engine, open) => {
  test.for(kinds)('a file that is $name is downloaded byte for byte, whole and by ranges', async ({ sealed }) => {
    await using world = await openFileWorld(await open(migrations));
    await using fileHttp = await openFileHttp(world);
    const alice = await openAlice(world);
    const bytes = await pattern(5 * MiB + 12_345);
    const file = await world.store(alice, { name: 'data.bin', bytes, chunkSize: 2 * MiB, sealed });
    const whole = await download(fileHttp, alice, file);
    expect(whole.status).toBe(200);
    expect(Object.fromEntries(whole.headers)).toMatchObject({
      'content-length': String(bytes.length),
      'accept-ranges': 'bytes',
      etag: `"${file.content_hash}"`,
      'x-content-type-options': 'nosniff',
      'content-type': 'application/octet-stream',
    });
    expect(whole.headers.get('content-disposition')).toMatch(/^attachment; filename="data\.bin"/);
    expect(sha256(Buffer.from(await whole.arrayBuffer()))).toBe(sha256(bytes));
    const ranges = [
      ['bytes=0-0', 0, 1],
      ['bytes=1048570-1048590', 1_048_570, 1_048_591],
      [`bytes=${2 * MiB - 1}-${4 * MiB}`, 2 * MiB - 1, 4 * MiB + 1],
      ['bytes=5000000-', 5_000_000, bytes.length],
      ['bytes=-7', bytes.length - 7, bytes.length],
      ['bytes=4000000-99999999999', 4_000_000, bytes.length],
    ] as const;
    for (const [range, start, end] of ranges) {
      const part = await download(fileHttp, alice, file, { range });
      expect(part.status, range).toBe(206);
      expect(part.headers.get('content-range')).toBe(`bytes ${start}-${end - 1}/${bytes.length}`);
      expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(start, end)), range).toBe(true);
    }
  });

  test('preconditions, HEAD and unsatisfiable ranges follow HTTP', async () => {
    await using world = await openFileWorld(await open(migrations));
    await using fileHttp = await openFileHttp(world);
    const alice = await openAlice(world);
    const file = await world.store(alice, { bytes: await pattern(1000) });
    const etag = `"${file.content_hash}"`;
    const head = await download(fileHttp, alice, file, {}, 'HEAD');
    expect([head.status, head.headers.get('content-length'), head.headers.get('etag')]).toEqual([200, '1000', etag]);
    expect(await head.text()).toBe('');
    for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const answer = await download(fileHttp, alice, file, { 'if-none-match': tag });
      expect([answer.status, await answer.text()], tag).toEqual([304, '']);
    }
    const statusOf = async (headers: Record<string, string>) => {
      const answer = await download(fileHttp, alice, file, headers);
      return [answer.status, (await answer.arrayBuffer()).byteLength];
    };
    expect(await statusOf({ 'if-none-match': '"other"' })).toEqual([200, 1000]);
    for (const tag of [etag, `"other", ${etag}`, '*'])
      expect(await statusOf({ 'if-match': tag, range: 'bytes=0-9' }), tag).toEqual([206, 10]);
    for (const tag of ['"other"', `W/${etag}`, 'no tag'])
      expect(await statusOf({ 'if-match': tag, 'if-none-match': etag, range: 'bytes=0-9' }), tag).toEqual([412, 0]);
    expect((await download(fileHttp, alice, file, { 'if-match': '"other"' }, 'HEAD')).status).toBe(412);
    expect(await statusOf({ range: 'bytes=0-9', 'if-range': etag })).toEqual([206, 10]);
    expect(await statusOf({ range: 'bytes=0-9', 'if-range': '"other"' })).toEqual([200, 1000]);
    for (const ignored of ['bytes=0-1,5-6', 'lines=0-1', 'bytes=9-2', 'bytes=-', 'bytes=a-b']) {
      expect(await statusOf({ range: ignored }), ignored).toEqual([200, 1000]);
    }
    for (const outside of ['bytes=1000-', 'bytes=5000-6000', 'bytes=-0']) {
      const answer = await download(fileHttp, alice, file, { range: outside });
      expect([answer.status, answer.headers.get('content-range'), await answer.text()]).toEqual([
        416,
        'bytes */1000',
        '',
      ]);
    }
  });

  test('only the owner can download a file, and its name is encoded in Content-Disposition', async () => {
    await using world = await openFileWorld(await open(migrations));
    await using fileHttp = await openFileHttp(world);
    const alice = await openAlice(world);
    const bob = await world.person(alice.tenantId, 'bob');
    const eve = await world.person(await world.tenant('other'), 'eve');
    const name = 'naïve "quote" %41; \u{1F600}.html';
    const file = await world.store(alice, { name, bytes: Buffer.from('<script>') });
    for (const person of [bob, eve]) expect((await download(fileHttp, person, file)).status).toBe(404);
    const anonymous = await fileHttp.anonymous.fetch(`/api/v1/files/${file.file_hash}/download`);
    expect(anonymous.status).toBe(401);
    const disposition = (await download(fileHttp, alice, file)).headers.get('content-disposition') ?? '';
    expect(disposition).toMatch(/^attachment; filename="na_ve _quote_ _41; _\.html"; filename\*=UTF-8''[\w%.~-]+$/);
    expect(decodeURIComponent(/UTF-8''(.*)$/.exec(disposition)?.[1] ?? '')).toBe(name);
    await fileHttp.as(alice).call(api.deleteFile, { params: { hash: file.file_hash } });
    expect((await download(fileHttp, alice, file)).status).toBe(404);
  });

  test('only the owner is told that the key of a file is missing', async () => {
    await using world = await openFileWorld(await open(migrations));
    await using fileHttp = await openFileHttp(world);
    const alice = await openAlice(world);
    const bob = await world.person(alice.tenantId, 'bob');
    const file = await world.store(alice, { name: 'a', bytes: Buffer.from('sealed'), sealed: true });
    await world.db.deleteFrom('envelope').where('file_id', '=', file.id).execute();
    const answer = async (actor: Actor) => (await download(fileHttp, actor, file)).json();
    expect(await answer(alice)).toMatchObject({ code: 50008, message: expect.stringContaining(`file ${file.id} is`) });
    expect(await answer(bob)).toMatchObject({ code: 50008, message: 'no such file' });
  });

  test.for(kinds)(
    'a download of a damaged file that is $name never ends cleanly, and the damage is reported',
    async ({ sealed }) => {
      await using world = await openFileWorld(await open(migrations));
      await using fileHttp = await openFileHttp(world);
      const alice = await openAlice(world);
      const chunkSize = MiB / 2;
      const bytes = await pattern(3 * chunkSize);
      const other = await world.store(alice, { bytes: await pattern(chunkSize, 7), chunkSize, sealed });
      const [foreign = ''] = await listStoredFiles(world, other);
      const damages: [string, (paths: string[]) => Promise<void>, string | undefined][] = [
        ['one bit of the first block', ([path = '']) => flipBit(path, 100), 'bytes=0-50'],
        ['one bit at the end', paths => flipBit(paths.at(-1) ?? '', 5), `bytes=${3 * chunkSize - 1}-`],
        ['one bit in the middle', ([, path = '']) => flipBit(path, chunkSize / 2 + 77), 'bytes=750000-800000'],
        ['a cut chunk', ([, path = '']) => truncate(path, chunkSize - 10), 'bytes=1000000-1250000'],
        ['a missing chunk', ([, , path = '']) => rm(path), `bytes=${2 * chunkSize}-`],
        ['two swapped chunks', ([one = '', two = '']) => swap(one, two), 'bytes=10-20'],
        ['a chunk of another file', async ([path = '']) => writeFile(path, await readFile(foreign)), 'bytes=10-20'],
      ];
      for (const [seed, [what, damage, range]] of damages.entries()) {
        const file = await world.store(alice, {
          bytes: Buffer.concat([bytes, await pattern(9, seed)]),
          chunkSize,
          sealed,
        });
        const paths = await listStoredFiles(world, file);
        const before = await Promise.all(paths.map(path => readFile(path)));
        await damage(paths);
        expect(await outcome(await download(fileHttp, alice, file)), what).toMatch(rejectedOrBroken);
        expect(
          await outcome(await download(fileHttp, alice, file, { range: range ?? '' })),
          `${what}, in part`,
        ).toMatch(rejectedOrBroken);
        const reports = await listAuditRows(world.db, { operation_type: 'integrity-damaged' });
        const own = reports.filter(report => report.request_param.includes(file.file_hash));
        expect(own, what).toHaveLength(2);
        expect(own[0]).toMatchObject({ status: 1, username: 'alice' });
        for (const [at, path] of paths.entries()) await writeFile(path, before[at] ?? '');
        expect(await outcome(await download(fileHttp, alice, file)), 'mended').toBe(
          `200 and ${bytes.length + 9} bytes`,
        );
      }
    },
  );

  test('a replaced, altered or missing manifest is rejected', async () => {
    await using world = await openFileWorld(await open(migrations));
    await using fileHttp = await openFileHttp(world);
    const alice = await openAlice(world);
    const [mine, other] = [
      await world.store(alice, { bytes: Buffer.from('one') }),
      await world.store(alice, { bytes: Buffer.from('two') }),
    ];
    const own = await readManifestText(world.db, mine.id);
    const others = await readManifestText(world.db, other.id);
    for (const json of [others, own.replace('"totalSize":3', '"totalSize":2'), '{}', '']) {
      await writeManifestText(world.db, mine.id, json);
      expect((await download(fileHttp, alice, mine)).status).toBe(500);
    }
    await writeManifestText(world.db, mine.id, own);
    const row = world.db.updateTable('manifest').where('file_id', '=', mine.id);
    const { packed } = await world.db
      .selectFrom('manifest')
      .select('packed')
      .where('file_id', '=', mine.id)
      .executeTakeFirstOrThrow();
    for (const bytes of [packed.subarray(1), packed.subarray(0, -1), Buffer.from([255])]) {
      await row.set({ packed: bytes }).execute();
      expect((await download(fileHttp, alice, mine)).status).toBe(500);
    }
    await row.set({ packed }).execute();
    expect((await download(fileHttp, alice, mine)).status).toBe(200);
    await world.db.updateTable('manifest').set({ status: 'SUPERSEDED' }).where('file_id', '=', mine.id).execute();
    expect((await download(fileHttp, alice, mine)).status).toBe(409);
  });

  test('a stalled client causes little read-ahead', async () => {
    await using world = await openFileWorld(await open(migrations));
    const alice = await openAlice(world);
    const file = await world.store(alice, { bytes: Buffer.alloc(16 * MiB), chunkSize: 16 * MiB, sealed: true });
    let taken = 0;
    const get: typeof world.objects.get = async (key, options) => {
      const read = await world.objects.get(key, options);
      const blocks = await buffer(read.body);
      function* counted() {
        for (let at = 0; at < blocks.length; at += MiB) {
          taken += 1;
          yield blocks.subarray(at, at + MiB);
        }
      }
      return { ...read, body: Readable.from(counted(), { highWaterMark: 1 }) };
    };
    const server = { ...world, objects: { ...world.objects, get }, log: silentLog };
    const call = { ...localOrigin('test', world.clock.now()), actor: alice };
    const recipient = { type: 'OWNER', id: String(alice.userId) } as const;
    const http = { headers: {}, method: 'GET' } as const;
    const { body } = await downloadContent(server, call, { http, file, recipient });
    const reader = (body as Readable).pipe(new PassThrough({ highWaterMark: 1 }));
    for (let turn = 0; turn < 100; turn += 1) await setImmediate();
    reader.destroy();
    (body as Readable).destroy();
    expect(taken).toBeLessThanOrEqual(6);
  });

  test('a download pauses for a stalled client, and stops reading when the client disconnects', async () => {
    await using world = await openFileWorld(await open(migrations));
    let reading = 0;
    let delivered = 0;
    const ended = Promise.withResolvers<void>();
    const get: typeof world.objects.get = async (key, options) => {
      const read = await world.objects.get(key, options);
      reading += 1;
      async function* watched() {
        try {
          for await (const block of read.body) {
            delivered += block.length;
            yield block;
          }
        } finally {
          reading -= 1;
          ended.resolve();
        }
      }
      return { ...read, body: watched() };
    };
    await using fileHttp = await openFileHttp(world, { objects: { get } });
    const alice = await openAlice(world);
    const file = await world.store(alice, { bytes: Buffer.alloc(32 * MiB), chunkSize: 32 * MiB, sealed: true });
    fileHttp.as(alice);
    const { promise: answered, resolve } = Promise.withResolvers<import('node:http').IncomingMessage>();
    const call = request(`${fileHttp.url}/api/v1/files/${file.file_hash}/download`, {
      headers: { authorization: `Bearer ${alice.tokenId}` },
    });
    call
      .on('response', resolve)
      .on('error', () => {})
      .end();
    const answer = await answered;
    await new Promise(done => answer.once('readable', done));
    expect(reading).toBe(1);
    expect(delivered).toBeLessThan(16 * MiB);
    call.destroy();
    await ended.promise;
    expect(reading).toBe(0);
  });
});

async function swap(one: string, two: string): Promise<void> {
  const [first, second] = [await readFile(one), await readFile(two)];
  await writeFile(one, second);
  await writeFile(two, first);
}
