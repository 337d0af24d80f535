// Report of the command `gc`: unreferenced objects after a day, and objects that wait for deletion.
import { deleteFile } from '@recordproof/shared/api/files.ts';
import { afterAll, expect, test } from 'vitest';
import type { TestApp } from '../../../test/support/app.ts';
import { openConfiguredStore } from '../../../test/support/configured-store.ts';
import { eachApp } from '../../../test/support/each-app.ts';
import { stopPostgres } from '../../../test/support/postgres.ts';
import { sendFile, sendProxied, storeProxied } from '../../../test/support/uploads.ts';
import { listWaiting } from '../features/stored-objects/index.ts';
import { systemClock } from '../platform/clock.ts';
import { findUnneeded } from './gc.ts';

afterAll(stopPostgres);

const orphans = ['short/nobody/1', 'staging/nobody/0-x', 'tenant-1/aa/aa.bb', 'audit-backups/1/gone.ndjson.gz'];
const dayMs = 24 * 3600 * 1000;

async function find({ app, config }: TestApp, laterMs = 2 * dayMs) {
  await using objects = await openConfiguredStore(config);
  return findUnneeded({ db: app.database.db, objects, now: systemClock.now() + laterMs });
}

eachApp(start => {
  test('objects without a row are listed once they are a day old', async () => {
    await using app = await start();
    const alice = await app.person('alice');
    await sendFile(alice, Buffer.from('kept'));
    await storeProxied(alice, Buffer.alloc(9000, 'c'), { chunkSize: 4096 });
    await sendProxied(alice, Buffer.alloc(9000, 'u'), { chunkSize: 4096, name: 'unfinished.bin' });
    await app.drain();
    expect(await find(app)).toMatchObject({ count: 0 });

    await using objects = await openConfiguredStore(app.config);
    for (const key of orphans) await objects.put(key, [Buffer.from('nobody needs this')]);
    expect(await find(app, 0)).toMatchObject({ count: 0 });
    const { named, bytes } = await find(app);
    expect(named.map(({ key }) => key).sort()).toEqual(orphans.toSorted());
    expect(bytes).toBe(orphans.length * 'nobody needs this'.length);
  });

  test('objects that wait for deletion by the server are counted', async () => {
    await using app = await start({ env: { FILES_RETENTION_DAYS: '0' } });
    const alice = await app.person('alice');
    const { data } = await sendFile(alice, Buffer.from('soon gone'));
    await app.drain();
    expect(await listWaiting(app.app.database.db)).toEqual([]);
    await alice.call(deleteFile, { params: { hash: data.fileHash } });
    app.clock.advance(dayMs / 24);
    await app.drain();
    expect(await listWaiting(app.app.database.db)).toMatchObject([{ state: 'GONE', objects: 1 }]);
  });
});
