// Invitations to an account: mail and link, address and role, revocation, expiry, concurrency and rate limit.
import type * as authApi from '@recordproof/shared/api/auth.ts';
import * as api from '@recordproof/shared/api/invitations.ts';
import { expect, test } from 'vitest';
import { Person, startApp, type TestApp, testPassword } from '../../../../test/support/app.ts';

const env = { ACCOUNTS_REGISTRATION: 'invite' };
const hourMs = 3_600_000;

const codeIn = (text: string): string => /invitation=([0-9A-Za-z]{44})/.exec(text)?.[1] ?? '';

async function inviteByLink(admin: Person, body: { role?: authApi.Role; expiresInHours?: number } = {}) {
  const { invitation, link } = await admin.call(api.createInvitation, { body });
  return { id: invitation.id, link: link ?? '', code: codeIn(link ?? '') };
}

async function codeFor(app: TestApp, invitation: string, email: string): Promise<string> {
  await app.anonymous.call(api.requestInvitedMailCode, { body: { invitation, email } });
  return app.mailedCode(email);
}

const accept = (app: TestApp, invitation: string, more: object) =>
  app.anonymous.call(api.acceptInvitation, { body: { invitation, password: testPassword, username: 'ada', ...more } });
const rejectAccept = (app: TestApp, invitation: string, more: object) =>
  app.anonymous.expectError(api.acceptInvitation, {
    body: { invitation, password: testPassword, username: 'ada', ...more },
  });

const listAudit = (app: TestApp) =>
  app.app.database.db
    .selectFrom('audit_log')
    .select(['operation_type', 'username'])
    .where('module', '=', 'invitations')
    .orderBy('position')
    .execute();

test('a mailed invitation creates an account with its address and role; its link is only in the mail', async () => {
  await using app = await startApp({ env });
  const root = await app.person('root', { role: 'admin' });
  const email = 'ada@example.org';
  const created = await root.call(api.createInvitation, { body: { email, role: 'monitor' } });
  expect(created).toMatchObject({ link: null, delivery: 'file', invitation: { email, state: 'PENDING' } });
  await app.drain();
  const [mail] = await app.mailsTo(email);
  const code = codeIn(mail?.text ?? '');
  const read = await app.anonymous.call(api.readInvitation, { body: { invitation: code } });
  expect(read).toMatchObject({ email, role: 'monitor' });
  const other = { email: 'eve@example.org' };
  expect(await rejectAccept(app, code, other)).toMatchObject({ status: 400 });
  expect(await accept(app, code, {})).toMatchObject({ email, role: 'monitor', username: 'ada' });
  await new Person('ada', app.app.url).login('ada', testPassword);
  const { records } = await root.call(api.listInvitations, { query: { state: 'ACCEPTED' } });
  expect(records).toMatchObject([{ email, state: 'ACCEPTED', acceptedBy: 'ada', createdBy: 'root' }]);
  expect(await listAudit(app)).toEqual([
    { operation_type: 'create', username: 'root' },
    { operation_type: 'accept', username: 'ada' },
  ]);
  const [row] = await app.app.database.db.selectFrom('invitation').selectAll().execute();
  expect(JSON.stringify(row)).not.toContain(code.slice(12));
});

test('an invitation link creates one account in its tenant, with an address confirmed by code', {
  tags: 'long-on-postgres',
}, async () => {
  await using app = await startApp({ env });
  const chief = await app.person('chief', { role: 'admin', tenant: 'acme' });
  const { code, link } = await inviteByLink(chief, { role: 'admin' });
  expect(link).toContain('/app/#/register?invitation=');
  const email = 'ada@example.org';
  expect(await rejectAccept(app, code, {})).toMatchObject({ kind: 'PARAM_NOT_COMPLETE' });
  expect(await rejectAccept(app, code, { email })).toMatchObject({ kind: 'PARAM_NOT_COMPLETE' });
  const mailed = await codeFor(app, link, email);
  expect(await rejectAccept(app, code, { email: 'eve@example.org', code: mailed })).toMatchObject({
    kind: 'AUTH_CODE_ERROR',
  });
  await accept(app, code, { email, code: mailed });
  const ada = new Person('ada', app.app.url);
  await ada.login(email, testPassword);
  const { records } = await ada.call(api.listInvitations, {});
  expect(records).toMatchObject([{ state: 'ACCEPTED', acceptedBy: 'ada', createdBy: 'chief' }]);
  expect(await rejectAccept(app, code, { email, code: mailed })).toMatchObject({ kind: 'AUTH_CODE_ERROR' });
});

