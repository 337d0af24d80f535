// System statistics, component states and metrics for the staff of one tenant or of several.
import { endUserSessions, listUsers } from '@recordproof/shared/api/accounts.ts';
import { me } from '@recordproof/shared/api/auth.ts';
import { deleteFile } from '@recordproof/shared/api/files.ts';
import type { Health } from '@recordproof/shared/api/monitor.ts';
import { listCircuitBreakers } from '@recordproof/shared/api/monitor.ts';
import * as api from '@recordproof/shared/api/system.ts';
import { expect, test } from 'vitest';
import { Person, testPassword } from '../../../../test/support/app.ts';
import { eachApp } from '../../../../test/support/each-app.ts';
import { accountOf } from '../../../../test/support/events.ts';
import { parseMetrics } from '../../../../test/support/prometheus.ts';
import { fetchShared, share } from '../../../../test/support/shares.ts';
import { sendFile } from '../../../../test/support/uploads.ts';
import { localCall } from '../../platform/call.ts';
import { raiseAlert } from '../integrity/index.ts';

const nothing = { totalFiles: 0, totalStorage: 0, totalTransactions: 0, todayUploads: 0, todayDownloads: 0 };
const day = 24 * 3600_000;

eachApp(start => {
  test('the statistics count files, transfers and users of the own tenant, in total and today', {
    tags: 'long-on-postgres',
  }, async () => {
    await using app = await start({ env: { RECORDPROOF_PROFILE: 'laptop' } });
    const root = await app.person('root', { role: 'admin' });
    const chief = await app.person('chief', { role: 'admin', tenant: 'acme' });
    const alice = await app.person('alice');
    const stats = (person = root) => person.call(api.getSystemStats);
    expect(await stats()).toEqual({ ...nothing, totalUsers: 2 });
    const first = (await sendFile(alice, Buffer.from('12345'), 'one.txt')).data;
    const second = (await sendFile(alice, Buffer.from('123'), 'two.txt')).data;
    app.clock.advance(10_000);
    await app.drain();
    expect(await stats()).toMatchObject({ totalFiles: 2, totalStorage: 8, todayUploads: 2, todayDownloads: 0 });
    const { totalTransactions } = await stats();
    expect(totalTransactions, 'two records and the roots of their batches').toBeGreaterThan(2);

    const path = `/api/v1/files/${first.fileHash}/download`;
    await (await alice.fetch(path)).bytes();
    for (const range of ['bytes=0-1', 'bytes=2-']) await (await alice.fetch(path, { headers: { range } })).bytes();
    await alice.fetch(path, { method: 'HEAD' });
    const { shareCode } = await share(alice, second.fileHash);
    await (await fetchShared(app.anonymous, shareCode, second.fileHash)).bytes();
    expect(await stats()).toMatchObject({ todayDownloads: 3 });
    await alice.call(deleteFile, { params: { hash: second.fileHash } });
    expect(await stats()).toMatchObject({ totalFiles: 1, totalStorage: 5, totalTransactions });

    expect(await stats(chief)).toEqual({ ...nothing, totalUsers: 1 });
    const seen = await chief.call(api.getSystemMonitor);
    expect(seen).toMatchObject({ stats: { totalFiles: 0 }, attestation: { readyCandidates: 0 } });
    app.clock.advance(day);
    for (const person of [root, alice]) await person.login(person.name, testPassword);
    expect(await stats()).toMatchObject({ todayUploads: 0, todayDownloads: 0, totalFiles: 1 });
    await (await alice.fetch(path)).bytes();
    expect(await stats()).toMatchObject({ todayDownloads: 1 });
  });

  test('a download by ranges counts once, in any order, as in the access log of a share', async () => {
    await using app = await start();
    const root = await app.person('root', { role: 'admin' });
    const alice = await app.person('alice');
    const { fileHash } = (await sendFile(alice, Buffer.from('0123456789'), 'parts.txt')).data;
    const counted = async () => (await root.call(api.getSystemStats)).todayDownloads;
    const path = `/api/v1/files/${fileHash}/download`;
    const get = async (person: Person, range: string) =>
      (await person.fetch(path, { headers: { range } })).arrayBuffer();
    for (const range of ['bytes=5-', 'bytes=0-4', 'bytes=0-0']) await get(alice, range);
    expect(await counted()).toBe(1);
    await get(alice, 'bytes=0-9'); // all of it
    expect(await counted()).toBe(2);
    await alice.fetch(path, { headers: { 'if-none-match': '*' } });
    await alice.fetch(path, { headers: { range: 'bytes=99-' } });
    expect(await counted()).toBe(2);
    const { shareCode } = await share(alice, fileHash);
    const opened = await fetchShared(app.anonymous, shareCode, fileHash, { range: 'bytes=1-' });
    await opened.arrayBuffer();
    const grant = { 'x-share-grant': opened.headers.get('x-share-grant') ?? '' };
    for (const range of ['bytes=0-3', 'bytes=4-'])
      await (await fetchShared(app.anonymous, shareCode, fileHash, { range, ...grant })).arrayBuffer();
    expect(await counted()).toBe(3);
    app.clock.advance(day);
    for (const person of [root, alice]) await person.login(person.name, testPassword);
    await get(alice, 'bytes=5-');
    expect(await counted()).toBe(1);
  });

  test('concurrent downloads are all counted', async () => {
    await using app = await start();
    const root = await app.person('root', { role: 'admin' });
    const { fileHash } = (await sendFile(root, Buffer.from('bytes'))).data;
    const download = async () => (await root.fetch(`/api/v1/files/${fileHash}/download`)).bytes();
    const looks = async () => (await root.call(api.getSystemStats)).todayDownloads;
    await Promise.all(Array.from({ length: 20 }, (_, at) => (at % 4 === 0 ? looks() : download())));
    expect(await looks()).toBe(15);
  });

  test('administrators and monitors see the state of the components, users do not', async () => {
    await using app = await start();
    const watcher = await app.person('watcher', { role: 'monitor' });
    const alice = await app.person('alice');
    const health = await watcher.call(api.getSystemHealth);
    const up = { status: 'UP' };
    expect(health).toMatchObject({ status: 'UP', database: up, cache: up, blockchain: up, storage: up });
    const seen = await watcher.call(api.getSystemMonitor);
    expect(seen).toMatchObject({ health: { status: 'UP', components: { db: 'UP', outbox: 'UP', saga: 'UP' } } });
    expect(seen).toMatchObject({ chain: { chainType: 'LOCAL_LEDGER' }, stats: { totalUsers: 2 } });
    expect(seen.installation).toMatchObject({ events: { exhausted: 0 }, storageNodes: [{ online: true }] });
    expect(seen.installation?.requests).toBeGreaterThan(0);
    expect(seen.installation?.memoryBytes).toBeGreaterThan(0);
    for (const endpoint of [api.getSystemStats, api.getSystemHealth, api.getSystemMonitor])
      expect(await alice.expectError(endpoint)).toMatchObject({ status: 403 });
  });

  test('with a second tenant, administrators no longer see counts across tenants', async () => {
    await using app = await start();
    const root = await app.person('root', { role: 'admin' });
    const statusOf = async (path: string) => (await root.fetch(path)).status;
    const counted = ['/actuator/prometheus', '/actuator/circuitbreakers'];
    expect(await Promise.all(counted.map(statusOf))).toEqual([200, 200]);
    const before = (await (await root.fetch('/actuator/health')).json()) as Health;
    expect(before.components?.outbox?.details).toMatchObject({ failed: 0 });

    await app.person('chief', { role: 'admin', tenant: 'acme' });
    expect(await Promise.all(counted.map(statusOf))).toEqual([200, 200]);
    const { circuitBreakers } = await root.call(listCircuitBreakers);
    for (const view of Object.values(circuitBreakers)) expect(Object.keys(view)).toEqual(['state']);
    expect((await root.call(api.getSystemMonitor)).installation).toBeNull();
    const after = (await (await root.fetch('/actuator/health')).json()) as Health;
    for (const name of ['outbox', 'saga']) expect(after.components?.[name]).toEqual({ status: 'UP' });
    expect(after.components?.integrity).toEqual({ status: 'UP', details: { unresolvedAlerts: 0 } });
  });

  test('staff of one of several tenants scrape the metrics of their tenant, the operator those of all', {
    tags: 'long-on-postgres',
  }, async () => {
    const token = 'management-token-of-at-least-forty-characters';
    await using app = await start({
      env: { RECORDPROOF_MANAGEMENT_TOKEN: token, ATTESTATION_PRODUCTION_ENABLED: 'true' },
    });
    const root = await app.person('root', { role: 'admin' });
    const watcher = await app.person('watcher', { role: 'monitor', tenant: 'acme' });
    const alice = await app.person('alice');
    const operator = new Person('operator', app.app.url, token);
    for (const bytes of ['one', 'two']) await sendFile(alice, Buffer.from(bytes));
    await app.drain();
    const scrape = async (person: Person) => parseMetrics(await (await person.fetch('/actuator/prometheus')).text());
    const name = 'app_attestation_candidate_backlog';
    const readyOf = (families: ReturnType<typeof parseMetrics>) =>
      families.get(name)?.samples.get(`${name}{status="ready"}`);
    const seen = await Promise.all([operator, root, watcher].map(scrape));
    expect(seen.map(readyOf)).toEqual([2, 2, 0]);
    expect([...(seen[1]?.keys() ?? [])].sort()).toEqual([...(seen[2]?.keys() ?? [])].sort());
    expect(seen.map(families => families.has('saga_total'))).toEqual([true, false, false]);
    for (const families of seen) expect(families.has('s3_node_online_status')).toBe(true);
    expect((await alice.fetch('/actuator/prometheus')).status).toBe(403);
  });

  test('alerts of a tenant degrade health for its staff and the operator only', {
    tags: 'long-on-postgres',
  }, async () => {
    const token = 'management-token-of-at-least-forty-characters';
    await using app = await start({ env: { RECORDPROOF_MANAGEMENT_TOKEN: token } });
    const root = await app.person('root', { role: 'admin' });
    const watcher = await app.person('watcher', { role: 'monitor' });
    const alice = await app.person('alice');
    const chief = await app.person('chief', { role: 'admin', tenant: 'acme' });
    const { fileId } = (await sendFile(root, Buffer.from('bytes'))).data;
    const { tenantId } = await accountOf(app, 'root');
    const now = app.clock.now();
    const finding = { alertType: 'OBJECT_NOT_FOUND', evidence: {} } as const;
    const { db } = app.app.database;
    await db
      .transaction()
      .execute(tx => raiseAlert(tx, localCall('test', tenantId, now), Number(fileId), finding, now));
    const operator = new Person('operator', app.app.url, token);
    const healthOf = async (person: Person) => (await (await person.fetch('/actuator/health')).json()) as Health;
    const one = { status: 'DEGRADED', details: { unresolvedAlerts: 1 } };
    for (const person of [root, watcher, operator])
      expect(await healthOf(person)).toMatchObject({ status: 'DEGRADED', components: { integrity: one } });
    const none = { status: 'UP', details: { unresolvedAlerts: 0 } };
    expect(await healthOf(chief)).toMatchObject({ status: 'UP', components: { integrity: none } });
    for (const person of [alice, app.anonymous]) expect(await healthOf(person)).toEqual({ status: 'UP' });
    expect((await root.call(api.getSystemMonitor)).health).toMatchObject({ status: 'DEGRADED' });
    expect((await chief.call(api.getSystemMonitor)).health).toMatchObject({
      status: 'UP',
      components: { integrity: 'UP' },
    });
  });

  test('the monitor of a tenant lists its open alerts and the notified conditions', async () => {
    await using app = await start();
    const root = await app.person('root', { role: 'admin' });
    const chief = await app.person('chief', { role: 'admin', tenant: 'acme' });
    const { fileId } = (await sendFile(root, Buffer.from('bytes'))).data;
    const { tenantId } = await accountOf(app, 'root');
    const { db } = app.app.database;
    const now = app.clock.now();
    const finding = { alertType: 'OBJECT_NOT_FOUND', evidence: {} } as const;
    await db
      .transaction()
      .execute(tx => raiseAlert(tx, localCall('test', tenantId, now), Number(fileId), finding, now));
    const told = { name: 'health.smtp', seen: 'DOWN', told: 'DOWN', told_at: now };
    await db.insertInto('monitor_condition').values(told).execute();
    expect(await root.call(api.getSystemMonitor)).toMatchObject({
      alerts: { unresolved: 1, newest: [{ alertType: 'OBJECT_NOT_FOUND', severity: 'CRITICAL' }] },
      conditions: [{ name: 'health.smtp', state: 'DOWN' }],
    });
    expect((await chief.call(api.getSystemMonitor)).alerts).toEqual({ unresolved: 0, newest: [] });
  });

  test('an administrator ends the sessions of an account, which can sign in again', {
    tags: 'long-on-postgres',
  }, async () => {
    await using app = await start();
    const root = await app.person('root', { role: 'admin' });
    const anna = await app.person('anna');
    const { records } = await root.call(listUsers, { query: { keyword: 'anna' } });
    const params = { id: records[0]?.id ?? '' };
    await Promise.all([1, 2, 3].map(() => root.call(endUserSessions, { params })));
    expect(await anna.expectError(me)).toMatchObject({ status: 401 });
    await anna.login('anna', testPassword);
    await anna.call(me);
    const chief = await app.person('chief', { role: 'admin', tenant: 'acme' });
    expect(await chief.expectError(endUserSessions, { params })).toMatchObject({ code: 20004 });
    const rows = await app.app.database.db
      .selectFrom('audit_log')
      .select('username')
      .where('operation_type', '=', 'end-sessions')
      .execute();
    expect(rows.map(row => row.username)).toEqual(['root', 'root', 'root']);
  });
});
