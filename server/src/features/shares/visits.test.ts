// Visits of a share: passwords, private shares, grants, access counts, and the access log.
import { getFile } from '@recordproof/shared/api/files.ts';
import * as accessApi from '@recordproof/shared/api/share-access.ts';
import * as logsApi from '@recordproof/shared/api/share-logs.ts';
import * as api from '@recordproof/shared/api/shares.ts';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Person, startApp, type TestApp } from '../../../../test/support/app.ts';
import { checkEverything } from '../../../../test/support/check-everything.ts';
import { fetchShared, share, storeFile, strangerFrom, withGrant } from '../../../../test/support/shares.ts';

const minute = 60_000;
const password = 'öffne dich 🗝';

let app: TestApp;
let alice: Person;
let bob: Person;
let outsider: Person;
let file: { fileHash: string };
let signedOut: Person;

beforeAll(async () => {
  app = await startApp({ env: { RECORDPROOF_TRUSTED_PROXIES: '127.0.0.1' } });
  alice = await app.person('alice');
  bob = await app.person('bob');
  outsider = await app.person('outsider', { tenant: 'elsewhere' });
  file = await storeFile(alice);
  signedOut = app.anonymous;
});
afterAll(() => app?.[Symbol.asyncDispose]());
afterEach(async () => {
  await app.drain();
  await checkEverything(app);
});

let strangers = 0;
const stranger = () => {
  strangers += 1;
  return strangerFrom(app.app.url, `203.0.113.${strangers}`);
};

const at = (code: string) => ({ params: { code } });
const told = ({ status, code, message }: { status: number; code: number; message: string }) => [status, code, message];
const usesOf = async (code: string) => {
  const { records } = await alice.call(api.listShares, { query: { size: 100 } });
  const { accessCount, viewCount, downloadCount } = records.find(({ shareCode }) => shareCode === code) ?? {};
  return [accessCount, viewCount, downloadCount];
};

test('reading a public share is not counted, and opening it is', async () => {
  const { shareCode: code, expireTime } = await share(alice, file.fileHash);
  const info = await signedOut.call(accessApi.getShareInfo, at(code));
  expect(info).toMatchObject({ shareCode: code, shareType: 0, expireTime, hasPassword: false });
  expect(Object.keys(info.files[0] ?? {}).sort()).toEqual(['fileHash', 'fileId', 'fileName', 'fileSize', 'path']);
  expect(await usesOf(code)).toEqual([0, 0, 0]);
  const { files, grant } = await signedOut.call(accessApi.accessShare, at(code));
  expect(files[0]).toMatchObject({ fileName: 'report.pdf', contentHash: expect.stringMatching(/^sha256:/) });
  expect(await usesOf(code)).toEqual([1, 1, 0]);
  await signedOut.call(accessApi.accessShare, { ...at(code), ...withGrant(grant) });
  expect(await usesOf(code)).toEqual([1, 2, 0]);
});

test('a share with a password reveals no files without it, on any endpoint', { tags: 'long-on-postgres' }, async () => {
  const { shareCode: code } = await share(alice, file.fileHash, { password });
  const locked = { status: 403, detail: { reason: 'PASSWORD_REQUIRED' } };
  for (const person of [signedOut, bob, alice, outsider]) {
    expect(await person.call(accessApi.getShareInfo, at(code))).toMatchObject({ hasPassword: true, files: [] });
    expect(await person.expectError(accessApi.accessShare, at(code))).toMatchObject(locked);
    expect(await person.expectError(accessApi.openShare, { ...at(code), body: {} })).toMatchObject(locked);
    expect((await fetchShared(person, code, file.fileHash)).status).toBe(403);
    const params = { code, fileHash: file.fileHash };
    expect(await person.expectError(accessApi.sharedDownloadMetadata, { params })).toMatchObject(locked);
  }
  expect(await bob.expectError(accessApi.saveSharedFiles, at(code))).toMatchObject(locked);
  const wrong = await signedOut.expectError(accessApi.openShare, { ...at(code), body: { password: 'offne dich' } });
  expect(wrong).toMatchObject({ status: 403, detail: { reason: 'PASSWORD_WRONG', triesLeft: 9 } });
  expect(await usesOf(code)).toEqual([0, 0, 0]);
  const { files, grant } = await signedOut.call(accessApi.openShare, { ...at(code), body: { password } });
  expect(files).toHaveLength(1);
  expect((await fetchShared(signedOut, code, file.fileHash, { 'X-Share-Grant': grant })).status).toBe(200);
  expect(await usesOf(code)).toEqual([1, 1, 1]);
  const info = await signedOut.call(accessApi.getShareInfo, { ...at(code), ...withGrant(grant) });
  expect(info.files).toHaveLength(1);
});

