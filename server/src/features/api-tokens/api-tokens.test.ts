// API tokens: format, scopes, allowed addresses, expiry and its mails, revocation, audit of uses and of forgeries.
import {
  changePassword,
  createServiceAccount,
  deleteUser,
  listUsers,
  updateUserRole,
  updateUserStatus,
} from '@recordproof/shared/api/accounts.ts';
import { apiTokenSecretLength, isApiTokenText, toApiTokenText } from '@recordproof/shared/api/api-token-text.ts';
import * as api from '@recordproof/shared/api/api-tokens.ts';
import { login, logout, me } from '@recordproof/shared/api/auth.ts';
import * as chunkedApi from '@recordproof/shared/api/chunked-uploads.ts';
import * as directApi from '@recordproof/shared/api/direct-uploads.ts';
import type { BodyInput } from '@recordproof/shared/api/endpoint.ts';
import { deleteFile, downloadMany, getFile, listFiles, searchFiles } from '@recordproof/shared/api/files.ts';
import { searchUsers } from '@recordproof/shared/api/friends.ts';
import { expect, test } from 'vitest';
import { Person, type TestApp } from '../../../../test/support/app.ts';
import { listAuditRows } from '../../../../test/support/audit-rows.ts';
import { eachApp } from '../../../../test/support/each-app.ts';
import { listen, listenAsBrowser } from '../../../../test/support/event-streams.ts';
import { postForm, sendFile, storeProxied, toBulkForm, toParts, toPlan } from '../../../../test/support/uploads.ts';
import { localOrigin } from '../../platform/call.ts';
import type { Request } from '../../platform/http/route.ts';
import { randomBase62 } from '../../platform/ids.ts';
import { countLiveTokens } from './queries.ts';
import { apiTokenRoutes } from './routes.ts';

const dayMs = 24 * 3600_000;
const bytes = Buffer.from('evidence of one file');

type TokenInput = Partial<BodyInput<typeof api.createApiToken>>;

/** Somebody who calls with a new API token of the person. */
async function tokenOf(person: Person, wanted: TokenInput = {}): Promise<Person & { readonly id: string }> {
  const body = { name: 'ci', scopes: [...api.tokenPresets['upload-and-prove']], ...wanted };
  const { token, apiToken } = await person.call(api.createApiToken, { body });
  return Object.assign(new Person(`token of ${person.name}`, person.baseUrl, token), { id: apiToken.id });
}

const rejects = async (call: () => unknown): Promise<0 | 1> => {
  try {
    await call();
    return 0;
  } catch {
    return 1;
  }
};

const accountId = async (admin: Person, keyword: string): Promise<string> =>
  (await admin.call(listUsers, { query: { keyword } })).records[0]?.id ?? '';

const auditRows = ({ app }: TestApp, username: string) => listAuditRows(app.database.db, { username });

test('the checksum of a token covers every character, and malformed texts are rejected', () => {
  const good = toApiTokenText(randomBase62(apiTokenSecretLength));
  expect(isApiTokenText(good)).toBe(true);
  for (let at = 0; at < good.length; at += 1) {
    const other = good[at] === 'x' ? 'y' : 'x';
    expect(isApiTokenText(good.slice(0, at) + other + good.slice(at + 1)), `character ${at}`).toBe(false);
  }
  for (const text of ['', 'rpt_', `${good}0`, good.slice(1), good.toUpperCase(), ` ${good}`, `${good}\n`])
    expect(isApiTokenText(text), text).toBe(false);
});

