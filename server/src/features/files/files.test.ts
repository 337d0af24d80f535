// Files of an owner: list, search, references, versions, deletion with retention, and quota at the database.
import * as api from '@recordproof/shared/api/files.ts';
import { expect, test } from 'vitest';
import { toList } from '../../../../test/support/bytes.ts';
import { eachDatabase } from '../../../../test/support/databases.ts';
import { openFileHttp } from '../../../../test/support/file-http.ts';
import { type FileWorld, openFileWorld, wideQuota } from '../../../../test/support/file-world.ts';
import { migrations } from '../../compose/features.ts';
import { verifyAuditChain } from '../audit/index.ts';
import { checkQuota } from '../quotas/index.ts';
import type { FileRow } from './queries.ts';

const bytes = Buffer.from('some bytes');
const day = 24 * 3600 * 1000;
const unknown = 'f'.repeat(64);

/** Alice and Bob of one tenant, Eve of another. */
async function openPeople(world: FileWorld) {
  const acme = await world.tenant('acme');
  const alice = await world.person(acme, 'alice');
  const bob = await world.person(acme, 'bob');
  const eve = await world.person(await world.tenant('other'), 'eve');
  return { acme, alice, bob, eve };
}

const hashOf = (file: FileRow) => ({ params: { hash: file.file_hash } });

