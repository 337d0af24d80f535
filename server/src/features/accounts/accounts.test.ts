// Administration of accounts: search, roles, suspension, protection of the last administrator, tenant isolation.
import * as api from '@recordproof/shared/api/accounts.ts';
import { me } from '@recordproof/shared/api/auth.ts';
import { expect, test } from 'vitest';
import { startApp } from '../../../../test/support/app.ts';
import { changeAuditTexts, listAuditRows } from '../../../../test/support/audit-rows.ts';
import { verifyAuditChain } from '../audit/index.ts';

const findUser = async (admin: Awaited<ReturnType<Awaited<ReturnType<typeof startApp>>['person']>>, name: string) => {
  const { records } = await admin.call(api.listUsers, { query: { keyword: name } });
  const user = records.find(record => record.username === name);
  if (!user) throw new Error(`no user ${name}`);
  return user;
};

test('an administrator finds accounts by part of a name, by role and by status, page by page', async () => {
  await using app = await startApp();
  const root = await app.person('root', { role: 'admin' });
  for (const name of ['anna', 'bert_100%', 'carl']) await app.person(name);
  await app.person('stranger', { tenant: 'acme' });
  const names = async (query: object) => (await root.call(api.listUsers, { query })).records.map(user => user.username);
  expect(await names({ sort: 'username,asc' })).toEqual(['anna', 'bert_100%', 'carl', 'root']);
  expect(await names({ keyword: 'ANN' })).toEqual(['anna']);
  expect(await names({ keyword: '%' }), 'a wildcard is an ordinary character').toEqual(['bert_100%']);
  expect(await names({ role: 'admin' })).toEqual(['root']);
  const page = await root.call(api.listUsers, { query: { page: 2, size: 3, sort: 'username,asc' } });
  expect(page).toMatchObject({ total: 4, current: 2, size: 3, pages: 2 });
  expect(page.records.map(user => user.username)).toEqual(['root']);
  const unknown = await root.expectError(api.listUsers, { query: { sort: 'password,asc' } });
  expect(unknown).toMatchObject({ status: 400 });
  expect(unknown.message).toContain('registerTime, username');
});

test('a change of role ends the sessions of the account and is audited with its reason', {
  tags: 'long-on-postgres',
}, async () => {
  await using app = await startApp();
  const root = await app.person('root', { role: 'admin' });
  const anna = await app.person('anna');
  const { id } = await findUser(root, 'anna');
  expect(
    await root.call(api.updateUserRole, { params: { id }, body: { role: 'monitor', reason: 'on call' } }),
  ).toMatchObject({ role: 'monitor' });
  expect(await anna.expectError(me)).toMatchObject({ code: 70006 });
  const rows = await listAuditRows(app.app.database.db, { operation_type: 'change-role' });
  expect(rows).toHaveLength(1);
  expect(rows[0]).toMatchObject({ username: 'root', status: 0, request_method: 'PUT' });
  expect(JSON.parse(rows[0]?.request_param ?? '')).toMatchObject({ from: 'user', to: 'monitor', reason: 'on call' });
});

test('the last administrator keeps the role and cannot be suspended, also with concurrent requests', async () => {
  await using app = await startApp();
  const root = await app.person('root', { role: 'admin' });
  const second = await app.person('second', { role: 'admin' });
  const [rootId, secondId] = [(await findUser(root, 'root')).id, (await findUser(root, 'second')).id];
  const results = await Promise.allSettled([
    root.call(api.updateUserRole, { params: { id: secondId }, body: { role: 'user' } }),
    second.call(api.updateUserRole, { params: { id: rootId }, body: { role: 'user' } }),
  ]);
  expect(results.filter(result => result.status === 'fulfilled').length).toBe(1);
  const survivor = results[0]?.status === 'fulfilled' ? { person: root, id: rootId } : { person: second, id: secondId };
  const { person, id } = survivor;
  expect(await person.expectError(api.updateUserRole, { params: { id }, body: { role: 'user' } })).toMatchObject({
    status: 409,
  });
  expect(
    await person.expectError(api.updateUserStatus, { params: { id }, body: { status: 'SUSPENDED' } }),
  ).toMatchObject({
    status: 409,
  });
});

test('a suspended account loses its sessions at once, and can sign in after it is reactivated', async () => {
  await using app = await startApp();
  const root = await app.person('root', { role: 'admin' });
  const anna = await app.person('anna');
  const { id } = await findUser(root, 'anna');
  await root.call(api.updateUserStatus, { params: { id }, body: { status: 'SUSPENDED' } });
  expect(await anna.expectError(me)).toMatchObject({ status: 401 });
  await expect(anna.login('anna', 'correct horse battery')).rejects.toMatchObject({ kind: 'USER_ACCOUNT_FORBIDDEN' });
  await root.call(api.updateUserStatus, { params: { id }, body: { status: 'ACTIVE' } });
  await anna.login('anna', 'correct horse battery');
});

test('accounts of another tenant are reported like missing accounts', { tags: 'long-on-postgres' }, async () => {
  await using app = await startApp();
  const root = await app.person('root', { role: 'admin' });
  const chief = await app.person('chief', { role: 'admin', tenant: 'acme' });
  await app.person('worker', { tenant: 'acme' });
  const { id } = await findUser(chief, 'worker');
  const foreign = await root.expectError(api.updateUserRole, { params: { id }, body: { role: 'admin' } });
  const missing = await root.expectError(api.updateUserRole, { params: { id: '999999' }, body: { role: 'admin' } });
  const shown = ({ kind, status, code, message, detail }: typeof foreign) => ({ kind, status, code, message, detail });
  expect(shown(foreign)).toEqual(shown(missing));
});

test('users and monitors cannot manage accounts; users can change their own nickname', {
  tags: 'long-on-postgres',
}, async () => {
  await using app = await startApp();
  const anna = await app.person('anna');
  const watcher = await app.person('watcher', { role: 'monitor' });
  for (const person of [anna, watcher]) {
    for (const endpoint of [api.listUsers, api.listRoles, api.listPermissions]) {
      expect(await person.expectError(endpoint)).toMatchObject({ status: 403, code: 403 });
    }
  }
  expect(await anna.call(api.updateProfile, { body: { nickname: 'Änna' } })).toMatchObject({ nickname: 'Änna' });
  expect(await anna.expectError(api.updateProfile, { body: { nickname: 'x'.repeat(51) } })).toMatchObject({
    status: 400,
  });
});

test('verification of the audit chain detects a row that was changed, removed or truncated', async () => {
  await using app = await startApp();
  const root = await app.person('root', { role: 'admin' });
  await app.person('anna');
  await root.call(api.updateProfile, { body: { nickname: 'R' } });
  const { db } = app.app.database;
  const tenantId = 1;
  const sound = await verifyAuditChain(db, tenantId);
  expect(sound.brokenAt).toBeNull();
  expect(sound.rows).toBeGreaterThan(2);
  const rows = await listAuditRows(db, { tenant_id: tenantId });
  const second = rows[1];
  const last = rows.at(-1);
  if (!second || !last) throw new Error('too few rows');
  await changeAuditTexts(db, second, { description: 'nothing happened' });
  expect((await verifyAuditChain(db, tenantId)).brokenAt).toBe(2);
  await changeAuditTexts(db, second, { description: second.description });
  await db.deleteFrom('audit_log').where('id', '=', last.id).execute();
  expect((await verifyAuditChain(db, tenantId)).brokenAt).toBe(last.position);
});