eachApp(start => {
  test('a token acts for its owner within its scopes, is audited with its owner, and is revoked at once', async () => {
    await using app = await start();
    const alice = await app.person('alice');
    const root = await app.person('root', { role: 'admin' });
    const token = await tokenOf(alice);
    expect(await token.call(me)).toMatchObject({
      username: 'alice',
      permissions: ['file:read', 'file:write'],
      apiToken: { id: token.id, name: 'ci', folder: null },
    });
    const { data } = await sendFile(token, bytes);
    expect(await alice.call(getFile, { params: { hash: data.fileHash } })).toMatchObject({ fileName: 'report.pdf' });
    for (const endpoint of [api.listApiTokens, api.createApiToken, changePassword] as const)
      expect(await token.fetch(endpoint.path, { method: endpoint.method })).toMatchObject({ status: 403 });
    expect(await token.expectError(deleteFile, { params: { hash: data.fileHash } })).toMatchObject({
      status: 403,
      message: 'this needs the scope file:delete, which the API token does not have',
    });
    const rows = await auditRows(app, 'alice');
    const named = rows.filter(row => row.request_param.startsWith(`{"apiToken":{"id":${token.id},"name":"ci"}`));
    expect(named.map(row => row.method)).toEqual(expect.arrayContaining(['files.deleteFile']));
    expect(named.length).toBeGreaterThan(1);
    expect(JSON.stringify(rows)).not.toContain(token.token);

    using stream = await listen(token);
    using browser = await listenAsBrowser(token);
    expect((await alice.call(api.revokeApiToken, { params: { id: token.id } })).state).toBe('REVOKED');
    expect(await token.expectError(me)).toMatchObject({ kind: 'PERMISSION_TOKEN_INVALID' });
    expect(await stream.closed).toMatchObject({ type: 'disconnected', payload: { reason: 'session-ended' } });
    expect(await browser.closed).toMatchObject({ type: 'disconnected' });
    expect((await alice.call(api.revokeApiToken, { params: { id: token.id } })).state).toBe('REVOKED');
    expect(await root.expectError(api.revokeApiToken, { params: { id: token.id } })).toMatchObject({ status: 404 });
    expect(await alice.call(me)).toMatchObject({ username: 'alice' });
  });

  test('a session that ended while it creates a token leaves none behind', async () => {
    await using app = await start();
    const alice = await app.person('alice');
    const { database, tokens } = app.app.server;
    const claims = await tokens.verify(alice.token ?? '');
    const owner = await database.db.selectFrom('account').selectAll().executeTakeFirstOrThrow();
    const actor = { ...claims, username: 'alice', role: 'user', tokenExpiresAt: claims.expiresAt };
    const create = apiTokenRoutes(app.app.server).find(({ endpoint }) => endpoint.name === 'createApiToken');
    const body = { name: 'late', scopes: ['file:read'], addresses: [], expiresInDays: 30 };
    const request = { ...localOrigin('test', app.clock.now()), actor, body } as unknown as Request;
    expect(await create?.handle(request)).toMatchObject({ apiToken: { name: 'late' } });
    await alice.call(logout);
    await expect(create?.handle(request)).rejects.toMatchObject({ kind: 'PERMISSION_TOKEN_INVALID' });
    const { id: userId, tenant_id: tenantId } = owner;
    expect(await countLiveTokens(database.db, { tenantId, userId }, app.clock.now())).toBe(1);
  });

  test('scopes shrink with the role of the owner, and tokens of a suspended owner are rejected', async () => {
    await using app = await start();
    const root = await app.person('root', { role: 'admin' });
    const boss = await app.person('boss', { role: 'admin' });
    const params = { id: await accountId(root, 'boss') };
    const token = await tokenOf(boss, { scopes: ['file:read', 'system:audit', 'system:admin'] });
    expect((await token.call(listUsers, { query: {} })).total).toBe(2);
    expect(await token.expectError(updateUserRole, { params, body: { role: 'user' } })).toMatchObject({ status: 403 });
    await root.call(updateUserRole, { params, body: { role: 'user' } });
    expect((await token.call(me)).permissions).toEqual(['file:read']);
    expect(await token.expectError(listUsers, { query: {} })).toMatchObject({ status: 403 });
    expect(await boss.expectError(me)).toMatchObject({ status: 401 }); // its sessions ended, its tokens did not
    await root.call(updateUserStatus, { params, body: { status: 'SUSPENDED' } });
    expect(await token.expectError(me)).toMatchObject({ kind: 'PERMISSION_TOKEN_INVALID' });
  });

  test('the options of a new token are validated, and administrators revoke tokens of other accounts', {
    tags: 'long-on-postgres',
  }, async () => {
    await using app = await start({ env: { RECORDPROOF_API_TOKEN_MAX_DAYS: '90' } });
    const alice = await app.person('alice');
    const root = await app.person('root', { role: 'admin' });
    const rejections: TokenInput[] = [
      { scopes: ['system:admin'] },
      { scopes: [] },
      { name: ' ' },
      { expiresInDays: 91 },
      { folder: '../up' },
      { addresses: ['example.org'] },
      { addresses: ['10.0.0.0/33'] },
      { addresses: ['loopback'] },
    ];
    for (const wanted of rejections)
      expect(await tokenOf(alice, wanted).catch(error => error), JSON.stringify(wanted)).toMatchObject({ status: 400 });
    const token = await tokenOf(alice, { expiresInDays: 90 });
    const id = await accountId(root, 'alice');
    expect(await root.call(api.listTokensOfUser, { params: { id } })).toMatchObject([{ id: token.id, name: 'ci' }]);
    const body = { name: 'x', scopes: ['file:read' as const] };
    expect(await root.expectError(api.createServiceToken, { params: { id }, body })).toMatchObject({ status: 409 });
    await root.call(api.revokeTokenOfUser, { params: { id, tokenId: token.id } });
    expect(await token.expectError(me)).toMatchObject({ status: 401 });
    expect(await alice.call(api.getApiToken, { params: { id: token.id } })).toMatchObject({ state: 'REVOKED' });
    expect(await root.expectError(api.getApiToken, { params: { id: token.id } })).toMatchObject({ status: 404 });
    app.clock.advance(11 * 60_000);
    const administrative = { body: { name: 'audit', scopes: ['system:audit' as const] } };
    expect(await root.expectError(api.createApiToken, administrative)).toMatchObject({ kind: 'STEP_UP_REQUIRED' });
    await tokenOf(root);
  });

  test('a token is accepted from its addresses only, until it expires, and records its last use', {
    tags: 'long-on-postgres',
  }, async () => {
    await using app = await start({ env: { RECORDPROOF_TRUSTED_PROXIES: '127.0.0.1' } });
    const alice = await app.person('alice');
    const token = await tokenOf(alice, { addresses: ['10.1.0.0/16', '2001:db8::/32'], expiresInDays: 2 });
    const from = async (address: string): Promise<number> =>
      (await token.fetch(me.path, { headers: { 'x-forwarded-for': address } })).status;
    expect(await Promise.all(['10.1.2.3', '2001:db8::1', '::ffff:10.1.9.9'].map(from))).toEqual([200, 200, 200]);
    expect(await Promise.all(['10.2.0.1', '127.0.0.1', '2001:db9::1', 'nonsense'].map(from))).toEqual([
      401, 401, 401, 401,
    ]);
    const show = () => alice.call(api.getApiToken, { params: { id: token.id } });
    await expect.poll(async () => (await show()).lastUsedFrom).toMatch(/^(10\.1\.|2001:db8::1$)/);
    const { lastUsedAt } = await show();
    app.clock.advance(10_000);
    await from('10.1.7.7');
    expect((await show()).lastUsedAt).toBe(lastUsedAt);
    app.clock.advance(60_000);
    await from('10.1.7.7');
    await expect.poll(async () => (await show()).lastUsedFrom).toBe('10.1.7.7');
    app.clock.advance(2 * dayMs);
    expect(await token.expectError(me)).toMatchObject({ kind: 'PERMISSION_TOKEN_EXPIRED' });
  });

  test('uses from a wrong address are audited once per address and hour, and many addresses in few rows', async () => {
    await using app = await start({ env: { RECORDPROOF_TRUSTED_PROXIES: '127.0.0.1' } });
    const alice = await app.person('alice');
    const token = await tokenOf(alice, { addresses: ['10.1.0.0/16'] });
    const from = (address: string) => token.fetch(me.path, { headers: { 'x-forwarded-for': address } });
    const rows = async () =>
      (await listAuditRows(app.app.database.db, { operation_type: 'wrong-address' })).map(
        ({ username, request_ip, request_param }) => ({
          username,
          request_ip,
          request_param: JSON.parse(request_param),
        }),
      );
    await from('203.0.113.7');
    await from('10.1.2.3');
    await from('203.0.113.7');
    const apiToken = { id: Number(token.id), name: 'ci' };
    const row = (ip: string, address = ip) => ({
      ...{ username: 'alice', request_ip: ip, request_param: { apiToken, address } },
    });
    await expect.poll(rows).toEqual([row('203.0.113.7')]);
    for (let last = 1; last <= 30; last += 1) await from(`198.51.100.${last}`);
    await from('203.0.113.7');
    await expect.poll(rows).toHaveLength(11);
    expect(await rows()).toContainEqual(row('local', 'other addresses')); // rows are written beside each other
    app.clock.advance(3600_000);
    await from('203.0.113.7');
    await expect.poll(rows).toHaveLength(12);
  });

  test('the owner is mailed once a week and once a day before a token expires', {
    tags: 'long-on-postgres',
  }, async () => {
    await using app = await start();
    const alice = await app.person('alice');
    await tokenOf(alice, { name: 'monthly', expiresInDays: 30 });
    await tokenOf(alice, { name: 'short', expiresInDays: 3 });
    const revoked = await tokenOf(alice, { name: 'revoked', expiresInDays: 3 });
    await alice.call(api.revokeApiToken, { params: { id: revoked.id } });
    const told: number[] = [];
    for (const days of [1, 1, 20, 1, 6, 0, 2]) {
      app.clock.advance(days * dayMs);
      await app.drain();
      told.push((await app.mailsTo('alice@example.org')).length);
    }
    expect(told).toEqual([0, 1, 1, 2, 3, 3, 3]);
    const subjects = (await app.mailsTo('alice@example.org')).map(mail => mail.subject);
    expect(subjects.toSorted()).toEqual(
      ['monthly', 'monthly', 'short'].map(name => `The API token "${name}" expires soon`),
    );
  });

  test('a hundred thousand forged tokens are rejected, and signed URLs expire with their token', {
    tags: 'long',
  }, async () => {
    await using app = await start();
    const alice = await app.person('alice');
    const token = await tokenOf(alice, { expiresInDays: 1 });
    const good = token.token ?? '';
    const { authenticate } = app.app.server.apiTokens;
    const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
    const forge = (turn: number): string => {
      const at = turn % good.length;
      const letter = letters[Math.floor(turn / good.length) % letters.length] ?? '0';
      if (turn % 50 === 0) return toApiTokenText(randomBase62(apiTokenSecretLength)); // its checksum is right
      if (turn % 3 === 0) return `rpt_${randomBase62(apiTokenSecretLength + 6)}`;
      return good.slice(0, at) + letter + good.slice(turn % 2 === 0 ? at + 1 : at);
    };
    let rejected = 0;
    let isSame = 0;
    for (let turn = 0; turn < 100_000; turn += 1) {
      const forged = forge(turn);
      if (forged === good) isSame += 1;
      else rejected += await rejects(() => authenticate(forged, '127.0.0.1'));
    }
    expect(rejected).toBe(100_000 - isSame);
    expect(isSame).toBeLessThan(2000);
    for (let turn = 1; turn < 200; turn += 1) {
      const person = new Person('forger', alice.baseUrl, forge(turn * 7 + 1));
      if (person.token !== good) expect((await person.fetch(me.path)).status, person.token).toBe(401);
    }
    app.clock.advance(dayMs - 60_000);
    const direct = { ...toPlan(bytes), parts: toParts(bytes, 4096) };
    const { parts } = await token.call(directApi.startDirectUpload, { body: direct });
    const endsIn = (parts[0]?.expiresAtEpochSeconds ?? 0) - app.clock.now() / 1000;
    expect(endsIn).toBeLessThanOrEqual(60);
  });

  test('a service account has tokens from administrators, cannot sign in, and is not found by users', async () => {
    await using app = await start();
    const root = await app.person('root', { role: 'admin' });
    const alice = await app.person('alice');
    const account = await root.call(createServiceAccount, { body: { username: 'builds', role: 'admin' } });
    expect(account).toMatchObject({ kind: 'service', username: 'builds', role: 'admin' });
    expect(await root.call(listUsers, { query: { kind: 'service' } })).toMatchObject({ total: 1 });
    const params = { id: account.id };
    const body = { name: 'ci', scopes: ['file:read' as const, 'file:write' as const] };
    const { token, apiToken } = await root.call(api.createServiceToken, { params, body });
    expect(apiToken).toMatchObject({ createdBy: 'root' });
    const builds = new Person('builds', app.app.url, token);
    expect(await sendFile(builds, bytes)).toMatchObject({ status: 200 });
    expect(await alice.expectError(api.createServiceToken, { params, body })).toMatchObject({ status: 403 });
    const wrong = { username: 'builds', password: 'any password' };
    expect(await app.anonymous.expectError(login, { body: wrong })).toMatchObject({ status: 401 });
    const { tokens, database } = app.app.server;
    const row = await database.db
      .selectFrom('account')
      .selectAll()
      .where('username', '=', 'builds')
      .executeTakeFirstOrThrow();
    await expect(tokens.issue(row as Parameters<typeof tokens.issue>[0])).rejects.toThrow('service account');
    expect(await alice.call(searchUsers, { query: { keyword: 'builds' } })).toEqual([]);
    const demote = { params: { id: await accountId(root, 'root') }, body: { role: 'user' as const } };
    expect(await root.expectError(updateUserRole, demote)).toMatchObject({ status: 409 }); // it is no second administrator
    await root.call(updateUserStatus, { params, body: { status: 'SUSPENDED' } });
    expect(await builds.expectError(me)).toMatchObject({ status: 401 });
    await root.call(updateUserStatus, { params, body: { status: 'ACTIVE' } });
    expect(await builds.call(me)).toMatchObject({ username: 'builds' });
    await root.call(deleteUser, { params, query: { files: 'keep' } });
    expect(await builds.expectError(me)).toMatchObject({ status: 401 });
    expect(await database.db.selectFrom('api_token').selectAll().execute()).toEqual([]);
  });

  test('a token limited to a folder reads, stores and receives events only inside that folder', async () => {
    await using app = await start();
    const alice = await app.person('alice');
    const token = await tokenOf(alice, { folder: 'ci/app', scopes: ['file:read', 'file:write', 'file:delete'] });
    const hidden = (await sendFile(alice, bytes, 'hidden.txt', { path: 'ci/apple' })).data;
    const top = (await sendFile(alice, bytes, 'top.txt')).data;
    using stream = await listen(token);
    const stored = await sendFile(token, bytes, 'one.txt');
    expect(await alice.call(getFile, { params: { hash: stored.data.fileHash } })).toMatchObject({ path: 'ci/app' });
    expect(await sendFile(token, bytes, 'two.txt', { path: 'ci/app/deep' })).toMatchObject({ status: 200 });
    const far = { path: 'ci/apple' };
    expect(await sendFile(token, bytes, 'x.txt', far)).toMatchObject({ status: 403 });
    expect(await sendFile(token, bytes, 'x.txt', { targetFileId: hidden.fileId })).toMatchObject({ status: 404 });
    const bulk = (files: Parameters<typeof toBulkForm>[0]) =>
      postForm<{ results: unknown[] }>(token, '/api/v1/files/upload/bulk', toBulkForm(files));
    expect(await bulk([{ bytes, name: 'bulk.txt' }])).toMatchObject({ status: 200 });
    expect(await storeProxied(token, bytes, { name: 'chunked.txt' })).toMatchObject({ status: 'SUCCESS' });
    const plan = { ...toPlan(bytes), ...far };
    expect(await token.expectError(chunkedApi.startUpload, { body: plan })).toMatchObject({ status: 403 });
    const { clientId } = await alice.call(chunkedApi.startUpload, { body: plan });
    expect(await token.expectError(chunkedApi.checkUpload, { query: { clientId } })).toMatchObject({ status: 404 });

    const names = (await token.call(listFiles, { query: {} })).records.map(file => file.fileName);
    expect(names.toSorted()).toEqual(['bulk.txt', 'chunked.txt', 'one.txt', 'two.txt']);
    expect((await token.call(searchFiles, { query: { keyword: 'txt', path: 'ci/app/deep' } })).total).toBe(1);
    expect(await token.expectError(listFiles, { query: far })).toMatchObject({ status: 403 });
    for (const folder of ['', 'ci', 'ci/apple', 'ci/app/../apple'])
      expect((await token.fetch(`/api/v1/files?folder=${encodeURIComponent(folder)}`)).status, folder).toBeGreaterThan(
        399,
      );
    expect((await token.call(listFiles, { query: { folder: 'ci/app/deep' } })).total).toBe(1);
    for (const hash of [hidden.fileHash, top.fileHash, 'f'.repeat(64)]) {
      const message = 'there is no such file in "ci/app", the folder of this API token';
      expect(await token.expectError(getFile, { params: { hash } })).toMatchObject({ status: 404, message });
      expect(await token.expectError(deleteFile, { params: { hash } })).toMatchObject({ status: 404, message });
      const both = { fileHashes: [stored.data.fileHash, hash] };
      const many = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(both) };
      expect((await token.fetch(downloadMany.path, many)).status).toBe(404);
    }
    await sendFile(alice, bytes, 'later.txt', far);
    await sendFile(alice, bytes, 'last.txt', { path: 'ci/app' });
    await app.drain();
    await stream.until('file-recorded', ({ payload }) => (payload as { fileName: string }).fileName === 'last.txt');
    const told = stream.messages.filter(({ type }) => !['connected', 'heartbeat'].includes(type));
    expect(new Set(told.map(({ type }) => type))).toEqual(new Set(['file-recorded']));
    expect(JSON.stringify(told)).not.toMatch(/apple|later/);
  });
});