test('wrong, revoked and expired invitations get the same error, and a taken user name uses none up', async () => {
  await using app = await startApp({ env });
  const root = await app.person('root', { role: 'admin' });
  const [late, revoked, good] = [
    await inviteByLink(root, { expiresInHours: 1 }),
    await inviteByLink(root),
    await inviteByLink(root),
  ];
  app.clock.advance(hourMs);
  await root.call(api.revokeInvitation, { params: { id: revoked.id } });
  expect(await root.call(api.revokeInvitation, { params: { id: revoked.id } })).toMatchObject({ state: 'REVOKED' });
  const wrongSecret = good.code.slice(0, 12) + late.code.slice(12);
  const answers = [];
  for (const code of [late.code, revoked.code, wrongSecret, 'x'.repeat(44)])
    answers.push(await app.anonymous.expectError(api.readInvitation, { body: { invitation: code } }));
  for (const answer of answers) expect(answer).toMatchObject({ kind: 'AUTH_CODE_ERROR', message: answers[0]?.message });
  const email = 'ada@example.org';
  const mailed = await codeFor(app, good.code, email);
  const taken = { email, code: mailed, username: 'ROOT' };
  expect(await rejectAccept(app, good.code, taken)).toMatchObject({ kind: 'USER_HAS_EXISTED' });
  await accept(app, good.code, { email, code: mailed });
  expect(await root.expectError(api.revokeInvitation, { params: { id: good.id } })).toMatchObject({ status: 409 });
  const states = (await root.call(api.listInvitations, { query: { sort: 'createdAt,asc' } })).records;
  expect(states.map(({ state }) => state)).toEqual(['EXPIRED', 'REVOKED', 'ACCEPTED']);

  app.clock.advance(89 * 86_400_000);
  await app.drain();
  const countRows = async () => (await app.app.database.db.selectFrom('invitation').select('id').execute()).length;
  expect(await countRows()).toBe(3);
  app.clock.advance(2 * 86_400_000);
  await app.drain();
  expect(await countRows()).toBe(0);
});

test('of concurrent uses of one invitation, one creates the account', async () => {
  await using app = await startApp({ env });
  const root = await app.person('root', { role: 'admin' });
  await root.call(api.createInvitation, { body: { email: 'ada@example.org' } });
  await app.drain();
  const [mail] = await app.mailsTo('ada@example.org');
  const code = codeIn(mail?.text ?? '');
  const byLink = await inviteByLink(root);
  const rivals = ['ada', 'bob', 'eve', 'joe'].map(username => accept(app, code, { username }));
  const settling = Promise.allSettled(rivals);
  const emails = ['one@example.org', 'two@example.org', 'six@example.org'];
  const codes = [];
  for (const email of emails) codes.push({ email, code: await codeFor(app, byLink.code, email) });
  const settled = await settling;
  const linked = await Promise.allSettled(
    codes.map((body, index) => accept(app, byLink.code, { ...body, username: `rival-${index}` })),
  );
  for (const results of [settled, linked]) {
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const result of results)
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ status: expect.any(Number) });
  }
  const accounts = await app.app.database.db.selectFrom('account').select('username').execute();
  expect(accounts).toHaveLength(3);
});

test('an acceptance concurrent with the revocation creates an account only if the invitation is ACCEPTED', async () => {
  await using app = await startApp({ env });
  const root = await app.person('root', { role: 'admin' });
  for (let round = 0; round < 4; round += 1) {
    const email = `guest-${round}@example.org`;
    const { invitation } = await root.call(api.createInvitation, { body: { email } });
    await app.drain();
    const [mail] = await app.mailsTo(email);
    const [accepted] = await Promise.allSettled([
      accept(app, codeIn(mail?.text ?? ''), { username: `guest-${round}` }),
      root.call(api.revokeInvitation, { params: { id: invitation.id } }),
    ]);
    const { records } = await root.call(api.listInvitations, { query: { sort: 'createdAt,desc', size: 1 } });
    expect(records[0]?.state).toBe(accepted.status === 'fulfilled' ? 'ACCEPTED' : 'REVOKED');
  }
});

test('administrators list only invitations of their tenant, and create none while registration is closed', async () => {
  await using app = await startApp({ env: { ACCOUNTS_REGISTRATION: 'closed' } });
  const root = await app.person('root', { role: 'admin' });
  expect(await root.expectError(api.createInvitation, { body: {} })).toMatchObject({ status: 409 });
  const closed = { kind: 'REGISTRATION_CLOSED' };
  expect(await rejectAccept(app, 'x'.repeat(44), {})).toMatchObject(closed);
  expect(await app.anonymous.expectError(api.readInvitation, { body: { invitation: 'x'.repeat(44) } })).toMatchObject(
    closed,
  );
});

test('an address with an account in the tenant cannot be invited', { tags: 'long-on-postgres' }, async () => {
  await using app = await startApp({ env });
  const root = await app.person('root', { role: 'admin' });
  const body = { email: 'root@example.org' };
  expect(await root.expectError(api.createInvitation, { body })).toMatchObject({ kind: 'USER_HAS_EXISTED' });
});

test('guesses at one invitation share a rate limit across addresses', { tags: 'long-on-postgres' }, async () => {
  const limits = { RECORDPROOF_RATE_LIMIT_AUTH: '5', RECORDPROOF_TRUSTED_PROXIES: '127.0.0.1' };
  await using app = await startApp({ env: { ...env, ...limits } });
  const root = await app.person('root', { role: 'admin' });
  const { code } = await inviteByLink(root);
  const secret = code.slice(0, 42) + (code[42] === 'x' ? 'y' : 'x'); // one character before the last is wrong
  const guess = async (count: number) => {
    const headers = { 'content-type': 'application/json', 'x-forwarded-for': `198.51.100.${count}` };
    const body = JSON.stringify({ invitation: `${secret}${count}` });
    return (await app.anonymous.fetch(api.readInvitation.path, { method: 'POST', headers, body })).status;
  };
  const statuses = [];
  for (let count = 1; count <= 6; count += 1) statuses.push(await guess(count));
  expect(statuses).toEqual([400, 400, 400, 400, 400, 429]);
});