eachDatabase((_engine, open) => {
  test('the list has the newest versions of the own files, in a stable order, page by page', async () => {
    await using world = await openFileWorld(await open(migrations));
    await using http = await openFileHttp(world);
    const { alice, bob } = await openPeople(world);
    for (const name of ['b', 'A', 'c', 'd', 'e'])
      await world.store(alice, { name, bytes: Buffer.from(`${name} is here`) });
    const first = await world.store(alice, { name: 'z1', bytes });
    world.clock.advance(1000);
    await world.store(alice, { name: 'z2', bytes: Buffer.alloc(100), target: first });
    await world.store(bob, { name: 'not hers', bytes });
    const names = async (query: object) => {
      const page = await http.as(alice).call(api.listFiles, { query });
      return [page.records.map(file => file.fileName).join(' '), page.total, page.pages];
    };
    expect(await names({})).toEqual(['z2 e d c A b', 6, 1]);
    expect(await names({ sort: 'fileName,asc' })).toEqual(['A b c d e z2', 6, 1]);
    expect(await names({ sort: 'fileSize,desc', size: 1 })).toEqual(['z2', 6, 6]);
    for (const [page, expected] of [
      [1, 'z2 e d c'],
      [2, 'A b'],
      [3, ''],
    ] as const) {
      expect(await names({ page, size: 4 })).toEqual([expected, 6, 2]);
    }
    const backwards = await Promise.all([1, 2, 3].map(page => names({ page, size: 2, sort: 'fileName,desc' })));
    expect(backwards.map(([shown]) => shown)).toEqual(['z2 e', 'd c', 'b A']);
    expect(await http.as(bob).expectError(api.listFiles, { query: { sort: 'owner' } })).toMatchObject({ status: 400 });
    expect(await http.anonymous.expectError(api.listFiles)).toMatchObject({ status: 401 });
  });

  test('details are returned to the owner only, and a deleted file is not found', async () => {
    await using world = await openFileWorld(await open(migrations));
    await using http = await openFileHttp(world);
    const { alice, bob, eve } = await openPeople(world);
    const file = await world.store(alice, { name: 'plan.pdf', bytes });
    const view = await http.as(alice).call(api.getFile, hashOf(file));
    expect(view).toMatchObject({
      id: String(file.id),
      fileName: 'plan.pdf',
      fileSize: 10,
      status: 1,
      version: 1,
      isLatest: true,
      versionGroupId: String(file.id),
      ownerName: 'alice',
      manifestHash: file.manifest_hash,
    });
    const missing = await http.as(alice).expectError(api.getFile, { params: { hash: unknown } });
    for (const person of [bob, eve]) {
      const rejections = [
        await http.as(person).expectError(api.getFile, hashOf(file)),
        await http.as(person).expectError(api.deleteFile, hashOf(file)),
        await http.as(person).expectError(api.listVersions, { params: { id: String(file.id) } }),
        await http.as(person).expectError(api.continueVersion, { params: { id: String(file.id) } }),
      ];
      for (const rejection of rejections) expect(rejection).toMatchObject({ code: 50008, message: missing.message });
    }
    expect(await http.as(alice).expectError(api.getFile, { params: { hash: 'x' } })).toMatchObject({ status: 400 });
    for (const endpoint of [api.getFile, api.deleteFile] as const) {
      expect(await http.anonymous.expectError(endpoint, hashOf(file))).toMatchObject({ status: 401 });
    }
    await http.as(alice).call(api.deleteFile, hashOf(file));
    for (const endpoint of [api.getFile, api.deleteFile] as const) {
      expect(await http.as(alice).expectError(endpoint, hashOf(file))).toMatchObject({ code: 50008 });
    }
  });

  test('a search matches parts of names, prefixes and exact hashes, and treats wildcards literally', async () => {
    await using world = await openFileWorld(await open(migrations));
    await using http = await openFileHttp(world);
    const { alice, bob } = await openPeople(world);
    const names = ['Straße 100%_.pdf', 'report "final".txt', 'REPORT old', '年度报告.docx', 'plan (a*b).md', "it's"];
    for (const name of names) await world.store(alice, { name, bytes: Buffer.from(name) });
    await world.store(bob, { name: 'report of bob', bytes });
    const find = async (query: object) =>
      (await http.as(alice).call(api.searchFiles, { query: { sort: 'fileName,asc', ...query } })).records.map(
        file => file.fileName,
      );
    expect(await find({ keyword: 'RePoRt' })).toEqual(['report "final".txt', 'REPORT old']);
    expect(await find({ keyword: 'ort "fin' })).toEqual(['report "final".txt']);
    expect(await find({ keyword: '%_.' })).toEqual(['Straße 100%_.pdf']);
    expect(await find({ keyword: '100%.pdf' })).toEqual([]);
    expect(await find({ keyword: '%' })).toEqual(['Straße 100%_.pdf']);
    expect(await find({ keyword: '_' })).toEqual(['Straße 100%_.pdf']);
    expect(await find({ keyword: '(a*b)' })).toEqual(['plan (a*b).md']);
    expect(await find({ keyword: "t's" })).toEqual(["it's"]);
    expect(await find({ keyword: '报告' })).toEqual(['年度报告.docx']);
    expect(await find({ keyword: '度报告' })).toEqual(['年度报告.docx']);
    expect(await find({ keyword: 'rep', keywordMode: 'PREFIX' })).toEqual(['report "final".txt', 'REPORT old']);
    expect(await find({ keyword: 'old', keywordMode: 'PREFIX' })).toEqual([]);
    expect(await find({ keyword: 'old', keywordMode: 'EXACT_HASH' })).toEqual([]);
    expect(await find({})).toHaveLength(names.length);
    const rejection = await http.as(alice).expectError(api.searchFiles, { query: { keyword: 'a\u0000b' } });
    expect(rejection).toMatchObject({ status: 400 });
  });

  test('a search filters by hash, by status and by time', async () => {
    await using world = await openFileWorld(await open(migrations));
    await using http = await openFileHttp(world);
    const { alice } = await openPeople(world);
    const first = await world.store(alice, { name: 'first', bytes });
    world.clock.advance(day);
    const second = await world.store(alice, { name: 'second', bytes: Buffer.from('more'), target: first });
    const gone = await world.store(alice, { name: 'gone', bytes });
    await http.as(alice).call(api.deleteFile, hashOf(gone));
    const find = async (query: object) =>
      (await http.as(alice).call(api.searchFiles, { query })).records.map(file => file.fileName);
    expect(await find({ keyword: first.content_hash.slice(7) }), 'also an older version').toEqual(['first']);
    expect(await find({ keyword: first.content_hash.toUpperCase().replace('SHA256', 'sha256') })).toEqual(['first']);
    expect(await find({ keyword: second.file_hash, keywordMode: 'EXACT_HASH' })).toEqual(['second']);
    expect(await find({ status: 2 })).toEqual(['gone']);
    expect(await find({ status: 2, keyword: 'gon' })).toEqual(['gone']);
    expect(await find({ keyword: 'gon' })).toEqual([]);
    const noon = new Date(second.created_at).toISOString();
    expect(await find({ startTime: noon })).toEqual(['second']);
    expect(await find({ startTime: noon, keyword: 'eco' })).toEqual(['second']);
    expect(await find({ endTime: new Date(second.created_at - 1).toISOString(), keyword: 'eco' })).toEqual([]);
  });

  test('a reference is an id, the prefix of a hash or a whole name, and matches only own undeleted files', async () => {
    await using world = await openFileWorld(await open(migrations));
    await using http = await openFileHttp(world);
    const { alice, bob } = await openPeople(world);
    const first = await world.store(alice, { name: 'plan.pdf', bytes });
    const second = await world.store(alice, { name: 'plan.pdf', bytes: Buffer.from('more'), target: first });
    const other = await world.store(alice, { name: 'Plan.PDF', bytes: Buffer.from('else') });
    const numbered = await world.store(alice, { name: String(first.id), bytes: Buffer.from('odd') });
    const gone = await world.store(alice, { name: 'gone', bytes });
    await http.as(alice).call(api.deleteFile, hashOf(gone));
    const foreign = await world.store(bob, { name: 'theirs', bytes });
    const find = async (keyword: string) => {
      const query = { keyword, keywordMode: 'REFERENCE', sort: 'createdAt,asc' } as const;
      return (await http.as(alice).call(api.searchFiles, { query })).records.map(file => Number(file.id)).sort();
    };
    expect(await find(first.file_hash.slice(0, 8))).toEqual([first.id]);
    expect(await find(second.file_hash.toUpperCase())).toEqual([second.id]);
    expect(await find(first.file_hash.slice(0, 7)), 'too short to mean one file').toEqual([]);
    expect(await find('PLAN.pdf'), 'the newest versions of that name').toEqual([second.id, other.id]);
    expect(await find('plan.pd')).toEqual([]);
    expect(await find(String(first.id))).toEqual([first.id, numbered.id]);
    for (const file of [gone, foreign])
      for (const text of [String(file.id), file.file_hash.slice(0, 12), file.file_name])
        expect(await find(text)).toEqual([]);
  });

  test('deleting the newest version makes the previous one the latest, and updates the counters', {
    tags: 'long-on-postgres',
  }, async () => {
    await using world = await openFileWorld(await open(migrations));
    await using http = await openFileHttp(world);
    const { acme, alice } = await openPeople(world);
    const one = await world.store(alice, { name: 'one', bytes });
    const two = await world.store(alice, { name: 'two', bytes, target: one });
    const three = await world.store(alice, { name: 'three', bytes, target: two });
    const history = async (file: FileRow) =>
      (await http.as(alice).call(api.listVersions, { params: { id: String(file.id) } })).map(
        version => `${version.version} ${version.fileName}${version.isLatest ? ' latest' : ''}`,
      );
    expect(await history(one)).toEqual(['3 three latest', '2 two', '1 one']);
    await http.as(alice).call(api.deleteFile, hashOf(two));
    await http.as(alice).call(api.deleteFile, hashOf(three));
    expect(await history(one)).toEqual(['1 one latest']);
    const four = await world.store(alice, { name: 'four', bytes, target: one });
    expect(four, 'numbers are not used again').toMatchObject({ version: 4, parent_version_id: one.id });
    const stats = await http.as(alice).call(api.fileStats);
    expect(stats).toEqual({ totalFiles: 1, totalStorage: 20, sharedFiles: 0, todayUploads: 4 });
    for (const file of [four, one]) await http.as(alice).call(api.deleteFile, hashOf(file));
    expect(await http.as(alice).call(api.fileStats)).toMatchObject({ totalFiles: 0, totalStorage: 0 });
    world.clock.advance(day);
    expect(await http.as(alice).call(api.fileStats)).toMatchObject({ todayUploads: 0 });
    expect(await verifyAuditChain(world.db, acme)).toMatchObject({ brokenAt: null });
    const deletions = await world.db
      .selectFrom('audit_log')
      .select('username')
      .where('operation_type', '=', 'delete')
      .execute();
    expect(deletions).toEqual(Array(4).fill({ username: 'alice' }));
  });

  test('the bytes of a deleted file are deleted after the retention time, unless another file needs them', {
    tags: 'long-on-postgres',
  }, async () => {
    await using world = await openFileWorld(await open(migrations));
    await using http = await openFileHttp(world);
    const { alice } = await openPeople(world);
    const [shared, own] = [Buffer.from('both have this'), Buffer.from('only one has it')];
    const kept = await world.store(alice, { bytes: shared });
    const gone = await world.store(alice, { bytes: Buffer.concat([shared, own]), chunkSize: shared.length });
    const countObjects = async () => (await toList(world.objects.list('tenant-'))).length;
    expect(await countObjects()).toBe(3);
    await http.as(alice).call(api.deleteFile, hashOf(gone));
    await http.drain();
    world.clock.advance(29 * day);
    await http.drain();
    expect(await countObjects()).toBe(3);
    world.clock.advance(2 * day);
    await http.drain();
    await http.drain();
    expect(await countObjects()).toBe(1);
    const answer = await http.as(alice).fetch(`/api/v1/files/${kept.file_hash}/download`);
    expect(await answer.text()).toBe('both have this');
  });

  test('only the owner can add a version, and only to the newest one', { tags: 'long-on-postgres' }, async () => {
    await using world = await openFileWorld(await open(migrations));
    await using http = await openFileHttp(world);
    const { acme, alice } = await openPeople(world);
    const root = await world.person(acme, 'root', 'admin');
    const one = await world.store(alice, { bytes });
    const id = String(one.id);
    const answer = await http.as(alice).call(api.continueVersion, { params: { id } });
    expect(answer).toEqual({ targetFileId: id, versionGroupId: id, currentVersion: 1 });
    await world.store(alice, { bytes, target: one });
    expect(await http.as(alice).expectError(api.continueVersion, { params: { id } })).toMatchObject({ code: 50015 });
    expect(await http.as(root).call(api.listVersions, { params: { id } })).toHaveLength(2);
    expect(await http.as(root).expectError(api.continueVersion, { params: { id } })).toMatchObject({ code: 50016 });
    for (const endpoint of [api.listVersions, api.continueVersion] as const) {
      expect(await http.anonymous.expectError(endpoint, { params: { id } })).toMatchObject({ status: 401 });
      expect(await http.as(alice).expectError(endpoint, { params: { id: '0' } })).toMatchObject({ status: 400 });
      expect(await http.as(alice).expectError(endpoint, { params: { id: '9999999999999999999' } })).toMatchObject({
        code: 50008,
      });
    }
  });

  test('a quota is enforced at the start and at the end of an upload, also with concurrent uploads', async () => {
    await using world = await openFileWorld(await open(migrations));
    const { alice } = await openPeople(world);
    const owner = { tenantId: alice.tenantId, ownerId: alice.userId };
    const quota = { ...wideQuota, userBytes: 30 };
    await using http = await openFileHttp(world, { quota });
    const results = await Promise.allSettled(Array.from({ length: 6 }, () => world.store(alice, { bytes, quota })));
    expect(results.filter(result => result.status === 'fulfilled')).toHaveLength(3);
    const rejections = results.filter(result => result.status === 'rejected').map(result => result.reason.code);
    expect(rejections).toEqual([50013, 50013, 50013]);
    const used = { usedBytes: 30, usedFiles: 3 };
    expect(await http.as(alice).call(api.fileQuota)).toMatchObject({ mode: 'ENFORCE', user: used, tenant: used });
    await expect(checkQuota(world.db, quota, owner, 1)).rejects.toMatchObject({ code: 50013 });
    expect(await checkQuota(world.db, { ...quota, mode: 'SHADOW' }, owner, 1)).toContain('30 bytes');
    await world.store(alice, { bytes, quota: { ...quota, mode: 'SHADOW' } });
    await expect(world.store(alice, { bytes, quota: { ...wideQuota, tenantFiles: 4 } })).rejects.toMatchObject({
      code: 50013,
    });
  });
});