test('a private share is accessible to accounts of its tenant only', { tags: 'long-on-postgres' }, async () => {
  const { shareCode: code } = await share(alice, file.fileHash, { shareType: 1 });
  expect(await signedOut.call(accessApi.getShareInfo, at(code))).toMatchObject({ shareType: 1, files: [] });
  expect(await signedOut.expectError(accessApi.accessShare, at(code))).toMatchObject({ status: 401 });
  expect(await signedOut.expectError(accessApi.openShare, at(code))).toMatchObject({ status: 401 });
  expect((await fetchShared(signedOut, code, file.fileHash)).status).toBe(401);
  expect((await bob.call(accessApi.getShareInfo, at(code))).files).toHaveLength(1);
  const { grant } = await bob.call(accessApi.accessShare, at(code));
  const carried = { 'X-Share-Grant': grant };
  expect((await fetchShared(bob, code, file.fileHash, carried)).status).toBe(200);
  expect((await fetchShared(signedOut, code, file.fileHash, carried)).status).toBe(401);
  const never = at('0123456789ab');
  for (const endpoint of [accessApi.accessShare, accessApi.openShare, accessApi.saveSharedFiles] as const)
    expect(told(await outsider.expectError(endpoint, at(code)))).toEqual(
      told(await outsider.expectError(endpoint, never)),
    );
  expect((await fetchShared(outsider, code, file.fileHash, carried)).status).toBe(404);
});

test('all clients that cannot open a private share get the same information', {
  tags: 'long-on-postgres',
}, async () => {
  for (const input of [{ shareType: 1 as const }, { shareType: 1 as const, password }]) {
    const { shareCode: code } = await share(alice, file.fileHash, input);
    const seen = await Promise.all([signedOut, outsider].map(person => person.call(accessApi.getShareInfo, at(code))));
    expect(seen[0]).toEqual(seen[1]);
    expect(seen[0]).toMatchObject({ shareCode: code, shareType: 1, files: [] });
  }
});

test('an unchanged share type keeps the grants; a new type or password revokes them', async () => {
  const code = (await share(alice, file.fileHash, { password, maxAccesses: 1 })).shareCode;
  const { grant } = await signedOut.call(accessApi.openShare, { ...at(code), body: { password } });
  const statusWithGrant = async () =>
    (await fetchShared(signedOut, code, file.fileHash, { 'X-Share-Grant': grant })).status;
  await alice.call(api.updateShare, { ...at(code), body: { shareType: 0 } });
  expect(await statusWithGrant()).toBe(200);
  await alice.call(api.updateShare, { ...at(code), body: { password: 'another one' } });
  expect(await statusWithGrant()).not.toBe(200);
});

test('a grant of a private share is not valid for another account', { tags: 'long-on-postgres' }, async () => {
  const { shareCode: code } = await share(alice, file.fileHash, { shareType: 1, maxAccesses: 1 });
  const { grant } = await bob.call(accessApi.accessShare, at(code));
  const carol = await app.person('carol');
  expect((await fetchShared(carol, code, file.fileHash, { 'X-Share-Grant': grant })).status).toBe(410);
  expect((await fetchShared(bob, code, file.fileHash, { 'X-Share-Grant': grant })).status).toBe(200);
});

