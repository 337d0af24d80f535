// Drop links: anonymous uploads with receipts, moves of the folder, limits, expiry and mails to the owner.
import { createHash } from 'node:crypto';
import { deleteUser } from '@recordproof/shared/api/accounts.ts';
import * as api from '@recordproof/shared/api/drop-links.ts';
import * as senderApi from '@recordproof/shared/api/drop-senders.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { deleteFile, downloadFile, listFiles } from '@recordproof/shared/api/files.ts';
import { createFolder, move } from '@recordproof/shared/api/folders.ts';
import { listUploads } from '@recordproof/shared/api/upload-sessions.ts';
import { digestOf as digestBytes } from '@recordproof/shared/evidence/digest.ts';
import { digestFields, readDropReceipt } from '@recordproof/shared/evidence/drop-receipt.ts';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Person, startApp, type TestApp } from '../../../../test/support/app.ts';
import { listAuditRows } from '../../../../test/support/audit-rows.ts';
import { pattern } from '../../../../test/support/bytes.ts';
import { checkEverything } from '../../../../test/support/check-everything.ts';
import { createDrop, dropPorts, enter, toDropFile } from '../../../../test/support/drops.ts';
import { laptop } from '../../../../test/support/real-proofs.ts';

let app: TestApp;
let alice: Person;
let bob: Person;
let root: Person;

beforeAll(async () => {
  app = await startApp({ env: { ...laptop, RECORDPROOF_TRUSTED_PROXIES: '127.0.0.1', MAX_CHUNK_BYTES: '1048576' } });
  [alice, bob, root] = [
    await app.person('alice'),
    await app.person('bob'),
    await app.person('root', { role: 'admin' }),
  ];
});
afterAll(() => app?.[Symbol.asyncDispose]());
afterEach(async () => {
  await app.drain();
  await checkEverything(app);
});

const minute = 60_000;
const open = (code: string, address?: string) => dropPorts(app.app.url, code, address);
const rejectionOf = (work: Promise<unknown>): Promise<ApiError> =>
  work.then(
    () => {
      throw new Error('should have been refused');
    },
    error => {
      if (error instanceof ApiError) return error;
      throw error;
    },
  );
const reasonOf = async (work: Promise<unknown>) => {
  const { kind, detail } = await rejectionOf(work);
  return [kind, detail?.reason];
};

test('an anonymous sender uploads into the folder; the file is recorded and proved, with a receipt', {
  tags: 'long-on-postgres',
}, async () => {
  const fields = [
    { label: 'Name', kind: 'NAME' as const },
    { label: 'Mail', kind: 'MAIL' as const, required: false },
  ];
  const link = await createDrop(alice, { path: 'Inbox', message: 'One file\nper answer.', fields });
  expect(link).toMatchObject({ state: 'OPEN', path: 'Inbox', arrivedFiles: 0, hasPassword: false });
  const info = await app.anonymous.call(senderApi.getDropInfo, { params: { code: link.code } });
  expect(info).toMatchObject({ title: 'Exam papers', message: 'One file\nper answer.', recipient: 'alice' });
  expect(await rejectionOf(enter(open(link.code)))).toMatchObject({ kind: 'PARAM_NOT_COMPLETE' });
  const bytes = await pattern(3_000_000);
  const stranger = await enter(open(link.code, '198.51.100.7'), { fields: { Name: '李 雷' } });
  const sent = await stranger.send(toDropFile(bytes, 'answer.pdf', { path: 'Class 3' }));
  const again = await stranger.send(toDropFile(bytes, 'answer.pdf', { path: 'Class 3' }));
  expect(again.receipt).toBe(sent.receipt);
  await app.drain();

  const receipt = readDropReceipt(new Uint8Array(await (await stranger.receipt(sent.id)).arrayBuffer()));
  expect(receipt.receipt.statement).toBe(sent.receipt);
  expect(receipt.receipt.ledgerProof).toContain('c2sp.org/tlog-proof@v1');
  expect(receipt.statement).toMatchObject({
    link: { id: link.id, title: 'Exam papers' },
    file: {
      ...{ name: 'answer.pdf', path: 'Class 3', size: bytes.length },
      ...{ contentHash: digestBytes(bytes), recordId: sent.fileHash },
    },
    senderFieldsSha256: digestFields({ Name: '李 雷' }),
  });
  expect((await stranger.proof(sent.id)).size).toBeGreaterThan(1000);

  const { records } = await alice.call(api.listDropArrivals, { params: { id: link.id } });
  expect(records).toMatchObject([
    { fileName: 'answer.pdf', fields: { Name: '李 雷' }, ip: '198.51.100.7', proofStatus: 'ISSUED' },
  ]);
  const own = await alice.call(listFiles, { query: { folder: 'Inbox/Class 3' } });
  expect(own.records.map(file => file.fileName)).toEqual(['answer.pdf']);
  const stored = await alice.client.open(downloadFile, { params: { hash: sent.fileHash ?? '' } });
  expect(digestBytes(new Uint8Array(await stored.arrayBuffer()))).toBe(digestBytes(bytes));
});

