// @module-tag long-on-postgres
// The language of mails: that of the request that causes them, otherwise that of the server.
import { listUsers } from '@recordproof/shared/api/accounts.ts';
import { createApiToken, tokenPresets } from '@recordproof/shared/api/api-tokens.ts';
import * as auth from '@recordproof/shared/api/auth.ts';
import { openClient } from '@recordproof/shared/api/client.ts';
import { createInvitation } from '@recordproof/shared/api/invitations.ts';
import { resetUserFactors } from '@recordproof/shared/api/user-factors.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Person, startApp, type TestApp, testPassword } from '../../../../test/support/app.ts';
import { pattern } from '../../../../test/support/bytes.ts';
import { createDrop, dropPorts, enter, toDropFile } from '../../../../test/support/drops.ts';
import { laptop } from '../../../../test/support/real-proofs.ts';
import { share, storeFile } from '../../../../test/support/shares.ts';

let app: TestApp;
let alice: Person;
let root: Person;

beforeAll(async () => {
  app = await startApp();
  [alice, root] = [await app.person('alice'), await app.person('root', { role: 'admin' })];
});
afterAll(() => app?.[Symbol.asyncDispose]());

/** The same person with a browser of this language. */
function inLanguage(person: Person, acceptLanguage: string, userAgent = 'node'): Person {
  const speaking = new Person(person.name, person.baseUrl, person.token);
  const client = openClient({
    baseUrl: person.baseUrl,
    token: () => speaking.token,
    fetch: (url, init) =>
      fetch(url, {
        ...init,
        headers: { ...init.headers, 'accept-language': acceptLanguage, 'user-agent': userAgent },
      }),
  });
  return Object.assign(speaking, { client });
}

async function newestMail(address: string, from = app): Promise<{ subject: string; text: string }> {
  await from.drain();
  return (await from.mailsTo(address)).at(-1) ?? { subject: '', text: '' };
}

const requestCode = (person: Person, email: string) =>
  person.call(auth.requestMailCode, { body: { email, type: 'register' } });

test.each([
  ['zh-CN,zh;q=0.9,en;q=0.8', '您的 RecordProof 验证码', '用于注册账户的验证码', '您已有 RecordProof 账户'],
  ['en-GB', 'Your RecordProof code', 'Your code to open your account', 'You already have a RecordProof account'],
  ['fr', 'Your RecordProof code', 'Your code to open your account', 'You already have a RecordProof account'],
])('a code is mailed in the language of the request: %s', async (accepted, subject, lead, known) => {
  const asking = inLanguage(app.anonymous, accepted);
  const address = `${accepted.slice(0, 2)}@example.org`;
  await requestCode(asking, address);
  const mail = await newestMail(address);
  expect(mail.subject).toBe(subject);
  expect(mail.text).toMatch(new RegExp(`${lead}.\\n\\n {4}\\d{6}\\n\\n`));
  expect(await app.mailedCode(address)).toMatch(/^\d{6}$/);
  const owner = await app.person(`known-${accepted.slice(0, 2)}`);
  await requestCode(asking, `${owner.name}@example.org`);
  expect((await newestMail(`${owner.name}@example.org`)).subject).toBe(known);
});

test('mails caused by a request are in the language of the browser', async () => {
  const { fileHash } = await storeFile(alice);
  const give = (person: Person, to: string) =>
    share(person, fileHash, { addRecipients: [to], title: 'Plans', message: 'As asked', password: 'sesame' });
  await give(inLanguage(alice, 'zh'), 'carol@example.org');
  expect(await newestMail('carol@example.org')).toEqual({
    subject: 'alice 的分享：Plans',
    text: expect.stringMatching(
      /^alice 通过以下链接与您分享文件，有效期至 \d{4}-[\d-]+ [\d:]+ UTC：[\s\S]*> As asked[\s\S]*需要密码/,
    ),
  });
  await give(alice, 'dora@example.org');
  expect((await newestMail('dora@example.org')).subject).toBe('alice shares: Plans');

  const admin = inLanguage(root, 'zh');
  await admin.call(createInvitation, { body: { email: 'erin@example.org', role: 'user', expiresInHours: 1 } });
  const invitation = await newestMail('erin@example.org');
  expect(invitation.subject).toBe('您的 RecordProof 邀请');
  expect(invitation.text).toMatch(
    /^邀请您注册 RecordProof 账户，角色为“user”。[\s\S]*\/register\?invitation=[\s\S]*链接只能使用一次/,
  );

  const [{ id } = { id: '' }] = (await root.call(listUsers, { query: { keyword: 'alice' } })).records;
  await admin.call(resetUserFactors, { params: { id }, query: {} });
  const reset = await newestMail('alice@example.org');
  expect([reset.subject, reset.text.split('\n')[0]]).toEqual([
    '您的 RecordProof 登录方式已更改',
    '管理员已重置您的 RecordProof 账户的两步验证，您的会话已结束。',
  ]);

  for (const [language, device] of [
    ['en', 'curl/8'],
    ['zh', 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'],
  ] as const)
    await inLanguage(app.anonymous, language, device).login('alice', testPassword);
  const device = await newestMail('alice@example.org');
  expect(device.subject).toBe('您的 RecordProof 账户有新的登录');
  expect(device.text).toContain('设备：Firefox, Linux\n地址：127.0.0.1\n');
});

test('mails without a request, or from a request without a language, use the configured language', async () => {
  await using chinese = await startApp({ env: { ...laptop, RECORDPROOF_MAIL_LANGUAGE: 'zh' } });
  const bob = await chinese.person('bob');
  await requestCode(chinese.anonymous, 'someone@example.org');
  expect((await newestMail('someone@example.org', chinese)).subject).toBe('您的 RecordProof 验证码');
  await requestCode(inLanguage(chinese.anonymous, 'en'), 'other@example.org');
  expect((await newestMail('other@example.org', chinese)).subject).toBe('Your RecordProof code');

  const { code } = await createDrop(bob, { path: 'In' });
  await (await enter(dropPorts(chinese.app.url, code))).send(toDropFile(await pattern(5000, 1)));
  await chinese.drain();
  chinese.clock.advance(120_000);
  await chinese.drain();
  expect(await newestMail('bob@example.org', chinese)).toEqual({
    subject: '收到 1 个文件：Exam papers',
    text: expect.stringContaining('通过您的收件链接“Exam papers”收到 1 个文件，存入文件夹 In。'),
  });

  await bob.call(createApiToken, {
    body: { name: 'ci', scopes: [...tokenPresets['upload-and-prove']], expiresInDays: 3 },
  });
  chinese.clock.advance(2.5 * 24 * 3600_000);
  await chinese.drain();
  const ending = await newestMail('bob@example.org', chinese);
  expect(ending.subject).toBe('API 令牌“ci”即将到期');
  expect(ending.text).toContain('RecordProof 账户 bob 的 API 令牌“ci”将于');
});
