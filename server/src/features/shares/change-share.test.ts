// Changes of a share after it was made: what it says, its files, and whom it is mailed to.

import { deleteUser, listUsers } from '@recordproof/shared/api/accounts.ts';
import type { BodyInput } from '@recordproof/shared/api/endpoint.ts';
import { deleteFile } from '@recordproof/shared/api/files.ts';
import * as accessApi from '@recordproof/shared/api/share-access.ts';
import * as api from '@recordproof/shared/api/shares.ts';
import { mostShareMailsPerDay } from '@recordproof/shared/api/shares.ts';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Person, startApp, type TestApp, testPassword } from '../../../../test/support/app.ts';
import { listAuditRows } from '../../../../test/support/audit-rows.ts';
import { checkEverything } from '../../../../test/support/check-everything.ts';
import { countEnvelopes, fetchShared, share, storeFile } from '../../../../test/support/shares.ts';
import { addRecipients } from './recipients.ts';

let app: TestApp;
let alice: Person;
let bob: Person;
let files: { fileHash: string; fileId: string }[];

beforeAll(async () => {
  app = await startApp();
  [alice, bob] = [await app.person('alice'), await app.person('bob')];
  files = [];
  for (let seed = 1; seed <= 4; seed += 1) files.push(await storeFile(alice, `${seed}.pdf`, seed));
});
afterAll(() => app?.[Symbol.asyncDispose]());
afterEach(async () => {
  await app.drain();
  await checkEverything(app);
});

const hashOf = (at: number): string => files[at]?.fileHash ?? '';
const change = (code: string, body: BodyInput<typeof api.updateShare>) =>
  alice.call(api.updateShare, { params: { code }, body });
const rejected = (code: string, body: BodyInput<typeof api.updateShare>) =>
  alice.expectError(api.updateShare, { params: { code }, body });
const namesOf = (of: { files: readonly { fileName: string }[] }) => of.files.map(({ fileName }) => fileName);
const open = (code: string, password?: string) =>
  app.anonymous.call(accessApi.openShare, { params: { code }, body: password === undefined ? {} : { password } });
const statusOf = async (code: string, at: number) => (await fetchShared(app.anonymous, code, hashOf(at))).status;

test('title and message are visible to clients that can open the share, and can be changed and removed', {
  tags: 'long-on-postgres',
}, async () => {
  const { shareCode: code } = await share(alice, hashOf(0), {
    title: 'Plans',
    message: 'As asked.\n<b>A</b>',
    password: 'sesame',
  });
  const info = () => app.anonymous.call(accessApi.getShareInfo, { params: { code } });
  expect(await info()).toMatchObject({ title: null, message: null });
  expect(await open(code, 'sesame')).toMatchObject({ title: 'Plans', message: 'As asked.\n<b>A</b>' });
  expect(await change(code, { title: 'New plans', message: null, password: null })).toMatchObject({
    title: 'New plans',
    message: null,
  });
  expect(await info()).toMatchObject({ title: 'New plans', message: null });
  for (const title of ['two\nlines', 'turned \u202e', 'x'.repeat(101)])
    expect(await rejected(code, { title })).toMatchObject({ kind: 'PARAM_IS_INVALID' });
});

test('files are added to and removed from a share with their keys; one must remain, and all must be own', async () => {
  const { shareCode: code } = await share(alice, [hashOf(0), hashOf(1)]);
  const { grant } = await open(code);
  expect(namesOf(await change(code, { addFiles: [hashOf(2), hashOf(1)], removeFiles: [hashOf(0)] }))).toEqual([
    '2.pdf',
    '3.pdf',
  ]);
  expect(await countEnvelopes(app.app.database.db, code)).toEqual({ ACTIVE: 2, REVOKED: 1 });
  const under = async (at: number) =>
    (await fetchShared(app.anonymous, code, hashOf(at), { [accessApi.grantHeader]: grant })).status;
  expect([await under(0), await under(1), await under(2)]).toEqual([404, 200, 200]);
  expect(namesOf(await change(code, { addFiles: [hashOf(0)] }))).toEqual(['2.pdf', '3.pdf', '1.pdf']);
  expect(await statusOf(code, 0)).toBe(200);
  const foreign = await storeFile(bob, 'his.pdf', 9);
  expect((await rejected(code, { addFiles: [hashOf(3), foreign.fileHash] })).kind).toBe('FILE_NOT_EXIST');
  expect((await rejected(code, { removeFiles: [hashOf(3)] })).kind).toBe('FILE_NOT_EXIST');
  expect((await rejected(code, { removeFiles: [hashOf(0), hashOf(1), hashOf(2)] })).kind).toBe('UNPROCESSABLE');
  expect(namesOf(await change(code, { title: 'kept' }))).toEqual(['2.pdf', '3.pdf', '1.pdf']);
});

