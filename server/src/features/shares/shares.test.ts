// Shares of an owner: creation, validation, changes, cancellation, expiry and lists.
import { updateUserStatus } from '@recordproof/shared/api/accounts.ts';
import * as adminApi from '@recordproof/shared/api/admin-shares.ts';
import { deleteFile, fileStats, getFile } from '@recordproof/shared/api/files.ts';
import * as accessApi from '@recordproof/shared/api/share-access.ts';
import * as logsApi from '@recordproof/shared/api/share-logs.ts';
import * as api from '@recordproof/shared/api/shares.ts';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Person, startApp, type TestApp } from '../../../../test/support/app.ts';
import { listAuditRows } from '../../../../test/support/audit-rows.ts';
import { pattern } from '../../../../test/support/bytes.ts';
import { checkEverything } from '../../../../test/support/check-everything.ts';
import { countEnvelopes, share, storeFile } from '../../../../test/support/shares.ts';
import { completeDirect, sendDirect } from '../../../../test/support/uploads.ts';

let app: TestApp;
let alice: Person;
let bob: Person;
let root: Person;
let file: { fileHash: string; fileId: string };

beforeAll(async () => {
  app = await startApp();
  [alice, bob, root] = [
    await app.person('alice'),
    await app.person('bob'),
    await app.person('root', { role: 'admin' }),
  ];
  file = await storeFile(alice);
});
afterAll(() => app?.[Symbol.asyncDispose]());
afterEach(async () => {
  await app.drain();
  await checkEverything(app);
});

const dbOf = () => app.app.database.db;
const minute = 60_000;
const day = 24 * 60 * minute;

test('the owner sees all details of a share, and its code has twelve characters of 62', {
  tags: 'long-on-postgres',
}, async () => {
  const made = await share(alice, file.fileHash, { maxAccesses: 5, password: 'open sesame', shareType: 1 });
  expect(made).toMatchObject({
    shareType: 1,
    status: 1,
    hasPassword: true,
    maxAccesses: 5,
    accessCount: 0,
    files: [{ fileId: file.fileId, fileHash: file.fileHash, fileName: 'report.pdf', path: null, fileSize: 10_000 }],
  });
  expect(made.shareCode).toMatch(/^[0-9A-Za-z]{12}$/);
  expect(Math.log2(62 ** 12)).toBeGreaterThan(60);
  expect(JSON.stringify(made)).not.toContain('sesame');
  expect(await countEnvelopes(dbOf(), made.shareCode)).toEqual({ ACTIVE: 1 });
  const { records, total } = await alice.call(api.listShares);
  expect([records[0], total]).toEqual([made, 1]);
  expect(await bob.call(api.listShares)).toMatchObject({ records: [], total: 0 });
});

test('codes and passwords are not in the audit log', { tags: 'long-on-postgres' }, async () => {
  const { shareCode } = await share(alice, file.fileHash, { password: 'tell nobody' });
  await alice.call(api.updateShare, { params: { code: shareCode }, body: { password: 'nor anybody' } });
  await bob.expectError(accessApi.saveSharedFiles, { params: { code: shareCode } });
  await alice.call(api.revokeShare, { params: { code: shareCode } });
  const rows = await listAuditRows(dbOf(), { module: 'shares' });
  expect(rows.map(row => row.operation_type).slice(-4)).toEqual(['create', 'update', 'saveSharedFiles', 'cancel']);
  const text = JSON.stringify(rows);
  for (const secret of [shareCode, 'tell nobody', 'nor anybody', 'argon2']) expect(text).not.toContain(secret);
});

