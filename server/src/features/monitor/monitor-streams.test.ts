// @module-tag long-on-postgres
// Streams of the monitor: snapshots, permission, limits, and disconnection of slow clients.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { listUsers, updateUserRole, updateUserStatus } from '@recordproof/shared/api/accounts.ts';
import { logout } from '@recordproof/shared/api/auth.ts';
import * as api from '@recordproof/shared/api/system.ts';
import { expect, test } from 'vitest';
import type { Person, TestApp } from '../../../../test/support/app.ts';
import { eachApp } from '../../../../test/support/each-app.ts';
import { type Watcher, watchSystem } from '../../../../test/support/monitor-watcher.ts';
import { sendFile } from '../../../../test/support/uploads.ts';

async function findId(root: Person, name: string): Promise<string> {
  const { records } = await root.call(listUsers, { query: { keyword: name } });
  return records[0]?.id ?? '';
}

/** What still comes until the server closes the stream. */
async function readToEnd(watcher: Watcher): Promise<api.SystemMonitor[]> {
  const samples: api.SystemMonitor[] = [];
  for (let sample = await watcher.next(); sample !== undefined; sample = await watcher.next()) samples.push(sample);
  return samples;
}

/** Both ends of a connection, of which the far one reads nothing by itself. */
async function connectPair(): Promise<{ near: Socket; far: Socket }> {
  await using server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const far = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
  const [near] = (await once(server, 'connection')) as [Socket];
  server.close();
  return { near: near.on('error', () => undefined), far: far.on('error', () => undefined) };
}

type Input = Parameters<TestApp['app']['server']['monitorStreams']['begin']>[0];

/** A session of somebody, as a request of theirs would have it. */
async function sessionOf({ app, clock }: TestApp, name: string): Promise<Input['actor']> {
  const find = app.database.db.selectFrom('account').select(['id', 'auth_version']).where('username', '=', name);
  const { id: userId, auth_version: authVersion } = await find.executeTakeFirstOrThrow();
  return { userId, authVersion, tokenId: 'of the test', tokenExpiresAt: clock.now() + 3600_000 };
}

eachApp(start => {
  test('a stream repeats the snapshot of the monitor endpoint until its session ends', async () => {
    await using app = await start();
    const root = await app.person('root', { role: 'admin' });
    using watcher = await watchSystem(root);
    expect(watcher.first).toMatchObject({ stats: { totalFiles: 0 }, installation: { jobs: { dead: 0 } } });
    await sendFile(root, Buffer.from('bytes'), 'one.txt');
    await expect.poll(async () => (await watcher.next())?.stats.totalFiles, { timeout: 30_000 }).toBe(1);
    await root.call(logout, { body: {} });
    await expect.poll(() => watcher.next(), { timeout: 30_000 }).toBeUndefined();
  });

  test('a stream shows only the own tenant, and is rejected without permission or with a bad interval', async () => {
    await using app = await start();
    const chief = await app.person('chief', { role: 'admin', tenant: 'acme' });
    const alice = await app.person('alice');
    using watcher = await watchSystem(chief, 3600);
    expect(watcher.first).toMatchObject({ installation: null, stats: { totalUsers: 1 } });
    expect((await alice.fetch(api.watchSystemMonitor.path)).status).toBe(403);
    for (const seconds of ['0', '3601', 'often'])
      expect((await chief.fetch(`${api.watchSystemMonitor.path}?everySeconds=${seconds}`)).status).toBe(400);
  });

  test('the sixth stream of an account is rejected, and a stopping server ends all streams', async () => {
    await using app = await start();
    const root = await app.person('root', { role: 'admin' });
    const watchers = await Promise.all([1, 2, 3, 4, 5].map(() => watchSystem(root, 3600)));
    expect((await root.fetch(api.watchSystemMonitor.path)).status).toBe(409);
    watchers[0]?.[Symbol.dispose]();
    await expect.poll(() => watchSystem(root, 3600).catch(() => null), { timeout: 30_000 }).not.toBeNull();
    await app.app[Symbol.asyncDispose]();
    await Promise.allSettled(watchers.slice(1).map(watcher => watcher.next()));
  });

  test('a stream ends when its account loses the role or is suspended, and sends nothing after that', async () => {
    await using app = await start();
    const root = await app.person('root', { role: 'admin' });
    const watch = async (name: string, role: 'admin' | 'monitor') => watchSystem(await app.person(name, { role }));
    using demoted = await watch('mallory', 'admin');
    using dismissed = await watch('eve', 'monitor');
    using suspended = await watch('oscar', 'admin');
    const change = async (name: string) => ({ params: { id: await findId(root, name) } });
    await root.call(updateUserRole, { ...(await change('mallory')), body: { role: 'monitor' } });
    await root.call(updateUserRole, { ...(await change('eve')), body: { role: 'user' } });
    await root.call(updateUserStatus, { ...(await change('oscar')), body: { status: 'SUSPENDED' } });
    await sendFile(root, Buffer.from('bytes'), 'later.txt');
    for (const watcher of [demoted, dismissed, suspended])
      for (const { stats } of await readToEnd(watcher)) expect(stats.totalFiles).toBe(0);
  });

  test('a client that does not read is disconnected, and its slot is released', async () => {
    await using app = await start();
    const root = await app.person('root', { role: 'admin' });
    const watchers = await Promise.all([1, 2, 3, 4].map(() => watchSystem(root, 3600)));
    const { near, far } = await connectPair();
    const sample = watchers[0]?.first as api.SystemMonitor;
    const large = { ...sample, padding: 'x'.repeat(12 * 1024 * 1024) }; // more than two systems keep between them
    const input = { actor: await sessionOf(app, 'root'), everySeconds: 0.01, read: async () => large };
    app.app.server.monitorStreams.begin({ ...input, connect: () => near });
    expect((await root.fetch(api.watchSystemMonitor.path)).status).toBe(409);
    await expect.poll(() => near.closed).toBe(true);
    expect(near.bytesWritten).toBeLessThan(2 * large.padding.length);
    using freed = await watchSystem(root, 3600);
    expect(freed.first.stats.totalFiles).toBe(0);
    for (const end of [far, ...watchers.map(watcher => ({ destroy: () => watcher[Symbol.dispose]() }))]) end.destroy();
  });
});
