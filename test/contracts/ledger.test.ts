// Ledger storage: concurrent appends, checkpoints, tiles, repair from backups, rejection of a different history.
import { createPrivateKey } from 'node:crypto';
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrations } from '@recordproof/server/compose/features.ts';
import { openLedger, repairTiles, restoreTiles, verifyLedger } from '@recordproof/server/features/chain/index.ts';
import { findNewestCheckpoint, getLog, moveCheckpoint } from '@recordproof/server/features/chain/ledger/queries.ts';
import { PublishedTiles } from '@recordproof/server/features/chain/ledger/read-ledger.ts';
import { openLocalChain } from '@recordproof/server/features/chain/local-chain.ts';
import { systemClock } from '@recordproof/server/platform/clock.ts';
import { type ObjectStore, ObjectStoreError } from '@recordproof/server/platform/objects/object-store.ts';
import { silentLog } from '@recordproof/server/platform/telemetry/log.ts';
import { afterEach, expect, test } from 'vitest';
import { afterStatement } from '../support/after-statement.ts';
import { movableClock } from '../support/clock.ts';
import { eachDatabase, type TestDatabase } from '../support/databases.ts';
import { readEntries, writeEntry } from '../support/ledger-entries.ts';
import { batchRoot, fileRecord, newLedgerKey, openTestLedger, openTestStore } from '../support/ledgers.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

async function newStore(): Promise<ObjectStore> {
  const folder = await mkdtemp(join(tmpdir(), 'recordproof-ledger-'));
  folders.push(folder);
  return openTestStore(folder);
}

const overwrite = (objects: ObjectStore, path: string, bytes: Uint8Array) => objects.put(`ledger/${path}`, [bytes]);

/** A store whose writes fail from now on, or after the given number of writes. */
function failing(objects: ObjectStore, after = 0): ObjectStore & { mended: boolean } {
  let left = after;
  const wrapped = {
    mended: false,
    create: (...input: Parameters<ObjectStore['create']>) => {
      if (!wrapped.mended && left-- <= 0) return Promise.reject(new ObjectStoreError('UNAVAILABLE', 'away'));
      return objects.create(...input);
    },
  };
  return new Proxy(objects, {
    get: (target, name) => {
      if (name in wrapped) return wrapped[name as keyof typeof wrapped];
      const value = target[name as keyof ObjectStore];
      return typeof value === 'function' ? value.bind(target) : value;
    },
    set: (_target, name, value) => Reflect.set(wrapped, name, value),
  }) as ObjectStore & { mended: boolean };
}