test('accounts of other tenants use a public share anonymously, also in the log', {
  tags: 'long-on-postgres',
}, async () => {
  const { shareCode: code } = await share(alice, file.fileHash);
  expect((await outsider.call(accessApi.accessShare, at(code))).files).toHaveLength(1);
  expect(await outsider.expectError(accessApi.saveSharedFiles, at(code))).toMatchObject({ code: 50009, status: 404 });
  const { records } = await alice.call(logsApi.listShareLogs, at(code));
  expect(records.map(({ actorName }) => actorName)).toEqual([null]);
});

test('unknown and malformed codes get the same response', { tags: 'long-on-postgres' }, async () => {
  const answers = [];
  for (const code of ['0123456789ab', 'short', 'x'.repeat(100), '😀', '%00', "' or 1=1 --"]) {
    for (const endpoint of [accessApi.getShareInfo, accessApi.accessShare, accessApi.openShare] as const)
      answers.push(told(await stranger().expectError(endpoint, at(code))));
  }
  expect(new Set(answers.map(answer => JSON.stringify(answer)))).toEqual(
    new Set([JSON.stringify([404, 50009, 'no such share'])]),
  );
});

test('a share is opened at most the maximum number of times, and existing grants stay valid', {
  tags: 'long-on-postgres',
}, async () => {
  const { shareCode: code } = await share(alice, file.fileHash, { maxAccesses: 2 });
  const { grant } = await signedOut.call(accessApi.accessShare, at(code));
  const second = await fetchShared(signedOut, code, file.fileHash);
  expect([second.status, second.headers.get('x-share-grant')]).toEqual([200, expect.any(String)]);
  const over = {
    code: 50011,
    status: 410,
    message: expect.stringContaining('reached its maximum number of uses'),
    detail: { reason: 'USED_UP' },
  };
  expect(await signedOut.expectError(accessApi.getShareInfo, at(code))).toMatchObject(over);
  expect(await bob.expectError(accessApi.accessShare, at(code))).toMatchObject(over);
  expect(await bob.expectError(accessApi.saveSharedFiles, at(code))).toMatchObject(over);
  expect(await alice.expectError(accessApi.openShare, at(code))).toMatchObject(over);
  for (let i = 0; i < 3; i += 1)
    expect((await fetchShared(signedOut, code, file.fileHash, { 'X-Share-Grant': grant })).status).toBe(200);
  expect(await usesOf(code)).toEqual([2, 1, 4]);
  await alice.call(api.updateShare, { ...at(code), body: { maxAccesses: 3 } });
  expect((await signedOut.call(accessApi.accessShare, at(code))).files).toHaveLength(1);
});

test('responses without content do not count as an access: 304, 416, HEAD and repeated saves', {
  tags: 'long-on-postgres',
}, async () => {
  const { shareCode: code } = await share(alice, file.fileHash, { maxAccesses: 1 });
  const statusWith = async (headers: Record<string, string>) =>
    (await fetchShared(signedOut, code, file.fileHash, headers)).status;
  expect(await statusWith({ 'if-none-match': '*' })).toBe(304);
  expect(await statusWith({ range: 'bytes=10000-' })).toBe(416);
  expect((await signedOut.fetch(`/s/${code}`, { method: 'HEAD' })).status).toBe(200);
  expect(await usesOf(code)).toEqual([0, 0, 0]);
  const dora = await app.person('dora');
  const other = await share(alice, file.fileHash, { maxAccesses: 3 });
  await dora.call(accessApi.saveSharedFiles, at(other.shareCode));
  await dora.call(accessApi.saveSharedFiles, at(other.shareCode));
  expect(await usesOf(other.shareCode)).toEqual([1, 1, 0]);
});

test('a save rejected for its quota does not count as an access', async () => {
  await using poor = await startApp({ env: { QUOTA_MODE: 'ENFORCE', QUOTA_USER_BYTES: '15000' } });
  const [giver, taker] = [await poor.person('giver'), await poor.person('taker')];
  const { shareCode } = await share(giver, (await storeFile(giver)).fileHash, { maxAccesses: 1 });
  await storeFile(taker, 'own.pdf', 2);
  expect(await taker.expectError(accessApi.saveSharedFiles, at(shareCode))).toMatchObject({ kind: 'QUOTA_EXCEEDED' });
  const { records } = await giver.call(api.listShares);
  expect(records[0]).toMatchObject({ accessCount: 0, viewCount: 0, saveCount: 0 });
});