test('an expired share accepts files, and serves all of them once it is extended', async () => {
  const { shareCode: code } = await share(alice, hashOf(0), { expireMinutes: 1 });
  app.clock.advance(120_000);
  await app.drain();
  await change(code, { addFiles: [hashOf(1)] });
  expect(await statusOf(code, 1)).toBe(410);
  expect((await rejected(code, { addRecipients: ['gil@example.org'] })).kind).toBe('SHARE_EXPIRED');
  await change(code, { expireMinutes: 60, addFiles: [hashOf(2)] });
  expect(await Promise.all([0, 1, 2].map(at => statusOf(code, at)))).toEqual([200, 200, 200]);
  expect(await countEnvelopes(app.app.database.db, code)).toMatchObject({ ACTIVE: 3 });
});

test('a link is mailed once per recipient, with the message quoted, and only the owner sees the address', async () => {
  const { shareCode: code, recipients } = await share(alice, hashOf(0), {
    title: 'Plans',
    message: 'First line\nhttps://evil.example',
    addRecipients: ['Carol@Example.org', 'BOB', 'bob'],
  });
  // The mails may have been sent before the answer was read.
  expect(recipients?.map(({ recipient }) => recipient)).toEqual(['carol@example.org', 'bob']);
  await app.drain();
  const [toCarol, toBob] = [await app.mailsTo('carol@example.org'), await app.mailsTo('bob@example.org')];
  const mail = { subject: 'alice shares: Plans' };
  expect([toCarol, toBob]).toMatchObject([[mail], [mail]]);
  expect(toCarol[0]?.text).toContain(`/s/${code}\n`);
  expect(toCarol[0]?.text).toContain('> First line\n> https://evil.example');
  const again = await change(code, {
    addRecipients: ['bob', 'dora@example.org'],
    removeRecipients: ['carol@example.org'],
  });
  expect(again.recipients).toMatchObject([
    { recipient: 'bob', mailedAt: expect.stringMatching(/Z$/) },
    { recipient: 'dora@example.org' },
  ]);
  await app.drain();
  expect((await app.mailsTo('bob@example.org')).length).toBe(1);
  expect(JSON.stringify(await open(code))).not.toContain('dora');
  expect((await rejected(code, { addRecipients: ['nobody'] })).kind).toBe('USER_NOT_EXIST');
  const rows = await listAuditRows(app.app.database.db, { module: 'shares', operation_type: 'mail' });
  expect(rows.map(row => row.request_param).join()).toContain('dora@example.org');
  expect(rows.map(row => row.request_param).join()).not.toContain(code);
});