test('only own files that are not deleted can be shared, all or none', { tags: 'long-on-postgres' }, async () => {
  const other = await storeFile(alice, 'other.pdf', 2);
  await alice.call(deleteFile, { params: { hash: other.fileHash } });
  const before = (await alice.call(api.listShares)).total;
  const input = (fileHash: string[]) => ({ body: { fileHash, expireMinutes: 60, shareType: 0 as const } });
  const rejections = [
    await bob.expectError(api.createShare, input([file.fileHash])),
    await root.expectError(api.createShare, input([file.fileHash])),
    await alice.expectError(api.createShare, input([file.fileHash, other.fileHash])),
    await alice.expectError(api.createShare, input(['0'.repeat(64)])),
  ];
  expect(new Set(rejections.map(rejection => rejection.message)).size).toBe(1);
  for (const rejection of rejections) expect(rejection).toMatchObject({ kind: 'FILE_NOT_EXIST', status: 404 });
  expect((await alice.call(api.listShares)).total).toBe(before);
});

test('values out of bounds are rejected with the name of the field', { tags: 'long-on-postgres' }, async () => {
  const send = async (body: unknown) => {
    const response = await alice.fetch('/api/v1/files/share', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return [response.status, ((await response.json()) as { message: string }).message];
  };
  const right = { fileHash: [file.fileHash], expireMinutes: 60, shareType: 0 };
  const wrong: [object, string][] = [
    [{ ...right, fileHash: [] }, 'fileHash'],
    [{ ...right, fileHash: Array(101).fill(file.fileHash) }, 'fileHash'],
    [{ ...right, expireMinutes: 0 }, 'expireMinutes'],
    [{ ...right, expireMinutes: 43_201 }, 'expireMinutes'],
    [{ ...right, shareType: 2 }, 'shareType'],
    [{ ...right, password: 'abc' }, 'password'],
    [{ ...right, password: 'x'.repeat(65) }, 'password'],
    [{ ...right, maxAccesses: 0 }, 'maxAccesses'],
    [{ fileHash: [file.fileHash], shareType: 0 }, 'expireMinutes is missing'],
  ];
  for (const [body, word] of wrong) expect(await send(body)).toEqual([400, expect.stringContaining(word)]);
});

test('monitors and anonymous clients cannot share', async () => {
  const eye = await app.person('eye', { role: 'monitor' });
  const input = { body: { fileHash: [file.fileHash], expireMinutes: 60, shareType: 0 as const } };
  expect(await eye.expectError(api.createShare, input)).toMatchObject({ status: 403 });
  expect(await eye.expectError(adminApi.listAllShares)).toMatchObject({ status: 403 });
  expect(await app.anonymous.expectError(api.createShare, input)).toMatchObject({ status: 401 });
});

test('only the owner can change a share', async () => {
  const { shareCode: code, expireTime } = await share(alice, file.fileHash);
  const change = {
    params: { code },
    body: { expireMinutes: 120, shareType: 1 as const, maxAccesses: 3, password: 'four' },
  };
  const outsider = await app.person('outsider', { tenant: 'elsewhere', role: 'admin' });
  for (const person of [bob, root, outsider])
    expect(await person.expectError(api.updateShare, change)).toMatchObject({ code: 50009, status: 404 });
  const changed = await alice.call(api.updateShare, change);
  expect(changed).toMatchObject({ shareType: 1, maxAccesses: 3, hasPassword: true });
  expect(Date.parse(changed.expireTime)).toBeGreaterThan(Date.parse(expireTime));
  const open = await alice.call(api.updateShare, { params: { code }, body: { password: null, maxAccesses: null } });
  expect(open).toMatchObject({ shareType: 1, maxAccesses: null, hasPassword: false });
  expect(await alice.expectError(api.updateShare, { params: { code }, body: {} })).toMatchObject({ status: 400 });
  expect(
    await alice.expectError(api.updateShare, { params: { code: 'nothing' }, body: { shareType: 0 } }),
  ).toMatchObject({
    code: 50009,
  });
});

test('cancelling revokes the envelopes, is final and idempotent', { tags: 'long-on-postgres' }, async () => {
  const { shareCode: code } = await share(alice, file.fileHash);
  expect(await bob.expectError(api.revokeShare, { params: { code } })).toMatchObject({ code: 50009 });
  await alice.call(api.revokeShare, { params: { code } });
  await alice.call(api.revokeShare, { params: { code } });
  expect(await countEnvelopes(dbOf(), code)).toEqual({ REVOKED: 1 });
  const change = { params: { code }, body: { expireMinutes: 60 } };
  expect(await alice.expectError(api.updateShare, change)).toMatchObject({ code: 50010, status: 410 });
  expect(await app.anonymous.expectError(accessApi.getShareInfo, { params: { code } })).toMatchObject({
    code: 50010,
    status: 410,
  });
});

test('a share past its time is expired at once, loses its envelopes later, and can be extended', async () => {
  const { shareCode: code } = await share(alice, file.fileHash, { expireMinutes: 1 });
  app.clock.advance(minute + 1);
  expect(await app.anonymous.expectError(accessApi.getShareInfo, { params: { code } })).toMatchObject({
    code: 50011,
    status: 410,
  });
  expect((await alice.call(api.listShares)).records[0]).toMatchObject({ shareCode: code, status: 2 });
  const early = await alice.call(api.updateShare, { params: { code }, body: { expireMinutes: 1 } });
  expect(early.status).toBe(1);
  expect(await countEnvelopes(dbOf(), code)).toMatchObject({ ACTIVE: 1 });
  app.clock.advance(2 * minute);
  await app.drain();
  expect(await countEnvelopes(dbOf(), code)).not.toHaveProperty('ACTIVE');
  expect((await alice.call(api.updateShare, { params: { code }, body: { maxAccesses: 7 } })).status).toBe(2);
  expect((await alice.call(api.updateShare, { params: { code }, body: { expireMinutes: 5 } })).status).toBe(1);
  expect(await countEnvelopes(dbOf(), code)).toMatchObject({ ACTIVE: 1 });
  const { files } = await app.anonymous.call(accessApi.accessShare, { params: { code } });
  expect(files).toHaveLength(1);
  const expired = await listAuditRows(dbOf(), { operation_type: 'expire' });
  // The schedule may have come due before there was more time, too.
  expect(new Set(expired.map(row => `${row.user_id} ${row.request_url}`))).toEqual(new Set(['null shares.expire']));
});

test('a list by status shows an expired share at once, before and after its row is marked', async () => {
  const dora = await app.person('dora', { tenant: 'lists', role: 'admin' });
  const { fileHash } = await storeFile(dora, 'list.pdf', 7);
  const make = async (expireMinutes: number) => {
    const { shareCode } = await share(dora, fileHash, { expireMinutes });
    app.clock.advance(1);
    return shareCode;
  };
  const list = async (query: { status?: 0 | 1 | 2; size?: number; page?: number; sort?: string }) => {
    const { records, total } = await dora.call(adminApi.listAllShares, { query });
    return [total, ...records.map(({ shareCode }) => shareCode)];
  };
  const [first, second] = [await make(1), await make(1)];
  expect([await list({ status: 2 }), await list({ status: 1 })]).toEqual([[0], [2, second, first]]);
  app.clock.advance(minute);
  await app.drain();
  const [third, fourth, fifth] = [await make(60), await make(1), await make(60)];
  await dora.call(api.revokeShare, { params: { code: third } });
  app.clock.advance(minute);
  for (const look of ['before', 'after']) {
    expect(await list({ status: 2 }), look).toEqual([3, fourth, second, first]);
    expect(await list({ status: 2, size: 1, page: 2 }), look).toEqual([3, second]);
    expect(await list({ status: 2, sort: 'expireTime,asc' }), look).toEqual([3, first, second, fourth]);
    expect(await list({ status: 1 }), look).toEqual([1, fifth]);
    expect(await list({ status: 0 }), look).toEqual([1, third]);
    expect(await list({ sort: 'createdAt,asc', size: 3 }), look).toEqual([5, first, second, third]);
    expect(await list({ page: 3, size: 3 }), look).toEqual([5]);
    await app.drain();
  }
});

test('a deleted file is removed from its shares, with its key', { tags: 'long-on-postgres' }, async () => {
  const lost = await storeFile(alice, 'lost.pdf', 3);
  const { shareCode: code } = await share(alice, [lost.fileHash, file.fileHash]);
  await alice.call(deleteFile, { params: { hash: lost.fileHash } });
  expect(await countEnvelopes(dbOf(), code)).toEqual({ REVOKED: 1, ACTIVE: 1 });
  const { files, grant } = await app.anonymous.call(accessApi.accessShare, { params: { code } });
  expect(files.map(({ fileName }) => fileName)).toEqual(['report.pdf']);
  const params = { code, fileHash: lost.fileHash };
  const input = { params, headers: { [accessApi.grantHeader]: grant } };
  expect(await app.anonymous.expectError(accessApi.sharedDownloadMetadata, input)).toMatchObject({
    kind: 'FILE_NOT_EXIST',
  });
});

test('shares of a suspended account return 404 until it is reactivated', { tags: 'long-on-postgres' }, async () => {
  const eve = await app.person('eve');
  const { fileHash } = await storeFile(eve, 'evil.exe', 4);
  const { shareCode: code } = await share(eve, fileHash);
  const id = await idOf('eve');
  await root.call(updateUserStatus, { params: { id }, body: { status: 'SUSPENDED' } });
  const gone = await app.anonymous.expectError(accessApi.getShareInfo, { params: { code } });
  const never = await app.anonymous.expectError(accessApi.getShareInfo, { params: { code: 'AAAAAAAAAAAA' } });
  expect([gone.status, gone.code, gone.message]).toEqual([never.status, never.code, never.message]);
  await root.call(updateUserStatus, { params: { id }, body: { status: 'ACTIVE' } });
  expect((await app.anonymous.call(accessApi.getShareInfo, { params: { code } })).files).toHaveLength(1);
});

const idOf = async (username: string): Promise<string> => {
  const { id } = await dbOf()
    .selectFrom('account')
    .select('id')
    .where('username', '=', username)
    .executeTakeFirstOrThrow();
  return String(id);
};

test('the number of shared files counts each accessible file once', async () => {
  const carol = await app.person('carol');
  const one = await storeFile(carol, 'one', 5);
  const two = await storeFile(carol, 'two', 6);
  const shared = async () => (await carol.call(fileStats)).sharedFiles;
  expect(await shared()).toBe(0);
  const both = await share(carol, [one.fileHash, two.fileHash]);
  await share(carol, one.fileHash, { expireMinutes: 10 });
  expect(await shared()).toBe(2);
  await carol.call(api.revokeShare, { params: { code: both.shareCode } });
  expect(await shared()).toBe(1);
  app.clock.advance(11 * minute);
  expect(await shared()).toBe(0);
});

test('administrators list and cancel the shares of their tenant, other tenants get 404', async () => {
  const { shareCode: code } = await share(alice, file.fileHash);
  const outsider = await app.person('outside-admin', { tenant: 'outside', role: 'admin' });
  const listed = await root.call(adminApi.listAllShares, { query: { status: 1, size: 100 } });
  expect(listed.records.find(({ shareCode }) => shareCode === code)).toMatchObject({ ownerName: 'alice' });
  expect((await outsider.call(adminApi.listAllShares)).total).toBe(0);
  for (const endpoint of [adminApi.cancelAnyShare, adminApi.listAnyShareLogs, adminApi.getAnyShareStats] as const) {
    expect(await outsider.expectError(endpoint, { params: { code } })).toMatchObject({ code: 50009, status: 404 });
    expect(await root.expectError(endpoint, { params: { code: 'nonsense' } })).toMatchObject({
      code: 50009,
      status: 404,
    });
    expect(await bob.expectError(endpoint, { params: { code } })).toMatchObject({ status: 403 });
    expect(await app.anonymous.expectError(endpoint, { params: { code } })).toMatchObject({ status: 401 });
  }
  await root.call(adminApi.cancelAnyShare, { params: { code } });
  expect(await countEnvelopes(dbOf(), code)).toEqual({ REVOKED: 1 });
  expect(
    (await root.call(adminApi.listAllShares, { query: { status: 0 } })).records.map(each => each.shareCode),
  ).toContain(code);
  const entry = dbOf().selectFrom('audit_log').select('username').where('operation_type', '=', 'force-cancel');
  expect(await entry.execute()).toEqual([{ username: 'root' }]);
});

test('the access log records actor, action, time and address, and the statistics sum it up', async () => {
  const { shareCode: code } = await share(alice, file.fileHash);
  const userAgent = `Curious\u0009Browser ${'x'.repeat(400)}`;
  await app.anonymous.fetch(`/api/v1/files/share/${code}`, { headers: { 'user-agent': userAgent } });
  await bob.call(accessApi.accessShare, { params: { code } });
  await bob.fetch(`/api/v1/files/share/${code}/files/${file.fileHash}/download`).then(answer => answer.arrayBuffer());
  await bob.call(accessApi.saveSharedFiles, { params: { code } });
  const { records } = await alice.call(logsApi.listShareLogs, { params: { code }, query: { sort: 'accessTime,asc' } });
  expect(records.map(({ actionType, actorName, fileName }) => [actionType, actorName, fileName])).toEqual([
    [1, null, null],
    [1, 'bob', null],
    [2, 'bob', 'report.pdf'],
    [1, 'bob', null],
    [3, 'bob', 'report.pdf'],
  ]);
  expect(records[0]).toMatchObject({ ip: '127.0.0.1', userAgent: expect.stringMatching(/^Curious Browser x+$/) });
  expect(records[0]?.userAgent?.length).toBeLessThanOrEqual(255);
  const figures = { viewCount: 3, downloadCount: 1, saveCount: 1, uniqueActors: 2, totalAccess: 5 };
  expect(await alice.call(logsApi.getShareStats, { params: { code } })).toEqual(figures);
  expect(await root.call(adminApi.getAnyShareStats, { params: { code } })).toEqual(figures);
  expect((await root.call(adminApi.listAnyShareLogs, { params: { code } })).total).toBe(5);
  for (const endpoint of [logsApi.listShareLogs, logsApi.getShareStats] as const) {
    expect(await bob.expectError(endpoint, { params: { code } })).toMatchObject({ code: 50009 });
    expect(await root.expectError(endpoint, { params: { code } })).toMatchObject({ code: 50009 });
    expect(await app.anonymous.expectError(endpoint, { params: { code } })).toMatchObject({ status: 401 });
  }
  app.clock.advance(181 * day);
  await app.drain();
  await alice.login('alice', 'correct horse battery');
  expect((await alice.call(logsApi.listShareLogs, { params: { code } })).total).toBe(0);
  expect(await alice.call(logsApi.getShareStats, { params: { code } })).toEqual({ ...figures, uniqueActors: 0 });
});

test('unencrypted files can be shared', async () => {
  await alice.login('alice', 'correct horse battery');
  await bob.login('bob', 'correct horse battery');
  const { clientId } = await sendDirect(alice, await pattern(9000, 7), { name: 'plain.bin' });
  const { fileHash } = await completeDirect(alice, clientId);
  const { shareCode: code } = await share(alice, fileHash);
  expect(await countEnvelopes(dbOf(), code)).toEqual({});
  const [copy] = await bob.call(accessApi.saveSharedFiles, { params: { code } });
  expect(await bob.call(getFile, { params: { hash: copy?.fileHash ?? '' } })).toMatchObject({
    fileName: 'plain.bin',
    ownerName: 'bob',
    originOwnerName: 'alice',
    sharedFromUserName: 'alice',
  });
});