test('a grant is valid for an hour, and revoked with a new password, a new type or the end of the share', {
  tags: 'long-on-postgres',
}, async () => {
  const { shareCode: code } = await share(alice, file.fileHash, { password, expireMinutes: 600 });
  const open = () => signedOut.call(accessApi.openShare, { ...at(code), body: { password } });
  const works = async (grant: string) =>
    (await fetchShared(signedOut, code, file.fileHash, { 'X-Share-Grant': grant })).status === 200;
  const { grant, grantExpiresAt } = await open();
  expect(Date.parse(grantExpiresAt)).toBeLessThanOrEqual(app.clock.now() + 60 * minute);
  app.clock.advance(59 * minute);
  expect(await works(grant)).toBe(true);
  app.clock.advance(2 * minute);
  expect(await works(grant)).toBe(false);
  const { grant: next } = await open();
  await alice.call(api.updateShare, { ...at(code), body: { maxAccesses: 100 } });
  expect(await works(next)).toBe(true);
  await alice.call(api.updateShare, { ...at(code), body: { password: 'another' } });
  expect(await works(next)).toBe(false);
});

test('an altered grant and a grant of another share are rejected', { tags: 'long-on-postgres' }, async () => {
  const one = await share(alice, file.fileHash, { password });
  const other = await share(alice, file.fileHash, { password });
  const { grant } = await signedOut.call(accessApi.openShare, { ...at(one.shareCode), body: { password } });
  const [expires = '', generation, holder, signature = ''] = grant.split('.');
  const forged = [
    `${Number(expires) + 1}.${generation}.${holder}.${signature}`,
    `${expires}.${generation}.1.${signature}`,
    `${expires}.${generation}.${holder}.${'A'.repeat(43)}`,
    `${expires}.${generation}.${holder}.${signature.slice(1)}`,
    '....',
    'x'.repeat(5000),
  ];
  for (const text of forged)
    expect((await fetchShared(signedOut, one.shareCode, file.fileHash, { 'X-Share-Grant': text })).status).toBe(403);
  expect((await fetchShared(signedOut, other.shareCode, file.fileHash, { 'X-Share-Grant': grant })).status).toBe(403);
});

test('a share gives access only to its own files', { tags: 'long-on-postgres' }, async () => {
  const hidden = await storeFile(alice, 'hidden.pdf', 9);
  const { shareCode: code } = await share(alice, file.fileHash);
  for (const hash of [hidden.fileHash, '0'.repeat(64)]) {
    expect((await fetchShared(signedOut, code, hash)).status).toBe(404);
    const input = { ...at(code), body: { fileHash: [hash] } };
    expect(await bob.expectError(accessApi.saveSharedFiles, input)).toMatchObject({ kind: 'FILE_NOT_EXIST' });
  }
  expect(await usesOf(code)).toEqual([0, 0, 0]);
});

test('saved files belong to the account: kept when the share ends, and saved only once', async () => {
  const second = await storeFile(alice, 'second.pdf', 10);
  const { shareCode: code } = await share(alice, [file.fileHash, second.fileHash]);
  const saved = await bob.call(accessApi.saveSharedFiles, at(code));
  expect(saved.map(({ fileName, ownerName, version }) => [fileName, ownerName, version])).toEqual([
    ['report.pdf', 'bob', 1],
    ['second.pdf', 'bob', 1],
  ]);
  const again = await bob.call(accessApi.saveSharedFiles, { ...at(code), body: { fileHash: [second.fileHash] } });
  expect(again).toEqual([saved[1]]);
  expect(await alice.expectError(accessApi.saveSharedFiles, at(code))).toMatchObject({ code: 50003, status: 409 });
  expect(await signedOut.expectError(accessApi.saveSharedFiles, at(code))).toMatchObject({ status: 401 });
  await alice.call(api.revokeShare, at(code));
  const [copy] = saved;
  const bytes = await bob.fetch(`/api/v1/files/${copy?.fileHash}/download`);
  expect((await bytes.arrayBuffer()).byteLength).toBe(10_000);
  expect(await bob.expectError(getFile, { params: { hash: file.fileHash } })).toMatchObject({ kind: 'FILE_NOT_EXIST' });
  expect(await bob.expectError(accessApi.saveSharedFiles, at(code))).toMatchObject({ code: 50010 });
});