test('uploads never replace files, and the owner gets one mail for many uploads', {
  tags: 'long-on-postgres',
}, async () => {
  const link = await createDrop(bob, { path: 'In' });
  const senders = await Promise.all(['198.51.100.1', '198.51.100.2'].map(address => enter(open(link.code, address))));
  for (const [at, sender] of senders.entries()) await sender.send(toDropFile(await pattern(5000, at), 'same.pdf'));
  const { records } = await bob.call(listFiles, { query: { folder: 'In' } });
  expect(records.map(file => file.fileName).sort()).toEqual(['same (2).pdf', 'same.pdf']);
  expect(await senders[0]?.list()).toHaveLength(1);
  const mails = () => app.mailsTo('bob@example.org');
  await app.drain();
  expect((await mails()).filter(mail => mail.subject.includes('arrived'))).toEqual([]);
  app.clock.advance(2 * minute);
  await app.drain();
  await app.drain();
  const arrived = (await mails()).filter(mail => mail.subject.includes('arrived'));
  expect(arrived.map(mail => mail.subject)).toEqual(['2 files arrived: Exam papers']);
  expect(await bob.call(listUploads)).toEqual([]);
});

test('a drop link follows its folder when that is moved, for later uploads too', {
  tags: 'long-on-postgres',
}, async () => {
  const link = await createDrop(bob, { path: 'case/in' });
  const sender = await enter(open(link.code, '198.51.100.9'));
  await sender.send(toDropFile(await pattern(5000, 7), 'early.pdf'));
  await bob.call(move, { body: { from: 'case', path: 'closed/case', onConflict: 'fail' } });
  const { records } = await bob.call(api.listDropLinks, {});
  expect(records.find(({ id }) => id === link.id)?.path).toBe('closed/case/in');
  await sender.send(toDropFile(await pattern(5000, 8), 'late.pdf'));
  const { records: files } = await bob.call(listFiles, { query: { path: 'closed' } });
  expect(files.map(({ path, fileName }) => `${path}/${fileName}`).sort()).toEqual([
    'closed/case/in/early.pdf',
    'closed/case/in/late.pdf',
  ]);
});

test('an upload that was interrupted goes on after the folder of its link is moved', {
  tags: 'long-on-postgres',
}, async () => {
  await bob.call(createFolder, { body: { path: 'moving/in' } });
  const link = await createDrop(bob, { path: 'moving/in' });
  const sender = await enter(open(link.code));
  const file = toDropFile(await pattern(3_000_000, 9), 'long.pdf');
  const stop = new AbortController();
  await expect(sender.send(file, { signal: stop.signal, onProgress: () => stop.abort() })).rejects.toThrow();
  await bob.call(move, { body: { from: 'moving', path: 'moved', onConflict: 'fail' } });
  // As a newer program resumes it, which announces the hash.
  const contentHash = `sha256:${createHash('sha256')
    .update(await pattern(3_000_000, 9))
    .digest('hex')}`;
  expect(await sender.send({ ...file, contentHash })).toMatchObject({ state: 'COMPLETED', fileName: 'long.pdf' });
  const { records } = await bob.call(listFiles, { query: { path: 'moving' } });
  expect(records.map(({ path, fileName }) => `${path}/${fileName}`)).toEqual(['moving/in/long.pdf']);
});

