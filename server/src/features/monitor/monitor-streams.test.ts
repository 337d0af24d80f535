import { logout } from '@recordproof/shared/api/auth.ts';
import * as api from '@recordproof/shared/api/system.ts';
import { expect, test } from 'vitest';
import { eachApp } from '../../../../test/support/each-app.ts';
import { watchSystem } from '../../../../test/support/looks.ts';
import { sendFile } from '../../../../test/support/uploads.ts';

eachApp(start => {
  test('a stream tells again and again what one look tells, until its session ends', async () => {
    await using app = await start();
    const root = await app.person('root', { role: 'admin' });
    using watcher = await watchSystem(root);
    expect(watcher.first).toMatchObject({ stats: { totalFiles: 0 }, installation: { jobs: { dead: 0 } } });
    await sendFile(root, Buffer.from('bytes'), 'one.txt');
    await expect.poll(async () => (await watcher.next())?.stats.totalFiles, { timeout: 30_000 }).toBe(1);
    await root.call(logout, { body: {} });
    await expect.poll(() => watcher.next(), { timeout: 30_000 }).toBeUndefined();
  });

  test('one of several tenants is told its own, and who may not watch is refused', async () => {
    await using app = await start();
    const chief = await app.person('chief', { role: 'admin', tenant: 'acme' });
    const alice = await app.person('alice');
    using watcher = await watchSystem(chief, 3600);
    expect(watcher.first).toMatchObject({ installation: null, stats: { totalUsers: 1 } });
    expect((await alice.fetch(api.watchSystemMonitor.path)).status).toBe(403);
    for (const seconds of ['0', '3601', 'often'])
      expect((await chief.fetch(`${api.watchSystemMonitor.path}?everySeconds=${seconds}`)).status).toBe(400);
  });

  test('a sixth stream of an account is refused until one is closed, and a server that stops ends them', async () => {
    await using app = await start();
    const root = await app.person('root', { role: 'admin' });
    const watchers = await Promise.all([1, 2, 3, 4, 5].map(() => watchSystem(root, 3600)));
    expect((await root.fetch(api.watchSystemMonitor.path)).status).toBe(409);
    watchers[0]?.[Symbol.dispose]();
    await expect.poll(() => watchSystem(root, 3600).catch(() => null), { timeout: 30_000 }).not.toBeNull();
    await app.app[Symbol.asyncDispose]();
    await Promise.allSettled(watchers.slice(1).map(watcher => watcher.next()));
  });
});
