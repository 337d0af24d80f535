import { endUserSessions, listUsers } from '@recordproof/shared/api/accounts.ts';
import { me } from '@recordproof/shared/api/auth.ts';
import { deleteFile } from '@recordproof/shared/api/files.ts';
import * as api from '@recordproof/shared/api/system.ts';
import { expect, test } from 'vitest';
import { testPassword } from '../../../../test/support/app.ts';
import { eachApp } from '../../../../test/support/each-app.ts';
import { fetchShared, share } from '../../../../test/support/shares.ts';
import { sendFile } from '../../../../test/support/uploads.ts';

const nothing = { totalFiles: 0, totalStorage: 0, totalTransactions: 0, todayUploads: 0, todayDownloads: 0 };
const day = 24 * 3600_000;

eachApp(start => {
  test('the figures count what is there and what happened today, and nothing of another tenant', async () => {
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

  test('downloads that come together are all counted', async () => {
    await using app = await start();
    const root = await app.person('root', { role: 'admin' });
    const { fileHash } = (await sendFile(root, Buffer.from('bytes'))).data;
    const download = async () => (await root.fetch(`/api/v1/files/${fileHash}/download`)).bytes();
    const looks = async () => (await root.call(api.getSystemStats)).todayDownloads;
    await Promise.all(Array.from({ length: 20 }, (_, at) => (at % 4 === 0 ? looks() : download())));
    expect(await looks()).toBe(15);
  });

  test('administrators and monitors see how the parts are, and others do not', async () => {
    await using app = await start();
    const watcher = await app.person('watcher', { role: 'monitor' });
    const alice = await app.person('alice');
    const health = await watcher.call(api.getSystemHealth);
    const up = { status: 'UP' };
    expect(health).toMatchObject({ status: 'UP', database: up, cache: up, blockchain: up, storage: up });
    const seen = await watcher.call(api.getSystemMonitor);
    expect(seen).toMatchObject({ health: { status: 'UP', components: { db: 'UP', outbox: 'UP', saga: 'UP' } } });
    expect(seen).toMatchObject({ chain: { chainType: 'LOCAL_LEDGER' }, stats: { totalUsers: 2 } });
    expect(seen.server.memoryBytes).toBeGreaterThan(0);
    for (const endpoint of [api.getSystemStats, api.getSystemHealth, api.getSystemMonitor])
      expect(await alice.refused(endpoint)).toMatchObject({ status: 403 });
  });

  test('an administrator ends the sessions of an account, which may log in again', async () => {
    await using app = await start();
    const root = await app.person('root', { role: 'admin' });
    const anna = await app.person('anna');
    const { records } = await root.call(listUsers, { query: { keyword: 'anna' } });
    const params = { id: records[0]?.id ?? '' };
    await Promise.all([1, 2, 3].map(() => root.call(endUserSessions, { params })));
    expect(await anna.refused(me)).toMatchObject({ status: 401 });
    await anna.login('anna', testPassword);
    await anna.call(me);
    const chief = await app.person('chief', { role: 'admin', tenant: 'acme' });
    expect(await chief.refused(endUserSessions, { params })).toMatchObject({ code: 20004 });
    const rows = await app.app.database.db
      .selectFrom('audit_log')
      .select('username')
      .where('operation_type', '=', 'end-sessions')
      .execute();
    expect(rows.map(row => row.username)).toEqual(['root', 'root', 'root']);
  });
});
