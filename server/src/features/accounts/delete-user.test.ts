// Creation and deletion of accounts by administrators: files kept or deleted, proofs that stay valid.
import * as api from '@recordproof/shared/api/accounts.ts';
import { me } from '@recordproof/shared/api/auth.ts';
import { fileQuota } from '@recordproof/shared/api/files.ts';
import { getShareInfo } from '@recordproof/shared/api/share-access.ts';
import { createShare } from '@recordproof/shared/api/shares.ts';
import { expect, test } from 'vitest';
import { Person, startApp, type TestApp, testPassword } from '../../../../test/support/app.ts';
import { pattern } from '../../../../test/support/bytes.ts';
import { checkEverything } from '../../../../test/support/check-everything.ts';
import { exportProof, laptop, verifyOnline } from '../../../../test/support/real-proofs.ts';
import { storeProxied } from '../../../../test/support/uploads.ts';

async function findId(admin: Person, username: string): Promise<string> {
  const { records } = await admin.call(api.listUsers, { query: { keyword: username } });
  return records.find(record => record.username === username)?.id ?? '';
}

const listAudit = async (app: TestApp, operation: string) =>
  app.app.database.db.selectFrom('audit_log').selectAll().where('operation_type', '=', operation).execute();

test('an administrator creates an account while registration is closed; its owner signs in', {
  tags: 'long-on-postgres',
}, async () => {
  await using app = await startApp({ env: { ACCOUNTS_REGISTRATION: 'closed' } });
  const chief = await app.person('chief', { role: 'admin', tenant: 'acme' });
  const body = { username: 'ada', email: 'ada@example.org', password: testPassword, role: 'monitor' as const };
  expect(await chief.call(api.createUser, { body })).toMatchObject({ username: 'ada', role: 'monitor' });
  const ada = new Person('ada', app.app.url);
  await ada.login('acme/ada', testPassword);
  expect(await chief.expectError(api.createUser, { body })).toMatchObject({ kind: 'USER_HAS_EXISTED' });
  expect(await listAudit(app, 'create-user')).toMatchObject([{ username: 'chief', tenant_id: expect.any(Number) }]);
});

test('a deleted account is closed and erased, its name can be registered again, and its files are kept', async () => {
  await using app = await startApp();
  const root = await app.person('root', { role: 'admin' });
  const ada = await app.person('ada');
  const stored = await storeProxied(ada, await pattern(3000));
  const shared = await ada.call(createShare, {
    body: { fileHash: [stored.fileHash], expireMinutes: 60, shareType: 0 },
  });
  const code = shared.shareCode;
  const id = await findId(root, 'ada');
  await root.call(api.deleteUser, { params: { id }, query: { files: 'keep', reason: 'has left' } });
  expect(await ada.expectError(me)).toMatchObject({ status: 401 });
  await expect(ada.login('ada', testPassword)).rejects.toMatchObject({ kind: 'USER_LOGIN_ERROR' });
  await expect(ada.login(`(deleted ${id})`, testPassword)).rejects.toMatchObject({ status: 401 });
  expect(await app.anonymous.expectError(getShareInfo, { params: { code } })).toMatchObject({
    kind: 'SHARE_NOT_FOUND',
  });
  await app.drain();
  expect(await app.app.database.db.selectFrom('share').select('status').execute()).toEqual([{ status: 0 }]);
  const restore = { params: { id }, body: { status: 'ACTIVE' as const } };
  expect(await root.expectError(api.updateUserStatus, restore)).toMatchObject({ kind: 'USER_NOT_EXIST' });
  const again = { params: { id }, query: { files: 'delete' as const } };
  expect(await root.expectError(api.deleteUser, again)).toMatchObject({ kind: 'USER_NOT_EXIST' });
  const rows = await app.app.database.db.selectFrom('account').selectAll().where('id', '=', Number(id)).execute();
  expect(JSON.stringify(rows)).not.toMatch(/ada/);
  const files = await app.app.database.db.selectFrom('file').select('status').execute();
  expect(files).toEqual([{ status: 1 }]);
  await app.person('ada');
  expect(await listAudit(app, 'delete')).toMatchObject([{ username: 'root', module: 'accounts' }]);
  await checkEverything(app);
});

test('proofs of a deleted account stay valid, whether its files were kept or deleted', { tags: 'long' }, async () => {
  for (const files of ['keep', 'delete'] as const) {
    await using app = await startApp({ env: laptop });
    const root = await app.person('root', { role: 'admin' });
    const ada = await app.person('ada');
    const original = await pattern(3000);
    const { fileId } = await storeProxied(ada, original);
    await app.drain();
    const archive = await exportProof(ada, fileId);
    await root.call(api.deleteUser, { params: { id: await findId(root, 'ada') }, query: { files } });
    await app.drain();
    expect(await verifyOnline({ app, archive, original })).toMatchObject({ outcome: 'VALID' });
  }
});

test('deleting an account with files=delete deletes its files and their usage', async () => {
  await using app = await startApp();
  const root = await app.person('root', { role: 'admin' });
  const [ada, bob] = [await app.person('ada'), await app.person('bob')];
  for (const seed of [1, 2, 3]) await storeProxied(ada, await pattern(2000, seed));
  await storeProxied(bob, await pattern(2000, 9));
  const id = await findId(root, 'ada');
  await root.call(api.deleteUser, { params: { id }, query: { files: 'delete' } });
  await app.drain();
  const files = await app.app.database.db.selectFrom('file').select(['owner_id', 'status']).orderBy('id').execute();
  expect(files.map(({ status }) => status)).toEqual([2, 2, 2, 1]);
  expect((await bob.call(fileQuota)).tenant).toMatchObject({ usedFiles: 1 });
  await checkEverything(app);
});

test('two administrators who delete each other concurrently: one remains; own accounts cannot be deleted', async () => {
  await using app = await startApp();
  const [root, second] = [await app.person('root', { role: 'admin' }), await app.person('second', { role: 'admin' })];
  const [rootId, secondId] = [await findId(root, 'root'), await findId(root, 'second')];
  const query = { files: 'keep' as const };
  expect(await root.expectError(api.deleteUser, { params: { id: rootId }, query })).toMatchObject({ status: 409 });
  const results = await Promise.allSettled([
    root.call(api.deleteUser, { params: { id: secondId }, query }),
    second.call(api.deleteUser, { params: { id: rootId }, query }),
  ]);
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  const db = app.app.database.db;
  const left = await db.selectFrom('account').select('username').where('status', '=', 'ACTIVE').execute();
  expect(left).toHaveLength(1);
});
