// Tenants: creation, sign-in names, suspension, deletion, and limits of the installation administrator.
import * as accounts from '@recordproof/shared/api/accounts.ts';
import { createApiToken, revokeTokenOfUser } from '@recordproof/shared/api/api-tokens.ts';
import { me } from '@recordproof/shared/api/auth.ts';
import { createInvitation, readInvitation } from '@recordproof/shared/api/invitations.ts';
import { listDeadJobs } from '@recordproof/shared/api/jobs.ts';
import { setMaintenance } from '@recordproof/shared/api/maintenance.ts';
import { listConversations, sendMessage } from '@recordproof/shared/api/messages.ts';
import { getShareInfo } from '@recordproof/shared/api/share-access.ts';
import { getInstallationSweep, takeAllCensuses } from '@recordproof/shared/api/sweep.ts';
import { getSystemMonitor } from '@recordproof/shared/api/system.ts';
import * as api from '@recordproof/shared/api/tenants.ts';
import { completeUploadSession, createUploadSession } from '@recordproof/shared/api/upload-sessions.ts';
import { resetUserFactors } from '@recordproof/shared/api/user-factors.ts';
import { expect, test } from 'vitest';
import { Person, type TestApp, testPassword } from '../../../../test/support/app.ts';
import { listAuditRows } from '../../../../test/support/audit-rows.ts';
import { pattern } from '../../../../test/support/bytes.ts';
import { checkEverything } from '../../../../test/support/check-everything.ts';
import { eachApp } from '../../../../test/support/each-app.ts';
import { listen } from '../../../../test/support/event-streams.ts';
import { befriend, idOf } from '../../../../test/support/friends.ts';
import { exportProof, laptop, verifyOnline } from '../../../../test/support/real-proofs.ts';
import { share } from '../../../../test/support/shares.ts';
import { cut, putPart, sendFile, startDirect, toPlan } from '../../../../test/support/uploads.ts';
import { localCall } from '../../platform/call.ts';
import { changeInstallationAdmin, findAccountByName, getDefaultTenant } from '../accounts/index.ts';
import { deletionJob } from './deletion-job.ts';

async function openPeople(app: TestApp) {
  const root = await app.person('root', { isInstallationAdmin: true });
  const boss = await app.person('boss', { role: 'admin', tenant: 'acme' });
  const ada = await app.person('ada', { tenant: 'acme' });
  return { root, boss, ada };
}

async function findTenant(root: Person, keyword: string): Promise<api.Tenant> {
  const { records } = await root.call(api.listTenants, { query: { keyword } });
  const tenant = records.find(({ name }) => name === keyword);
  if (tenant === undefined) throw new Error(`there is no tenant ${keyword}`);
  return tenant;
}

const idOfAccount = async (admin: Person, keyword: string): Promise<string> =>
  (await admin.call(accounts.listUsers, { query: { keyword } })).records[0]?.id ?? '';

const listAudit = ({ app }: TestApp, module: string) => listAuditRows(app.database.db, { module, status: 0 });

