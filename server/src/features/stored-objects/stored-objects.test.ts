// Stored objects: one per content and tenant, holders, deferred deletion, and races of holders and collectors.
import { expect, test } from 'vitest';
import { toList } from '../../../../test/support/bytes.ts';
import { eachDatabase } from '../../../../test/support/databases.ts';
import { type FileWorld, openFileWorld, sha256 } from '../../../../test/support/file-world.ts';
import { partsOf, smallServer } from '../../../../test/support/small-server.ts';
import { migrations } from '../../compose/features.ts';
import type { Key } from '../../platform/db/tables.ts';
import { openHooks } from '../../platform/hooks.ts';
import { openWorker } from '../../platform/jobs/worker.ts';
import { silentLog } from '../../platform/telemetry/log.ts';
import { type HeldObject, holdObjects, passHolds, releaseObjects, shareHolds, storedObjects } from './index.ts';
import { noteArrivals } from './verified.ts';

const bytes = Buffer.from('an object');
const object = { sha256: sha256(bytes), size: bytes.length };
const day = 24 * 3600 * 1000;

const keep = (world: FileWorld, tenantId: Key, holder: string, wanted = [object]): Promise<HeldObject[]> =>
  world.db.transaction().execute(tx => holdObjects(tx, { tenantId, holder }, wanted));

const letGo = (world: FileWorld, tenantId: Key, holder: string): Promise<void> =>
  world.db
    .transaction()
    .execute(tx => releaseObjects(tx, world.database.kind, { tenantId, holder }, world.clock.now()));

/** Does every job that is due. */
async function drain(world: FileWorld): Promise<void> {
  const [parts] = partsOf(smallServer({ ...world, hooks: openHooks([]) }), storedObjects);
  const { db, clock } = world;
  const { jobs: handlers = [], schedules = [] } = parts ?? {};
  const worker = openWorker({ db, engine: world.database.kind, clock, log: silentLog, handlers, schedules });
  await worker.drain();
  await worker.stop(1000);
}

const listPaths = async (world: FileWorld) =>
  (await toList(world.objects.list('tenant-'))).map(({ key }) => key).sort();

eachDatabase((engine, open) => {
  test('equal bytes are stored once per tenant', async () => {
    await using world = await openFileWorld(await open(migrations));
    const [acme, other] = [await world.tenant('acme'), await world.tenant('other')];
    const [first] = await keep(world, acme, 'file:1');
    expect(await keep(world, acme, 'file:2', [object, object])).toEqual([first, first]);
    const [foreign] = await keep(world, other, 'file:3');
    expect(foreign?.path).not.toBe(first?.path);
    const contradiction = keep(world, acme, 'file:4', [{ ...object, size: 1 }]);
    await expect(contradiction).rejects.toThrow('bytes instead of');
  });

  test('an object is kept while it has a holder, and deleted when it has none', async () => {
    await using world = await openFileWorld(await open(migrations));
    const acme = await world.tenant('acme');
    const [held] = await keep(world, acme, 'file:1');
    await world.objects.put(held?.path ?? '', [bytes]);
    await keep(world, acme, 'upload:2');
    const { kind } = world.database;
    await world.db.transaction().execute(async tx => {
      await passHolds(tx, kind, [{ tenantId: acme, from: 'upload:2', to: 'file:2' }]);
      await shareHolds(tx, kind, { tenantId: acme, from: 'file:2', to: 'file:3' });
    });
    for (const holder of ['file:1', 'upload:2', 'file:3']) await letGo(world, acme, holder);
    await drain(world);
    expect(await listPaths(world)).toEqual([held?.path]);
    await letGo(world, acme, 'file:2');
    await drain(world);
    expect(await listPaths(world)).toEqual([]);
  });

  test('an object held again before its deletion is kept; after that it gets a new path', async () => {
    await using world = await openFileWorld(await open(migrations));
    const acme = await world.tenant('acme');
    const [first] = await keep(world, acme, 'file:1');
    await letGo(world, acme, 'file:1');
    expect(await keep(world, acme, 'file:2')).toEqual([first]);
    await drain(world);
    expect(await keep(world, acme, 'file:3')).toEqual([first]);
    await letGo(world, acme, 'file:2');
    await letGo(world, acme, 'file:3');
    await drain(world);
    const [again] = await keep(world, acme, 'file:4');
    expect(again?.path).not.toBe(first?.path);
  });

  test('bytes written after the deletion of their object are deleted too, and no row remains', async () => {
    await using world = await openFileWorld(await open(migrations));
    const acme = await world.tenant('acme');
    const [held] = await keep(world, acme, 'upload:1');
    await letGo(world, acme, 'upload:1');
    await drain(world);
    await world.objects.put(held?.path ?? '', [bytes]);
    await drain(world); // the schedule becomes known
    world.clock.advance(day + 1);
    await drain(world);
    expect(await listPaths(world)).toEqual([]);
    expect(await world.db.selectFrom('stored_object').selectAll().execute()).toEqual([]);
  });

  test('a released object that another transaction has locked is deleted in the same run', {
    tags: 'long-on-postgres',
  }, async () => {
    const database = await open(migrations);
    await using world = await openFileWorld(database);
    await using rival = await openFileWorld(await database.openAgain());
    const acme = await world.tenant('acme');
    const [held] = await keep(world, acme, 'file:1');
    await world.objects.put(held?.path ?? '', [bytes]);
    await letGo(world, acme, 'file:1');
    const locked = Promise.withResolvers<void>();
    const ends = Promise.withResolvers<void>();
    const other = rival.db.transaction().execute(async tx => {
      await noteArrivals(tx, world.clock.now(), 1);
      locked.resolve();
      await ends.promise;
    });
    await locked.promise;
    const collected = drain(world);
    setTimeout(ends.resolve, 100);
    await Promise.all([other, collected]);
    expect(await listPaths(world)).toEqual([]);
  });

  test('concurrent holders and collectors never delete held bytes', async () => {
    const database = await open(migrations);
    await using world = await openFileWorld(database);
    await using second = await openFileWorld(await database.openAgain());
    const acme = await world.tenant('acme');
    const contents = Array.from({ length: 6 }, (_, at) => Buffer.from(`content ${at}`));
    const wanted = contents.map(content => ({ sha256: sha256(content), size: content.length }));
    const shared = { ...second, objects: world.objects };
    const work = async (name: string, on: FileWorld, reversed: boolean) => {
      for (let round = 0; round < 10; round += 1) {
        const order = reversed ? wanted.toReversed() : wanted;
        const held = await keep(on, acme, name, order);
        for (const [at, { path }] of held.entries()) {
          const content = contents[reversed ? contents.length - 1 - at : at] ?? bytes;
          await world.objects.put(path, [content]);
        }
        await drain(on);
        for (const { path } of held) expect(await world.objects.findHead(path), `${name}, ${round}`).not.toBeNull();
        await letGo(on, acme, name);
      }
    };
    await Promise.all([
      work('file:1', world, false),
      work('file:2', shared, true),
      ...(engine === 'postgres' ? [work('file:3', shared, false)] : []),
    ]);
    await drain(world);
    expect(await listPaths(world)).toEqual([]);
  });
});