test('after a failed upload, the next one arrives where the folder of its link is', async () => {
  await bob.call(createFolder, { body: { path: 'first/in' } });
  const link = await createDrop(bob, { path: 'first/in' });
  const sender = await enter(open(link.code));
  const file = toDropFile(await pattern(5000, 10), 'again.pdf');
  await expect(sender.send({ ...file, contentHash: `sha256:${'0'.repeat(64)}` })).rejects.toThrow();
  await bob.call(move, { body: { from: 'first', path: 'second', onConflict: 'fail' } });
  expect(await sender.send(file)).toMatchObject({ state: 'COMPLETED' });
  const { records } = await bob.call(listFiles, { query: { path: 'second' } });
  expect(records.map(({ path, fileName }) => `${path}/${fileName}`)).toEqual(['second/in/again.pdf']);
});

test('a sender lists and reaches only the own uploads', { tags: 'long-on-postgres' }, async () => {
  const link = await createDrop(alice);
  const other = await createDrop(alice);
  const [mine, theirs] = [await enter(open(link.code)), await enter(open(link.code))];
  const { id } = await mine.send(toDropFile(await pattern(2000)));
  expect(await theirs.list()).toEqual([]);
  expect(await reasonOf(theirs.receipt(id))).toEqual(['FILE_NOT_EXIST', undefined]);
  expect(await reasonOf(theirs.proof(id))).toEqual(['FILE_NOT_EXIST', undefined]);
  expect(await reasonOf(theirs.cancel(id))).toEqual(['FILE_NOT_EXIST', undefined]);
  const elsewhere = { params: { code: other.code }, headers: { [senderApi.dropSenderHeader]: mine.token } };
  expect(await app.anonymous.expectError(senderApi.listSentFiles, elsewhere)).toMatchObject({ kind: 'UNAUTHORIZED' });
  expect(await reasonOf(mine.cancel(id))).toEqual(['CONFLICT', undefined]);
  for (const params of [{ id: link.id }])
    for (const endpoint of [api.getDropLink, api.deleteDropLink, api.listDropArrivals])
      expect(await bob.expectError(endpoint, { params })).toMatchObject({ kind: 'DROP_LINK_NOT_FOUND' });
});

test('a drop link can be full, closed, reopened, expired and deleted', async () => {
  const link = await createDrop(alice, { maxFiles: 1, expireMinutes: 10 });
  const params = { id: link.id };
  const stateOf = async () => (await alice.call(api.getDropLink, { params })).state;
  const stranger = await enter(open(link.code));
  await stranger.send(toDropFile(await pattern(2000)));
  expect(await stateOf()).toBe('FULL');
  expect(await reasonOf(stranger.send(toDropFile(await pattern(2000), 'two.pdf')))).toEqual([
    'DROP_LINK_FULL',
    'FILES',
  ]);
  await alice.call(api.updateDropLink, { params, body: { closed: true, maxFiles: 3 } });
  expect(await stateOf()).toBe('CLOSED');
  expect(await reasonOf(enter(open(link.code)))).toEqual(['DROP_LINK_CLOSED', 'CLOSED']);
  expect(await reasonOf(stranger.send(toDropFile(await pattern(2000), 'two.pdf')))).toEqual([
    'DROP_LINK_CLOSED',
    'CLOSED',
  ]);
  await alice.call(api.updateDropLink, { params, body: { closed: false } });
  expect(await stateOf()).toBe('OPEN');
  app.clock.advance(11 * minute);
  expect(await stateOf()).toBe('EXPIRED');
  expect(await reasonOf(stranger.send(toDropFile(await pattern(2000), 'two.pdf')))).toEqual([
    'DROP_LINK_CLOSED',
    'EXPIRED',
  ]);
  expect((await stranger.list()).map(sent => sent.state)).toEqual(['COMPLETED']);
  await alice.call(api.deleteDropLink, { params });
  expect(await reasonOf(stranger.list())).toEqual(['DROP_LINK_NOT_FOUND', undefined]);
});