eachApp(start => {
  test('an installation administrator creates a tenant, whose administrator joins by invitation', async () => {
    await using app = await start();
    const { root } = await openPeople(app);
    const { tenant, invitation } = await root.call(api.createTenant, { body: { name: 'globex' } });
    expect(tenant).toMatchObject({ name: 'globex', status: 'ACTIVE', users: 0, isFirst: false });
    const code = /[0-9A-Za-z]{44}$/.exec(invitation?.link ?? '')?.[0] ?? '';
    expect(await app.anonymous.call(readInvitation, { body: { invitation: code } })).toMatchObject({ role: 'admin' });
    const mailed = { name: 'initech', administratorEmail: 'bill@example.org' };
    expect(await root.call(api.createTenant, { body: mailed })).toMatchObject({
      invitation: { email: 'bill@example.org', link: null },
    });
    await app.drain();
    expect(await app.mailsTo('bill@example.org')).toHaveLength(1);
    expect(await root.expectError(api.createTenant, { body: { name: 'globex' } })).toMatchObject({
      kind: 'DATA_ALREADY_EXISTED',
    });
    const { records } = await root.call(api.listTenants, { query: { sort: 'name,asc' } });
    expect(records.map(({ name, users, isFirst }) => [name, users, isFirst])).toEqual([
      ['acme', 2, false],
      ['default', 1, true],
      ['globex', 0, false],
      ['initech', 0, false],
    ]);
    await checkEverything(app);
  });

  test('only people of other tenants than the first are told a sign-in name, and it signs them in', {
    tags: 'long-on-postgres',
  }, async () => {
    await using app = await start();
    const { root, boss } = await openPeople(app);
    expect((await boss.call(me)).signInName).toBe('acme/boss');
    expect(await root.call(me)).not.toHaveProperty('signInName');
    const body = { nickname: 'Boss' };
    expect(await boss.call(accounts.updateProfile, { body })).toMatchObject({ ...body, signInName: 'acme/boss' });
    await new Person('boss', app.app.url).login('acme/boss', testPassword);
  });

  test('suspending a tenant blocks all access during an upload, and reactivating it loses nothing', {
    tags: 'long-on-postgres',
  }, async () => {
    await using app = await start();
    const { root, boss, ada } = await openPeople(app);
    const stored = await sendFile(ada, await pattern(3000));
    const { shareCode: code } = await share(ada, stored.data.fileHash as string);
    const invited = await boss.call(createInvitation, { body: {} });
    const invitation = /[0-9A-Za-z]{44}$/.exec(invited.link ?? '')?.[0] ?? '';
    using stream = await listen(ada);
    const bytes = await pattern(10_000);
    const plan = toPlan(bytes, { chunkSize: 4096 });
    const { clientId } = await ada.call(createUploadSession, {
      body: plan,
    });
    expect((await putPart(ada, clientId, 0, cut(bytes, 4096, 0))).status).toBe(200);

    const acme = await findTenant(root, 'acme');
    const suspend = { params: { id: acme.id }, body: { status: 'SUSPENDED' as const, reason: 'unpaid' } };
    expect(await root.call(api.updateTenantStatus, suspend)).toMatchObject({
      status: 'SUSPENDED',
      statusReason: 'unpaid',
    });
    await app.drain();
    expect((await stream.closed)?.type).toBe('disconnected');
    expect((await putPart(ada, clientId, 1, cut(bytes, 4096, 1))).status).toBe(401);
    expect(await ada.expectError(me)).toMatchObject({ status: 401 });
    await expect(new Person('ada', app.app.url).login('acme/ada', testPassword)).rejects.toMatchObject({
      kind: 'USER_ACCOUNT_FORBIDDEN',
      message: 'the tenant of this account is suspended',
    });
    await expect(ada.login('acme/ada', 'a wrong guess')).rejects.toMatchObject({ kind: 'USER_LOGIN_ERROR' });
    expect(await app.anonymous.expectError(getShareInfo, { params: { code } })).toMatchObject({
      kind: 'SHARE_NOT_FOUND',
    });
    expect(await app.anonymous.expectError(readInvitation, { body: { invitation } })).toMatchObject({
      kind: 'AUTH_CODE_ERROR',
    });
    await root.call(api.updateTenantStatus, suspend); // again: nothing changes

    const reactivate = { params: { id: acme.id }, body: { status: 'ACTIVE' as const } };
    await root.call(api.updateTenantStatus, reactivate);
    expect(await ada.expectError(me)).toMatchObject({ status: 401 }); // sessions from before stay over
    await ada.login('acme/ada', testPassword);
    expect(await app.anonymous.call(getShareInfo, { params: { code } })).toBeTruthy();
    for (const index of [1, 2]) await putPart(ada, clientId, index, cut(bytes, 4096, index));
    await ada.call(completeUploadSession, { params: { clientId } });
    await app.drain();
    const told = (await listAudit(app, 'tenants')).map(row => [row.operation_type, row.username]);
    expect(told).toEqual([
      ['suspend', 'root'],
      ['suspend', null],
      ['reactivate', 'root'],
      ['reactivate', null],
    ]);
    await checkEverything(app);
  });

  test('a tenant is deleted once, only with its name repeated, and its issued proofs stay valid', async () => {
    await using app = await start({ env: laptop });
    const { root, boss, ada } = await openPeople(app);
    await befriend(boss, ada);
    const message = { receiverId: await idOf(ada), content: 'secret plans', contentType: 'text' } as const;
    await boss.call(sendMessage, { body: message });
    const bytes = await pattern(5000);
    const stored = await sendFile(ada, bytes);
    await app.drain();
    const archive = await exportProof(ada, stored.data.fileId as string);
    const { id } = await findTenant(root, 'acme');
    const wrong = { params: { id }, query: { name: 'acmee' } };
    expect(await root.expectError(api.deleteTenant, wrong)).toMatchObject({ kind: 'PARAM_IS_INVALID' });
    const right = { params: { id }, query: { name: 'acme', reason: 'contract ended' } };
    expect((await root.call(api.deleteTenant, right)).status).toBe('DELETING');
    expect(await ada.expectError(me)).toMatchObject({ status: 401 });
    const undo = { params: { id }, body: { status: 'ACTIVE' as const } };
    expect(await root.expectError(api.updateTenantStatus, undo)).toMatchObject({ kind: 'CONFLICT' });
    await app.drain();

    const { db } = app.app.database;
    expect((await root.call(api.listTenants)).records.map(({ name }) => name)).toEqual(['default']);
    expect((await root.call(api.listTenants, { query: { status: 'DELETED' } })).records).toMatchObject([
      { id, name: `(deleted ${id})`, users: 0, files: 0, bytes: 0, statusReason: 'contract ended' },
    ]);
    const mails = await db.selectFrom('account').select('email').where('tenant_id', '=', Number(id)).execute();
    expect(mails.every(({ email }) => email.endsWith('@deleted'))).toBe(true);
    for (const table of ['message', 'conversation', 'friendship', 'event', 'image', 'invitation'] as const)
      expect(await db.selectFrom(table).select('tenant_id').execute(), table).toEqual([]);
    const ends = (await listAudit(app, 'tenants')).map(row => [row.operation_type, row.tenant_id === Number(id)]);
    expect(ends).toEqual([
      ['delete', false],
      ['delete', true],
      ['deleted', false],
      ['deleted', true],
    ]);
    expect((await verifyOnline({ app, archive, original: bytes })).outcome).toBe('VALID');
    expect(await root.expectError(api.deleteTenant, right)).toMatchObject({ kind: 'RESULT_DATA_NONE' });
    await root.call(api.createTenant, { body: { name: 'acme' } }); // the name is free again
    app.clock.advance(400 * 24 * 3600_000);
    await app.drain();
    expect((await verifyOnline({ app, archive, original: bytes })).outcome).toBe('VALID');
    await checkEverything(app);
  });

  test('a tenant deleted by two requests and two runs at once is deleted and audited once', async () => {
    await using app = await start();
    const { root } = await openPeople(app);
    const acme = await findTenant(root, 'acme');
    const right = { params: { id: acme.id }, query: { name: 'acme' } };
    const answers = await Promise.allSettled([1, 2, 3].map(() => root.call(api.deleteTenant, right)));
    const outcomes = answers.map(answer => (answer.status === 'fulfilled' ? answer.value.status : answer.reason.kind));
    expect(outcomes).toContain('DELETING');
    for (const outcome of outcomes) expect(outcome).toMatch(/^(DELETING|RESULT_DATA_NONE)$/); // the job may be faster
    await app.drain();
    const name = `(deleted ${acme.id})`;
    const audited = (await listAudit(app, 'tenants')).map(row => row.operation_type);
    expect(audited).toEqual(['delete', 'delete', 'deleted', 'deleted']);

    const { server, database } = app.app;
    await database.db.updateTable('tenant').set({ status: 'DELETING' }).where('name', '=', name).execute();
    const { signal } = new AbortController();
    const run = {
      id: 1,
      payload: { tenantId: Number(acme.id) },
      attempt: 1,
      fence: 1,
      signal,
      keepLease: async () => {},
      assertFence: async () => {},
    };
    const { run: deleteAll } = deletionJob(server);
    await Promise.all([1, 2, 3, 4].map(() => deleteAll(run)));
    expect((await listAudit(app, 'tenants')).filter(row => row.operation_type === 'deleted')).toHaveLength(4);
    await checkEverything(app);
  });

  test('the first tenant and the last installation administrator cannot be removed', async () => {
    await using app = await start();
    const { root } = await openPeople(app);
    const plain = await app.person('plain', { role: 'admin' });
    const first = await findTenant(root, 'default');
    const params = { id: first.id };
    const suspend = { params, body: { status: 'SUSPENDED' as const } };
    expect(await root.expectError(api.updateTenantStatus, suspend)).toMatchObject({ kind: 'CONFLICT' });
    expect(await root.expectError(api.deleteTenant, { params, query: { name: 'default' } })).toMatchObject({
      kind: 'CONFLICT',
    });

    const rootId = await idOfAccount(plain, 'root');
    const onRoot = { params: { id: rootId } };
    expect(await plain.expectError(accounts.endUserSessions, onRoot)).toMatchObject({ kind: 'FORBIDDEN' });
    expect(await plain.expectError(accounts.updateUserRole, { ...onRoot, body: { role: 'user' } })).toMatchObject({
      kind: 'FORBIDDEN',
    });
    expect(
      await plain.expectError(accounts.updateUserStatus, { ...onRoot, body: { status: 'SUSPENDED' } }),
    ).toMatchObject({
      kind: 'FORBIDDEN',
    });
    expect(await plain.expectError(accounts.deleteUser, { ...onRoot, query: { files: 'keep' } })).toMatchObject({
      kind: 'FORBIDDEN',
    });
    expect(await plain.expectError(resetUserFactors, { ...onRoot, query: {} })).toMatchObject({ kind: 'FORBIDDEN' });
    const { apiToken } = await root.call(createApiToken, { body: { name: 'ci', scopes: ['file:read'] } });
    const onToken = { params: { id: rootId, tokenId: apiToken.id } };
    expect(await plain.expectError(revokeTokenOfUser, onToken)).toMatchObject({ kind: 'FORBIDDEN' });
    expect(await root.expectError(accounts.updateUserRole, { ...onRoot, body: { role: 'user' } })).toMatchObject({
      kind: 'CONFLICT',
    });

    const { database, server } = app.app;
    const tenantId = await getDefaultTenant(database.db);
    const change = (accountId: number, isGranted: boolean) =>
      changeInstallationAdmin(server, localCall('test', tenantId, app.clock.now()), { accountId, isGranted });
    const plainId = (await findAccountByName(database.db, tenantId, 'plain'))?.id ?? 0;
    await expect(change(Number(rootId), false)).rejects.toMatchObject({ kind: 'CONFLICT' });
    expect(await change(plainId, true)).toBe(true);
    expect((await plain.call(me)).permissions).toContain('installation:admin');
    const rivals = await Promise.allSettled([change(Number(rootId), false), change(plainId, false)]);
    expect(rivals.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const left = rivals[0]?.status === 'rejected' ? root : plain;
    const lost = left === root ? plain : root;
    expect(await lost.expectError(api.listTenants)).toMatchObject({ kind: 'FORBIDDEN' });
    await left.call(api.listTenants);
    // A role that was taken and given back does not bring it back.
    await change(left === root ? plainId : Number(rootId), true);
    const lostId = await idOfAccount(left, lost.name);
    for (const role of ['user', 'admin'] as const)
      await left.call(accounts.updateUserRole, { params: { id: lostId }, body: { role } });
    await lost.login(lost.name, testPassword);
    expect((await lost.call(me)).permissions).not.toContain('installation:admin');
  });

  test('no API token carries the administration of the installation', async () => {
    await using app = await start();
    const { root } = await openPeople(app);
    const body = { name: 'ops', scopes: ['installation:admin' as const] };
    expect(await root.expectError(createApiToken, { body })).toMatchObject({ kind: 'PARAM_IS_INVALID' });
    const { token, apiToken } = await root.call(createApiToken, { body: { ...body, scopes: ['system:admin'] } });
    // As an earlier release stored it.
    await app.app.database.db
      .updateTable('api_token')
      .set({ scopes: 'system:admin installation:admin' })
      .where('id', '=', Number(apiToken.id))
      .execute();
    const program = new Person('ops', app.app.url, token);
    expect((await program.call(me)).permissions).toEqual(['system:admin']);
    const { id } = await findTenant(root, 'acme');
    const name = { query: { name: 'acme' } };
    expect(await program.expectError(api.listTenants)).toMatchObject({ kind: 'FORBIDDEN' });
    expect(await program.expectError(api.deleteTenant, { params: { id }, ...name })).toMatchObject({
      kind: 'FORBIDDEN',
    });
    const maintenance = { isOn: true as const, message: 'moving' };
    expect(await program.expectError(setMaintenance, { body: maintenance })).toMatchObject({ kind: 'FORBIDDEN' });
  });

  test('installation-wide queues, health, storage and censuses are visible to installation admins only', async () => {
    await using app = await start();
    const { root, boss, ada } = await openPeople(app);
    await sendFile(ada, await pattern(2000));
    await app.drain();
    const { installation } = await root.call(getSystemMonitor);
    expect(installation).toMatchObject({
      jobs: { dead: 0 },
      storageNodes: [{ online: true }],
      tenants: { active: 2, suspended: 0, users: 3, files: 1, bytes: 2000 },
    });
    expect((await boss.call(getSystemMonitor)).installation).toBeNull();
    const { db } = app.app.database;
    const of = (await db.selectFrom('account').select('tenant_id').where('username', '=', 'ada').executeTakeFirst())
      ?.tenant_id;
    const dead = { kind: 'test.broken', payload: '{}', state: 'DEAD', attempt: 5, fence: 5 } as const;
    await db
      .insertInto('job')
      .values({ ...dead, tenant_id: of ?? 0, created_at: app.clock.now() })
      .execute();
    expect((await root.call(listDeadJobs)).records).toMatchObject([{ kind: 'test.broken' }]);
    const begun = await root.call(takeAllCensuses);
    const atOnce = expect.stringMatching(/^(RUNNING|COMPLETED)$/); // the first may be over before the answer
    expect(begun.tenants).toMatchObject([
      { tenant: 'default', census: { state: atOnce } },
      { tenant: 'acme', census: { state: atOnce } },
    ]);
    await app.drain();
    expect((await root.call(getInstallationSweep)).tenants).toMatchObject([
      { tenant: 'default', census: { state: 'COMPLETED' } },
      { tenant: 'acme', census: { state: 'COMPLETED', unreferencedCount: 0 }, marks: { marked: 0 } },
    ]);
    for (const endpoint of [getInstallationSweep, takeAllCensuses])
      expect(await boss.expectError(endpoint)).toMatchObject({ kind: 'FORBIDDEN' });
    await db.deleteFrom('job').where('state', '=', 'DEAD').execute();
    await checkEverything(app);
  });

  test('an installation administrator has no access to files, messages or accounts of a tenant', {
    tags: 'long-on-postgres',
  }, async () => {
    await using app = await start();
    const { root, boss, ada } = await openPeople(app);
    const stored = await sendFile(ada, await pattern(2000));
    await startDirect(ada, await pattern(100));
    const hash = stored.data.fileHash as string;
    for (const path of [`/api/v1/files/${hash}`, `/api/v1/files/${hash}/download`, `/api/v1/admin/files/${hash}`])
      expect((await root.fetch(path)).status, path).toBe(404);
    expect((await root.call(accounts.listUsers)).records.map(({ username }) => username)).toEqual(['root']);
    const id = await idOfAccount(boss, 'ada');
    expect(await root.expectError(accounts.endUserSessions, { params: { id } })).toMatchObject({
      kind: 'USER_NOT_EXIST',
    });
    expect(await root.expectError(accounts.deleteUser, { params: { id }, query: { files: 'delete' } })).toMatchObject({
      kind: 'USER_NOT_EXIST',
    });
    expect((await root.call(listConversations)).records).toEqual([]);
    expect(await findTenant(root, 'acme')).toMatchObject({ users: 2, files: 1, bytes: 2000 });
    const { id: tenantId } = await findTenant(root, 'acme');
    const acts: Promise<unknown>[] = [];
    for (const intruder of [boss, ada]) {
      acts.push(
        intruder.expectError(api.listTenants),
        intruder.expectError(api.createTenant, { body: { name: 'mine' } }),
        intruder.expectError(api.updateTenantStatus, { params: { id: tenantId }, body: { status: 'SUSPENDED' } }),
        intruder.expectError(api.deleteTenant, { params: { id: tenantId }, query: { name: 'acme' } }),
      );
    }
    for (const rejection of await Promise.all(acts)) expect(rejection).toMatchObject({ kind: 'FORBIDDEN' });
  });
});