test('a share that ended before its mail is not mailed, and mails are limited per day', { tags: 'long' }, async () => {
  const eve = await app.person('eve');
  const { fileHash } = await storeFile(eve, 'eve.pdf', 7);
  const ended = await share(eve, fileHash, { expireMinutes: 1 });
  const params = { code: ended.shareCode };
  await eve.call(api.revokeShare, { params });
  await app.app.database.db.transaction().execute(async tx => {
    const { id, tenant_id, owner_id } = await tx
      .selectFrom('share')
      .selectAll()
      .where('code', '=', params.code)
      .executeTakeFirstOrThrow();
    await addRecipients(
      tx,
      { id, tenant_id, owner_id },
      { recipients: [{ recipient: 'frank@example.org', account_id: null }], now: app.clock.now() },
    );
  });
  await app.drain();
  expect(await app.mailsTo('frank@example.org')).toEqual([]);
  const many = (from: number) => Array.from({ length: 20 }, (_, at) => `p${from + at}@example.org`);
  const mail = async (addRecipients: string[]) => {
    const { shareCode } = await share(eve, fileHash);
    return { params: { code: shareCode }, body: { addRecipients } };
  };
  for (let sent = 20; sent < mostShareMailsPerDay; sent += 20) await eve.call(api.updateShare, await mail(many(sent)));
  await eve.call(api.updateShare, await mail(many(0).slice(0, 10)));
  const tooMany = await mail(many(0));
  expect(await eve.expectError(api.updateShare, tooMany)).toMatchObject({ kind: 'RATE_LIMITED', status: 429 });
  await eve.call(api.updateShare, await mail(many(0).slice(0, 10)));
  expect((await eve.expectError(api.updateShare, await mail(['last@example.org']))).kind).toBe('RATE_LIMITED');
  app.clock.advance(25 * 3600_000);
  await Promise.all([eve.login('eve', testPassword), alice.login('alice', testPassword)]);
  await eve.call(api.updateShare, await mail(many(0)));
});

test('concurrent additions of files and recipients stay within the limits, and each file has one key', async () => {
  const carl = await app.person('carl');
  const own: string[] = [];
  for (let seed = 20; seed < 30; seed += 1) own.push((await storeFile(carl, `${seed}.pdf`, seed)).fileHash);
  const { shareCode: code } = await share(carl, own[0] ?? '');
  const one = (body: BodyInput<typeof api.updateShare>) =>
    carl.client.call(api.updateShare, { params: { code }, body });
  await Promise.all(
    [
      ...own.map(fileHash => one({ addFiles: [fileHash], addRecipients: ['gus@example.org'] })),
      ...own.map(fileHash => one({ addFiles: [fileHash] })),
      carl.call(deleteFile, { params: { hash: own[9] ?? '' } }),
    ].map(call => call.catch(error => expect(['FILE_NOT_EXIST', 'SYSTEM_BUSY']).toContain(error.kind))),
  );
  await app.drain();
  const { records } = await carl.call(api.listShares);
  const kept = records[0]?.files.map(({ fileHash }) => fileHash).sort();
  expect(kept).toEqual(own.slice(0, 9).sort());
  const { ACTIVE } = await countEnvelopes(app.app.database.db, code);
  expect(ACTIVE).toBe(9);
  expect((await app.mailsTo('gus@example.org')).length).toBe(1);
  const removals = await Promise.all(
    own.slice(0, 9).map(fileHash =>
      one({ removeFiles: [fileHash] }).then(
        () => 'done',
        error => error.kind,
      ),
    ),
  );
  expect(removals.toSorted()).toEqual([...Array(1).fill('UNPROCESSABLE'), ...Array(8).fill('done')]);
});

test('a deleted account has no list of recipients and is on none', async () => {
  const hal = await app.person('hal');
  const { shareCode: code } = await share(alice, hashOf(0), { addRecipients: ['hal'] });
  const { fileHash } = await storeFile(hal, 'hal.pdf', 40);
  await share(hal, fileHash, { addRecipients: ['ida@example.org'] });
  await app.drain();
  const root = await app.person('root', { role: 'admin' });
  const { records: users } = await root.call(listUsers, { query: { keyword: 'hal' } });
  await root.call(deleteUser, { params: { id: users[0]?.id ?? '' }, query: { files: 'keep' } });
  await app.drain();
  const rows = await app.app.database.db.selectFrom('share_recipient').select('recipient').execute();
  expect(rows.map(({ recipient }) => recipient)).not.toContain('ida@example.org');
  const { records } = await alice.call(api.listShares);
  expect(records.find(one => one.shareCode === code)?.recipients).toEqual([]);
});