eachDatabase((_engine, open) => {
  const key = newLedgerKey();

  async function grown(count: number): Promise<{ database: TestDatabase; objects: ObjectStore }> {
    const database = await open(migrations);
    const objects = await newStore();
    await using ledger = await openTestLedger(database.db, objects, key);
    await Promise.all(Array.from({ length: count }, (_, i) => ledger.append(fileRecord(i))));
    await ledger.publish();
    return { database, objects };
  }

  const check = async ({ database, objects }: Awaited<ReturnType<typeof grown>>) => {
    const { origin, public_key } = await getLog(database.db);
    const publicKey = new Uint8Array(Buffer.from(public_key, 'hex'));
    return verifyLedger({ db: database.db, objects, key: { name: origin, publicKey } });
  };

  test('a ledger that grows during a verification is not reported as newer than the database', async () => {
    const { database, objects } = await grown(3);
    await using server = await openTestLedger(database.db, objects, key);
    const between = afterStatement(database.db, 2, async () => {
      await server.append(fileRecord(100));
      await server.publish();
    });
    expect(await check({ database: { ...database, db: between }, objects })).toMatchObject({ problems: [] });
  });

  test('concurrent appends by many servers give every entry one position in one log', async () => {
    const database = await open(migrations);
    const objects = await newStore();
    const handles = [database, await database.openAgain(), await database.openAgain()];
    const ledgers = await Promise.all(handles.map(({ db }) => openTestLedger(db, objects, key)));
    const rows = await Promise.all(
      Array.from({ length: 900 }, async (_, i) => {
        const ledger = ledgers[i % 3];
        if (ledger === undefined) throw new Error('no ledger');
        const row = await ledger.append(fileRecord(i % 700));
        if (i % 50 === 0) await ledger.publish();
        return [i % 700, row.position] as const;
      }),
    );
    await Promise.all(ledgers.map(ledger => ledger.publish()));
    expect(new Set(rows.map(([, position]) => position)).size).toBe(700);
    expect(new Map(rows).size).toBe(700);
    expect(await check({ database, objects })).toMatchObject({ size: 700, publishedSize: 700, problems: [] });
    for (const ledger of ledgers) await ledger[Symbol.asyncDispose]();
  });

  test('a checkpoint only moves forward from the newest one', async () => {
    const { database } = await grown(5);
    const move = (from: number, size: number) =>
      database.db
        .transaction()
        .execute(tx => moveCheckpoint(tx, from, { size, root: '', note: '', published_at: Number.MAX_SAFE_INTEGER }));
    for (const [from, size] of [
      [0, 3],
      [4, 5],
      [5, 6],
      [6, 7],
    ] as const)
      expect(await move(from, size)).toBe(false);
    expect(await getLog(database.db)).toMatchObject({ size: 5, published_size: 5 });
    expect(await findNewestCheckpoint(database.db)).toMatchObject({ size: 5 });
  });

  test('the last checkpoint of each minute is kept', async () => {
    const database = await open(migrations);
    const objects = await newStore();
    const clock = movableClock();
    await using ledger = await openTestLedger(database.db, objects, key, clock);
    for (let i = 0; i < 6; i++) {
      if (i === 3) clock.advance(120_000);
      await ledger.append(fileRecord(i));
      await ledger.publish();
    }
    expect(await check({ database, objects })).toMatchObject({ checkpoints: 2, problems: [] });
  });

  test('a checkpoint note written late by one server does not replace a newer one', async () => {
    const { db } = await open(migrations);
    const objects = await newStore();
    const late = Promise.withResolvers<void>();
    const slow = new Proxy(objects, {
      get: (target, name) => {
        const value = target[name as keyof ObjectStore];
        if (typeof value !== 'function') return value;
        return async (...input: unknown[]) => {
          if (name === 'put') await late.promise;
          return (value as (...given: unknown[]) => unknown).apply(target, input);
        };
      },
    });
    await using first = await openTestLedger(db, slow, key);
    await using second = await openTestLedger(db, objects, key);
    await first.append(fileRecord(1));
    const published = first.publish();
    await expect.poll(async () => (await getLog(db)).published_size).toBe(1);
    await second.append(fileRecord(2));
    await second.publish();
    late.resolve();
    await published;
    const { body } = await objects.get('ledger/checkpoint');
    expect(Buffer.concat(await Array.fromAsync(body)).toString()).toBe((await findNewestCheckpoint(db))?.note);
  });

  test('the checkpoint moves only after its tiles are stored', async () => {
    const database = await open(migrations);
    const objects = await newStore();
    for (const after of [0, 1]) {
      const store = failing(objects, after);
      await using ledger = await openTestLedger(database.db, store, key);
      const before = await getLog(database.db);
      await ledger.append(fileRecord(after));
      await expect(ledger.publish()).rejects.toThrow('away');
      expect((await getLog(database.db)).published_size).toBe(before.published_size);
      store.mended = true;
      await ledger.publish();
      expect((await getLog(database.db)).published_size).toBe(before.size + 1);
    }
    expect(await check({ database, objects })).toMatchObject({ size: 2, problems: [] });
  });

  test('a chain with unavailable objects returns UNREACHABLE, and succeeds when they are available again', async () => {
    const database = await open(migrations);
    const store = failing(await newStore());
    await using ledger = await openTestLedger(database.db, store, key);
    const chain = openLocalChain(ledger);
    await expect(chain.submitRoot(batchRoot(1))).rejects.toMatchObject({ failure: 'UNREACHABLE' });
    await expect(chain.findRoot('MB-1')).rejects.toMatchObject({ failure: 'UNREACHABLE' });
    store.mended = true;
    expect(await chain.findRoot('MB-1')).toMatchObject({ batchNo: 'MB-1', blockNumber: 0 });
    expect(await chain.submitRoot(batchRoot(1))).toMatchObject({ blockNumber: 0 });
  });

  test('an entry that readers would reject is rejected, and nothing is written', async () => {
    const database = await open(migrations);
    await using ledger = await openTestLedger(database.db, await newStore(), key);
    const chain = openLocalChain(ledger);
    const wrong = { ...batchRoot(1), merkleRoot: 'no hash' };
    await expect(chain.submitRoot(wrong)).rejects.toMatchObject({ failure: 'REFUSED' });
    await expect(chain.submitRoot({ ...batchRoot(1), treeSize: 0 })).rejects.toMatchObject({ failure: 'REFUSED' });
    expect(await getLog(database.db)).toMatchObject({ size: 0 });
  });

  test('partial tiles are removed when the log outgrows them, and their widths are still served', async () => {
    const { database, objects } = await grown(10);
    await using ledger = await openTestLedger(database.db, objects, key);
    const narrow = await new PublishedTiles({ db: database.db, objects }).find('tile/entries/000.p/10');
    for (let i = 10; i < 300; i += 29) {
      await Promise.all(Array.from({ length: 29 }, (_, j) => ledger.append(fileRecord(i + j))));
      await ledger.publish();
    }
    const keys = (await Array.fromAsync(objects.list('ledger/'))).map(({ key: path }) => path).sort();
    const { size } = await getLog(database.db);
    expect(keys).toEqual(
      [
        'ledger/checkpoint',
        'ledger/tile/0/000',
        `ledger/tile/0/001.p/${size - 256}`,
        'ledger/tile/1/000.p/1',
        'ledger/tile/entries/000',
        `ledger/tile/entries/001.p/${size - 256}`,
      ].sort(),
    );
    expect(await new PublishedTiles({ db: database.db, objects }).find('tile/entries/000.p/10')).toEqual(narrow);
  });

  test('a check reports an altered entry, a missing or altered tile, and a foreign checkpoint', async () => {
    const ledger = await grown(600);
    const { database, objects } = ledger;
    expect(await check(ledger)).toMatchObject({ size: 600, checkpoints: 1, tiles: 7, problems: [] });

    const tile = await new PublishedTiles({ db: database.db, objects }).find('tile/0/001');
    if (tile === null) throw new Error('no tile');
    await overwrite(
      objects,
      'tile/0/001',
      tile.map((byte, i) => (i === 5 ? byte ^ 1 : byte)),
    );
    expect((await check(ledger)).problems).toEqual(['tile/0/001 does not hold what the entries say']);
    await objects.delete('ledger/tile/0/001');
    expect((await check(ledger)).problems).toEqual(['tile/0/001 is missing']);
    await overwrite(objects, 'tile/0/001', tile);
    expect((await check(ledger)).problems).toEqual([]);

    const row = (await readEntries(database.db))[300];
    const alter = (entry: string) => writeEntry(database.db, 300, entry);
    await alter(row?.entry.replace('2026', '2025').replace(/"recordedAt":"20\d/, '"recordedAt":"201') ?? '');
    expect((await check(ledger)).problems).toEqual(
      [
        'entry 300 does not have its hash',
        'tile/0/001 does not hold what the entries say',
        'tile/1/000.p/2 does not hold what the entries say',
        'tile/entries/001 does not hold what the entries say',
        'the checkpoint beside the tiles does not have the root of the entries',
        'the checkpoint of size 600 does not have the root of the entries',
      ].sort(byText),
    );
    await alter(row?.entry ?? '');

    const checkpoint = await findNewestCheckpoint(database.db);
    const forge = (note: string) => database.db.updateTable('ledger_checkpoint').set({ note }).execute();
    await forge(checkpoint?.note.replace('600', '601') ?? '');
    expect((await check(ledger)).problems).toEqual(['the checkpoint of size 600 is not signed by the ledger']);
    await forge(checkpoint?.note ?? '');
    await database.db.deleteFrom('ledger_entry').where('position', '=', 599).execute();
    expect((await check(ledger)).problems).toContain('entries from 0 to 600 have gaps');
  });

  test('a database from an older backup restores its missing entries from the bundles', async () => {
    const { database, objects } = await grown(700);
    const rows = await database.db.selectFrom('ledger_entry').selectAll().orderBy('position').execute();
    for (const kept of [0, 300]) {
      const older = await open(migrations);
      if (kept > 0) {
        await using small = await openTestLedger(older.db, await newStore(), key);
        await small.append(fileRecord(0));
        await older.db.deleteFrom('ledger_entry').execute();
        await older.db.insertInto('ledger_entry').values(rows.slice(0, kept)).execute();
        await older.db.updateTable('ledger_log').set({ size: kept }).execute();
      }
      await using ledger = await openTestLedger(older.db, objects, key);
      expect(await getLog(older.db)).toMatchObject({ size: 700, published_size: 700 });
      expect(await older.db.selectFrom('ledger_entry').selectAll().orderBy('position').execute()).toEqual(rows);
      expect((await check({ database: older, objects })).problems).toEqual([]);
      if (kept === 0) continue;
      await ledger.append(fileRecord(9999));
      await ledger.publish();
      expect((await check({ database: older, objects })).problems).toEqual([]);
    }
  });

  test('a database with a different history is rejected, and so are tiles with a different history', async () => {
    const { database, objects } = await grown(5);
    const other = await open(migrations);
    {
      await using alone = await openTestLedger(other.db, await newStore(), key);
      await alone.append(fileRecord(100));
    }
    await expect(openTestLedger(other.db, objects, key)).rejects.toThrow('are not among them');

    // The same with the note removed: the tiles alone suffice.
    await objects.delete('ledger/checkpoint');
    await using forked = await openTestLedger(other.db, objects, key);
    await Promise.all(Array.from({ length: 4 }, (_, i) => forked.append(fileRecord(101 + i))));
    await expect(forked.publish()).rejects.toThrow('holds other entries than the database');
    expect(await getLog(other.db)).toMatchObject({ size: 5, published_size: 0 });
    expect((await check({ database, objects })).problems).toEqual([]);
  });

  test('tiles missing from an older backup of the objects are rebuilt from the entries', async () => {
    const { database, objects } = await grown(600);
    for await (const { key: path } of objects.list('ledger/')) await objects.delete(path);
    await using ledger = await openTestLedger(database.db, objects, key);
    expect((await check({ database, objects })).problems).toEqual([]);
    await objects.delete('ledger/tile/0/000');
    expect((await check({ database, objects })).problems).toEqual(['tile/0/000 is missing']);
    await restoreTiles({ db: database.db, objects });
    expect((await check({ database, objects })).problems).toEqual([]);
    await ledger.append(fileRecord(7777));
    await ledger.publish();

    await writeEntry(database.db, 3, '{}');
    await objects.delete('ledger/tile/0/000');
    await expect(restoreTiles({ db: database.db, objects })).rejects.toThrow('was altered in the database');
  });

  test('damaged tiles are rebuilt from the entries, but never over a different history', async () => {
    const whole = await grown(600);
    const { database, objects } = whole;
    const { origin, public_key } = await getLog(database.db);
    const noteKey = { name: origin, publicKey: new Uint8Array(Buffer.from(public_key, 'hex')) };
    await overwrite(objects, 'tile/0/001', new Uint8Array(256 * 32));
    await overwrite(objects, 'tile/entries/000', new Uint8Array(3));
    await objects.delete('ledger/tile/0/000');
    expect((await check(whole)).problems).toHaveLength(3);
    const mine = { db: database.db, objects, key: noteKey };
    expect(await repairTiles(mine)).toEqual({ tiles: 7, written: 3 });
    expect((await check(whole)).problems).toEqual([]);
    expect(await repairTiles(mine)).toEqual({ tiles: 7, written: 0 });

    const other = await grown(700);
    await expect(repairTiles({ ...mine, db: other.database.db })).rejects.toThrow('are not among them');
    const newer = (await findNewestCheckpoint(other.database.db))?.note ?? '';
    await overwrite(objects, 'checkpoint', Buffer.from(newer));
    await expect(repairTiles(mine)).rejects.toThrow('the tiles are newer than the database');
    expect((await check(whole)).problems).toEqual(['the checkpoint beside the tiles is newer than the database']);
  });

  test('a log is not opened with another key or another name', async () => {
    const { database, objects } = await grown(1);
    await expect(openTestLedger(database.db, objects, newLedgerKey())).rejects.toThrow('created with another key');
    const privateKey = createPrivateKey(key);
    const ports = { db: database.db, objects, clock: systemClock, log: silentLog, privateKey };
    await expect(openLedger({ ...ports, name: 'other.example/log' })).rejects.toThrow('keeps its name');
    await using ledger = await openLedger(ports);
    expect(ledger.key.name).toBe('test.example/log');
  });

  test('entries that do not match the signed root block signing', async () => {
    const { database, objects } = await grown(3);
    await overwrite(objects, 'tile/0/000.p/3', new Uint8Array(96));
    const alter = (leaf_hash: Buffer) =>
      database.db.updateTable('ledger_entry').set({ leaf_hash }).where('position', '=', 1).execute();
    const [row] = await database.db.selectFrom('ledger_entry').selectAll().where('position', '=', 1).execute();
    await alter(Buffer.alloc(32));
    await using ledger = await openTestLedger(database.db, objects, key);
    await ledger.append(fileRecord(7));
    await expect(ledger.publish()).rejects.toThrow('was altered in the database');
    expect(await getLog(database.db)).toMatchObject({ size: 4, published_size: 3 });
    await alter(row?.leaf_hash ?? Buffer.alloc(0));
    await ledger.publish();
    expect((await check({ database, objects })).problems).toEqual([]);
  });
});

const byText = (left: string, right: string): number => left.localeCompare(right);
