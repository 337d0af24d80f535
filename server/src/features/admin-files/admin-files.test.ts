// Administration of files of a tenant: lists, search, details, forced deletion, restoration within the retention.
import * as api from '@recordproof/shared/api/admin-files.ts';
import { downloadFile, fileStatus, listFiles } from '@recordproof/shared/api/files.ts';
import { getShareInfo, saveSharedFiles } from '@recordproof/shared/api/share-access.ts';
import { expect, test } from 'vitest';
import { type Person, type TestApp, testPassword } from '../../../../test/support/app.ts';
import { listAuditRows } from '../../../../test/support/audit-rows.ts';
import { checkEverything } from '../../../../test/support/check-everything.ts';
import { eachApp } from '../../../../test/support/each-app.ts';
import { share } from '../../../../test/support/shares.ts';
import { sendFile } from '../../../../test/support/uploads.ts';

const store = async (person: Person, text: string, name: string, fields = {}) =>
  (await sendFile(person, Buffer.from(text), name, fields)).data as { fileId: string; fileHash: string };

const day = 24 * 3600_000;

eachApp(start => {
  async function begin(env: Readonly<Record<string, string>> = {}) {
    const app = await start({ env });
    const root = await app.person('root', { role: 'admin' });
    const [alice, bob] = [await app.person('alice'), await app.person('bob')];
    const chief = await app.person('chief', { role: 'admin', tenant: 'acme' });
    const worker = await app.person('worker', { tenant: 'acme' });
    return { app, root, alice, bob, chief, worker, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
  }

  const namesOf = async (person: Person, query: object) =>
    (await person.call(api.listAllFiles, { query })).records.map(file => file.fileName);

  const setStatus = (person: Person, hash: string, status: 1 | 2, reason?: string) =>
    person.call(api.changeFileStatus, { params: { hash }, body: { status, ...(reason && { reason }) } });

  const auditOf = async (app: TestApp, operation: string) => {
    const rows = await listAuditRows(app.app.database.db, { operation_type: operation });
    return rows.map(row => ({ by: row.username, ...JSON.parse(row.request_param ?? '{}') }));
  };

  test('files of all users of the tenant are listed and searched, and of no other tenant', async () => {
    await using ground = await begin();
    const { app, root, alice, bob, chief, worker } = ground;
    const first = await store(alice, 'one', 'Plan.txt');
    await store(alice, 'two', 'plan_100%.txt');
    await store(bob, 'three', 'ab');
    await store(worker, 'one', 'plan of acme.txt');
    expect(await namesOf(root, {})).toEqual(['ab', 'plan_100%.txt', 'Plan.txt']);
    expect(await namesOf(root, { size: 2, page: 2 })).toEqual(['Plan.txt']);
    expect(await namesOf(root, { sort: 'createdAt,asc', size: 1 })).toEqual(['Plan.txt']);
    expect(await namesOf(root, { keyword: 'PLAN' })).toEqual(['plan_100%.txt', 'Plan.txt']);
    expect(await namesOf(root, { keyword: '%', keywordMode: 'FUZZY' })).toEqual(['plan_100%.txt']);
    expect(await namesOf(root, { keyword: '100', keywordMode: 'PREFIX' })).toEqual([]);
    expect(await namesOf(root, { keyword: 'plan_', keywordMode: 'PREFIX' })).toEqual(['plan_100%.txt']);
    expect(await namesOf(root, { keyword: 'a', keywordMode: 'PREFIX' })).toEqual(['ab']);
    for (const keyword of ['plan.TXT', first.fileId, first.fileHash.slice(0, 10)])
      expect(await namesOf(root, { keyword, keywordMode: 'REFERENCE' })).toEqual(['Plan.txt']);
    expect(await namesOf(root, { keyword: 'ab', keywordMode: 'REFERENCE' })).toEqual(['ab']);
    expect(await namesOf(root, { keyword: 'plan', keywordMode: 'REFERENCE' })).toEqual([]);
    expect(await namesOf(root, { owner: 'ALICE', keyword: 'plan' })).toHaveLength(2);
    expect(await namesOf(root, { owner: 'worker' })).toEqual([]);
    const oddName = `U${'a'.repeat(22)}`;
    await store(await app.person(oddName), 'odd', 'odd.txt');
    expect(await namesOf(root, { owner: oddName })).toEqual(['odd.txt']);
    const { records } = await root.call(api.listAllFiles, { query: { keyword: first.fileHash } });
    expect(records).toMatchObject([{ ownerName: 'alice', deletedAt: null, provenanceDepth: 0 }]);
    const query = { keyword: (records[0]?.contentHash ?? '').slice(7), owner: records[0]?.ownerId };
    expect(await namesOf(root, query)).toEqual(['Plan.txt']);
    const acme = await chief.call(api.listAllFiles);
    expect([acme.total, acme.records.map(file => file.fileName)]).toEqual([1, ['plan of acme.txt']]);
    app.clock.advance(day);
    await root.login('root', testPassword);
    expect(await namesOf(root, { startTime: new Date(app.clock.now() - 1000).toISOString() })).toEqual([]);
    expect(await namesOf(root, { endTime: new Date(app.clock.now()).toISOString(), keyword: 'plan' })).toHaveLength(2);
    expect(await root.expectError(api.listAllFiles, { query: { sort: 'fileName,asc' } })).toMatchObject({
      status: 400,
    });
  });

  test('a list without filters counts every file, and not only as many as a search finds', async () => {
    await using ground = await begin();
    const { app, root, alice } = ground;
    const { fileHash } = await store(alice, 'one', 'Plan.txt');
    const { db } = app.app.database;
    const stored = db.selectFrom('file').selectAll().where('file_hash', '=', fileHash);
    const { id: _, ...row } = await stored.executeTakeFirstOrThrow();
    const others = Array.from({ length: 1000 }, (_, at) => ({
      ...row,
      file_hash: String(at).padStart(64, '0'),
      created_by: `test:${at}`,
      version_group_id: null,
    }));
    for (let at = 0; at < others.length; at += 500)
      await db
        .insertInto('file')
        .values(others.slice(at, at + 500))
        .execute();
    await db.updateTable('file_usage').set({ latest_files: 1001 }).where('tenant_id', '=', row.tenant_id).execute();
    for (const query of [{}, { owner: 'alice' }])
      expect(await root.call(api.listAllFiles, { query: { ...query, size: 5, page: 201 } })).toMatchObject({
        total: 1001,
        records: [{ fileName: 'Plan.txt' }],
      });
    expect((await root.call(api.listAllFiles, { query: { keyword: 'plan' } })).total).toBe(1000);
  });

  test('file details show through which users a saved file was passed on', { tags: 'long-on-postgres' }, async () => {
    await using ground = await begin();
    const { root, alice, bob } = ground;
    const { fileHash } = await store(alice, 'origin', 'origin.txt');
    const code = (await share(alice, fileHash, { shareType: 0 })).shareCode;
    const [copy] = await bob.call(saveSharedFiles, { params: { code } });
    const again = (await share(bob, copy?.fileHash ?? '', { shareType: 0 })).shareCode;
    const [second] = await root.call(saveSharedFiles, { params: { code: again } });
    const details = await root.call(api.getAnyFile, { params: { hash: second?.fileHash ?? '' } });
    expect(details.provenance.map(({ depth, ownerName }) => [depth, ownerName])).toEqual([
      [0, 'alice'],
      [1, 'bob'],
      [2, 'root'],
    ]);
    expect(details).toMatchObject({ provenanceDepth: 2, originOwnerName: 'alice', sharedFromUserName: 'bob' });
    expect(details).toMatchObject({ copies: [], copyCount: 0 });
    const origin = await root.call(api.getAnyFile, { params: { hash: fileHash } });
    expect(origin).toMatchObject({ copyCount: 1, copies: [{ ownerName: 'bob', fileHash: copy?.fileHash }] });
  });

  test('a force-deleted file is gone for its owner and its shares, and the reason is audited', async () => {
    await using ground = await begin();
    const { app, root, alice } = ground;
    const { fileHash: hash } = await store(alice, 'bytes', 'gone.txt');
    const code = (await share(alice, hash)).shareCode;
    expect(await setStatus(root, hash, fileStatus.DELETE, 'a court order')).toMatchObject({
      status: 2,
      isLatest: false,
    });
    expect(await setStatus(root, hash, fileStatus.DELETE)).toMatchObject({ status: 2 });
    expect((await alice.call(listFiles)).total).toBe(0);
    expect((await alice.fetch(`/api/v1/files/${hash}/download`)).status).toBe(404);
    expect((await app.anonymous.call(getShareInfo, { params: { code } })).files).toEqual([]);
    expect(await auditOf(app, 'force-delete')).toMatchObject([{ by: 'root', fileHash: hash, reason: 'a court order' }]);
    expect(await namesOf(root, { status: '2' })).toEqual(['gone.txt']);
    expect(await root.expectError(api.forceDeleteFile, { params: { hash } })).toMatchObject({ code: 50008 });
    await app.drain();
    await checkEverything(app);
  });

  test('a deleted file can be restored while its bytes are retained, and not after', async () => {
    await using ground = await begin();
    const { app, root, alice } = ground;
    const first = await store(alice, 'one', 'a.txt');
    const second = await store(alice, 'two', 'a.txt', { targetFileId: first.fileId });
    await root.call(api.forceDeleteFile, { params: { hash: second.fileHash } });
    await root.call(api.forceDeleteFile, { params: { hash: first.fileHash } });
    expect(await setStatus(root, first.fileHash, fileStatus.SUCCESS, 'a mistake')).toMatchObject({ isLatest: true });
    expect(await setStatus(root, second.fileHash, fileStatus.SUCCESS)).toMatchObject({
      isLatest: true,
      deletedAt: null,
    });
    expect((await alice.call(listFiles)).records.map(file => file.version)).toEqual([2]);
    const bytes = await alice.fetch(downloadFile.path.replace('{hash}', first.fileHash));
    expect(await bytes.text()).toBe('one');
    expect(await auditOf(app, 'restore')).toMatchObject([{ reason: 'a mistake' }, { by: 'root' }]);
    await app.drain();
    await checkEverything(app);
    await root.call(api.forceDeleteFile, { params: { hash: second.fileHash } });
    app.clock.advance(31 * day);
    await app.drain();
    await root.login('root', testPassword);
    const late = await root.expectError(api.changeFileStatus, {
      params: { hash: second.fileHash },
      body: { status: 1 },
    });
    expect(late).toMatchObject({ status: 409 });
    expect(late.message).toContain('purged after its retention time');
  });

  test('concurrent deletions and restores leave the record and its counters consistent', async () => {
    await using ground = await begin();
    const { app, root, alice } = ground;
    const { fileHash: hash } = await store(alice, 'bytes', 'busy.txt');
    for (const status of [fileStatus.DELETE, fileStatus.SUCCESS, fileStatus.DELETE] as const) {
      const tries = await Promise.allSettled(Array.from({ length: 6 }, () => setStatus(root, hash, status)));
      expect(tries.some(({ status }) => status === 'fulfilled')).toBe(true);
      for (const tried of tries)
        if (tried.status === 'rejected') expect([404, 409]).toContain((tried.reason as { status: number }).status);
      expect(await root.call(api.getAnyFile, { params: { hash } })).toMatchObject({ status });
    }
    expect([await auditOf(app, 'force-delete'), await auditOf(app, 'restore')].map(rows => rows.length)).toEqual([
      2, 1,
    ]);
    await app.drain();
    await checkEverything(app);
  });

  test('a restored file must fit into the quota again', { tags: 'long-on-postgres' }, async () => {
    await using ground = await begin({ QUOTA_MODE: 'ENFORCE', QUOTA_USER_FILES: '1' });
    const { root, alice } = ground;
    const first = await store(alice, 'one', 'one.txt');
    await root.call(api.forceDeleteFile, { params: { hash: first.fileHash } });
    await store(alice, 'two', 'two.txt');
    const rejected = await root.expectError(api.changeFileStatus, {
      params: { hash: first.fileHash },
      body: { status: 1 },
    });
    expect(rejected).toMatchObject({ code: 50013 });
    expect(await namesOf(root, {})).toEqual(['two.txt']);
  });

  test('files of another tenant are not found, and only two states are accepted', {
    tags: 'long-on-postgres',
  }, async () => {
    await using ground = await begin();
    const { root, alice, chief } = ground;
    const { fileHash: hash } = await store(alice, 'bytes', 'mine.txt');
    for (const endpoint of [api.getAnyFile, api.forceDeleteFile])
      expect(await chief.expectError(endpoint, { params: { hash } })).toMatchObject({ code: 50008 });
    const input = { params: { hash }, body: { status: 2 as const } };
    expect(await chief.expectError(api.changeFileStatus, input)).toMatchObject({ code: 50008 });
    expect(await alice.expectError(api.changeFileStatus, input)).toMatchObject({ status: 403 });
    const path = api.changeFileStatus.path.replace('{hash}', hash);
    const headers = { 'content-type': 'application/json' };
    const odd = await root.fetch(path, { method: 'PUT', headers, body: JSON.stringify({ status: 0 }) });
    expect(odd.status).toBe(400);
  });
});