test('a monitor can open a share but not save from it', { tags: 'long-on-postgres' }, async () => {
  const eye = await app.person('eye', { role: 'monitor' });
  const { shareCode: code } = await share(alice, file.fileHash, { shareType: 1 });
  expect((await eye.call(accessApi.accessShare, at(code))).files).toHaveLength(1);
  expect(await eye.expectError(accessApi.saveSharedFiles, at(code))).toMatchObject({ status: 403 });
});

test('the first bytes of a file under a grant are logged as one download, at any offset', {
  tags: 'long-on-postgres',
}, async () => {
  const { shareCode: code } = await share(alice, file.fileHash, { maxAccesses: 1 });
  const { grant } = await signedOut.call(accessApi.accessShare, at(code));
  const statusOf = async (headers: Record<string, string>) =>
    (await fetchShared(signedOut, code, file.fileHash, { 'X-Share-Grant': grant, ...headers })).status;
  expect(await statusOf({ range: 'bytes=10000-' })).toBe(416);
  expect(await usesOf(code)).toEqual([1, 1, 0]);
  expect(await statusOf({ range: 'bytes=1-' })).toBe(206);
  expect(await usesOf(code)).toEqual([1, 1, 1]);
  for (const range of ['bytes=1-', 'bytes=0-0', 'bytes=-5']) expect(await statusOf({ range })).toBe(206);
  expect(await usesOf(code), 'the rest of the same download').toEqual([1, 1, 1]);
  const { records } = await alice.call(logsApi.listShareLogs, at(code));
  expect(records.map(({ actionType, fileName }) => [actionType, fileName])).toEqual([
    [2, 'report.pdf'],
    [1, null],
  ]);
});

test('a full response is logged as a download each time, also for ranges that do not apply', {
  tags: 'long-on-postgres',
}, async () => {
  const { shareCode: code } = await share(alice, file.fileHash);
  const { grant } = await signedOut.call(accessApi.accessShare, at(code));
  const wholes: Record<string, string>[] = [
    { range: 'bytes=1-', 'if-range': '"another"' },
    { range: 'bytes=1-2,4-5' },
    { range: 'bytes=0-' },
    {},
  ];
  for (const headers of wholes) {
    const answer = await fetchShared(signedOut, code, file.fileHash, { 'X-Share-Grant': grant, ...headers });
    expect((await answer.arrayBuffer()).byteLength).toBe(10_000);
  }
  expect(await usesOf(code)).toEqual([1, 1, 4]);
});

test('concurrent range requests are logged as one download', async () => {
  const { shareCode: code } = await share(alice, file.fileHash);
  const { grant } = await signedOut.call(accessApi.accessShare, at(code));
  const ranges = Array.from({ length: 12 }, (_, part) => `bytes=${part * 800}-${part * 800 + 799}`);
  const answers = await Promise.all(
    ranges.map(range => fetchShared(signedOut, code, file.fileHash, { 'X-Share-Grant': grant, range })),
  );
  expect(answers.map(({ status }) => status)).toEqual(ranges.map(() => 206));
  expect(await usesOf(code)).toEqual([1, 1, 1]);
});

test('download records are deleted when their grant has expired', async () => {
  const { shareCode: code } = await share(alice, file.fileHash);
  expect((await fetchShared(signedOut, code, file.fileHash)).status).toBe(200);
  const rows = () => app.app.database.db.selectFrom('share_download').select('expires_at').execute();
  expect((await rows()).length).toBeGreaterThan(0);
  app.clock.advance(61 * minute);
  await app.drain();
  expect(await rows()).toEqual([]);
});