test('concurrent uploads at a limit succeed exactly as often as the limit allows', async () => {
  const cases = [
    { terms: { maxFiles: 3 }, reason: 'FILES' },
    { terms: { maxBytes: 7000 }, reason: 'BYTES' },
    { terms: { maxFilesPerAddress: 3 }, reason: 'ADDRESS' },
  ] as const;
  for (const { terms, reason } of cases) {
    const link = await createDrop(alice, terms);
    const stranger = await enter(open(link.code, '203.0.113.9'));
    const sends = Array.from({ length: 8 }, async (_, at) =>
      stranger.send(toDropFile(await pattern(2000, at), `${at}.pdf`)),
    );
    const rejected = (await Promise.allSettled(sends)).flatMap(end => (end.status === 'rejected' ? [end.reason] : []));
    expect(rejected.map(error => error.detail?.reason)).toEqual(Array(5).fill(reason));
    expect((await alice.call(api.getDropLink, { params: { id: link.id } })).arrivedFiles).toBe(3);
    if (reason === 'ADDRESS') await (await enter(open(link.code, '203.0.113.10'))).send(toDropFile(await pattern(900)));
  }
});

test('invalid input of a sender is rejected, and a corrected file is accepted', {
  tags: 'long-on-postgres',
}, async () => {
  const link = await createDrop(alice, { maxFileBytes: 5000 });
  const stranger = await enter(open(link.code));
  const start = (body: object) =>
    app.anonymous.expectError(senderApi.startDropFile, {
      params: { code: link.code },
      headers: { [senderApi.dropSenderHeader]: stranger.token },
      body: { key: 'k', fileName: 'a.txt', fileSize: 10, ...body } as never,
    });
  for (const fileName of ['a\u0000b', 'a\nb', '../up', 'a/b', '..', '\u202Efdp.exe', ' a', ''])
    expect(await start({ fileName }), fileName).toMatchObject({ status: 400 });
  for (const path of ['../up', '/etc', 'a//b', 'a/../b', 'a\\b', '\u202Ea'])
    expect(await start({ path }), path).toMatchObject({ status: 400 });
  expect(await start({ fileSize: 0 })).toMatchObject({ kind: 'FILE_EMPTY' });
  expect(await start({ fileSize: 5001 })).toMatchObject({ kind: 'FILE_MAX_SIZE_OVERFLOW' });
  const bytes = await pattern(3000);
  const wrong = toDropFile(bytes, 'wrong.pdf', { contentHash: digestBytes(await pattern(3000, 9)) });
  expect(await reasonOf(stranger.send(wrong))).toEqual(['DATA_IS_WRONG', undefined]);
  expect(await stranger.list()).toMatchObject([{ state: 'UPLOADING', receipt: null }]);
  expect(await stranger.send(toDropFile(bytes, 'wrong.pdf'))).toMatchObject({ state: 'COMPLETED' });
  const { id } = await app.anonymous.call(senderApi.startDropFile, {
    params: { code: link.code },
    headers: { [senderApi.dropSenderHeader]: stranger.token },
    body: { key: 'half', fileName: 'half.txt', fileSize: 100, contentType: '' },
  });
  expect(await reasonOf(stranger.receipt(id))).toEqual(['CONFLICT', undefined]);
  await stranger.cancel(id);
  expect((await stranger.list()).map(sent => sent.fileName)).toEqual(['wrong.pdf']);
  const { fields } = await createDrop(alice, { fields: [{ label: 'Mail', kind: 'MAIL' }] });
  expect(fields).toEqual([{ label: 'Mail', kind: 'MAIL', required: true }]);
});

test('deleting a link cancels the unfinished uploads of its senders', async () => {
  const link = await createDrop(alice);
  const stranger = await enter(open(link.code));
  await stranger.send(toDropFile(await pattern(500), 'whole.pdf'));
  const { id } = await app.anonymous.call(senderApi.startDropFile, {
    params: { code: link.code },
    headers: { [senderApi.dropSenderHeader]: stranger.token },
    body: { key: 'half', fileName: 'half.txt', fileSize: 100, contentType: '' },
  });
  const { db } = app.app.database;
  const statusOf = async () =>
    (await db.selectFrom('upload').select('status').where('client_id', '=', `drop.${id}`).executeTakeFirst())?.status;
  expect(await statusOf()).toBe('UPLOADING');
  await alice.call(api.deleteDropLink, { params: { id: link.id } });
  expect(await statusOf()).toBe('CANCELLED');
});

test('password guesses are limited per address, and the right password works from other addresses', {
  tags: 'long-on-postgres',
}, async () => {
  const link = await createDrop(alice, { password: 'open sesame' });
  const guess = (password: string | undefined, address: string) =>
    enter(open(link.code, address), { password, fields: {} });
  expect(await reasonOf(guess(undefined, '192.0.2.1'))).toEqual(['FORBIDDEN', 'PASSWORD_REQUIRED']);
  const tries = Array.from({ length: 12 }, (_, at) =>
    app.anonymous.fetch(`/api/v1/drop/${link.code}/senders`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': '192.0.2.1' },
      body: JSON.stringify({ password: `guess ${at}` }),
    }),
  );
  const statuses = (await Promise.all(tries)).map(({ status }) => status).sort();
  expect(statuses).toEqual([...Array(10).fill(403), 429, 429]);
  expect((await guess('open sesame', '192.0.2.77')).token).toMatch(/^\w{32}$/);
  expect(await app.anonymous.expectError(senderApi.getDropInfo, { params: { code: 'x'.repeat(22) } })).toMatchObject({
    status: 404,
  });
});

test('uploads are audited without a user or the code, and the link is deleted with its account', async () => {
  const carol = await app.person('carol');
  const link = await createDrop(carol);
  const stranger = await enter(open(link.code));
  const { id, fileHash } = await stranger.send(toDropFile(await pattern(2000)));
  await app.drain();
  const { db } = app.app.database;
  const rows = (await listAuditRows(db)).filter(row => row.request_param.includes(`"dropLinkId":${link.id}`));
  expect(rows.map(row => row.method).sort()).toEqual([
    'drop-links.create',
    'drop-links.receive',
    'uploads.start',
    'uploads.store',
  ]);
  expect(rows.filter(row => row.method.startsWith('uploads')).map(row => row.username)).toEqual([null, null]);
  expect(JSON.stringify(rows)).not.toContain(link.code);
  await carol.call(deleteFile, { params: { hash: fileHash ?? '' } });
  expect(await stranger.list()).toMatchObject([{ id, proofStatus: 'DELETED' }]);
  const account = await db.selectFrom('account').select('id').where('username', '=', 'carol').executeTakeFirstOrThrow();
  await root.call(deleteUser, { params: { id: String(account.id) }, query: { files: 'delete' } });
  expect(await reasonOf(stranger.list())).toEqual(['DROP_LINK_NOT_FOUND', undefined]);
});

test('a path that would be too long in the folder of the link is rejected, and reserves nothing', {
  tags: 'long-on-postgres',
}, async () => {
  const deep = Array.from({ length: 9 }, () => 'n'.repeat(99)).join('/');
  const link = await createDrop(bob, { path: deep, maxFiles: 1 });
  const sender = await enter(open(link.code));
  const bytes = await pattern(2000);
  const tooLong = toDropFile(bytes, 'a.pdf', { path: 'x'.repeat(200) });
  expect((await rejectionOf(sender.send(tooLong))).kind).toBe('PARAM_IS_INVALID');
  await sender.send(toDropFile(bytes, 'b.pdf', { path: 'short' }));
  expect((await bob.call(listFiles, { query: { path: deep } })).total).toBe(1);
});
