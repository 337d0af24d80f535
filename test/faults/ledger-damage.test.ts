// Damaged objects of the ledger: clients never see them, and they are repaired from the entries.
import { rmSync } from 'node:fs';
import { mkdtemp, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrations } from '@recordproof/server/compose/features.ts';
import { repairTiles, verifyLedger } from '@recordproof/server/features/chain/index.ts';
import { getLog } from '@recordproof/server/features/chain/ledger/queries.ts';
import { PublishedTiles } from '@recordproof/server/features/chain/ledger/read-ledger.ts';
import { toObjectPath } from '@recordproof/server/platform/objects/disk-layout.ts';
import type { ObjectStore } from '@recordproof/server/platform/objects/object-store.ts';
import { afterEach, expect, test } from 'vitest';
import { eachDatabase, type TestDatabase } from '../support/databases.ts';
import { writeEntry } from '../support/ledger-entries.ts';
import { fileRecord, newLedgerKey, openTestLedger, openTestStore } from '../support/ledgers.ts';
import { objectDamages } from '../support/object-damages.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const damages = Object.entries(objectDamages);

type Grown = { readonly database: TestDatabase; readonly objects: ObjectStore; readonly folder: string };

const pathOf = ({ folder }: Grown, path: string): string => {
  const { folders: above, file } = toObjectPath(`ledger/${path}`);
  return join(folder, 'objects', ...above, file);
};

eachDatabase((engine, open) => {
  const key = newLedgerKey();

  async function grow(count: number): Promise<Grown> {
    const database = await open(migrations);
    const folder = await mkdtemp(join(tmpdir(), 'recordproof-ledger-'));
    folders.push(folder);
    const objects = await openTestStore(folder);
    await using ledger = await openTestLedger(database.db, objects, key);
    await Promise.all(Array.from({ length: count }, (_, i) => ledger.append(fileRecord(i))));
    await ledger.publish();
    return { database, objects, folder };
  }

  const sourcesOf = async ({ database, objects }: Grown) => {
    const { origin, public_key } = await getLog(database.db);
    const publicKey = new Uint8Array(Buffer.from(public_key, 'hex'));
    return { db: database.db, objects, key: { name: origin, publicKey } };
  };
  const listProblems = async (grown: Grown) => (await verifyLedger(await sourcesOf(grown))).problems;
  const find = ({ database, objects }: Grown, path: string) =>
    new PublishedTiles({ db: database.db, objects }).find(path);

  test('a damaged tile or bundle is never served, and is repaired when it is read', async () => {
    const grown = await grow(600);
    const paths = ['tile/0/001', 'tile/0/002.p/88', 'tile/1/000.p/2', 'tile/entries/000', 'tile/entries/002.p/88'];
    const sound = await Promise.all(paths.map(path => find(grown, path)));
    for (const [name, hurt] of damages) {
      for (const path of paths) await hurt(pathOf(grown, path));
      expect((await listProblems(grown)).length, name).toBeGreaterThanOrEqual(5 - 1);
      expect(await Promise.all(paths.map(path => find(grown, path))), name).toEqual(sound);
      expect(await listProblems(grown), name).toEqual([]);
    }
    expect((await stat(pathOf(grown, paths[0] ?? ''))).isFile()).toBe(true);
  });

  test('a narrower width of a damaged tile equals the tile that was signed', async () => {
    const grown = await grow(600);
    const narrow = await find(grown, 'tile/entries/001.p/7');
    for (const path of ['tile/0/001', 'tile/entries/001']) await objectDamages['zeros all over']?.(pathOf(grown, path));
    expect(await find(grown, 'tile/entries/001.p/7')).toEqual(narrow);
    expect(await listProblems(grown)).toEqual([]);
  });

  test('a tile that cannot be rebuilt from the entries is not served', async () => {
    const grown = await grow(300);
    const { db } = grown.database;
    await objectDamages.emptied?.(pathOf(grown, 'tile/entries/000'));
    await writeEntry(db, 3, '{}');
    await expect(find(grown, 'tile/entries/000')).rejects.toThrow('was altered in the database');
  });

  test.runIf(engine === 'sqlite')('a full tile of the second level is rebuilt from 65,536 entries', async () => {
    const grown = await grow(65_600);
    const sound = await find(grown, 'tile/1/000');
    await objectDamages['a bit flipped in the middle']?.(pathOf(grown, 'tile/1/000'));
    expect(await find(grown, 'tile/1/000')).toEqual(sound);
    expect(await listProblems(grown)).toEqual([]);
  });

  test('publishing continues when the tiles at the edge are damaged', async () => {
    const grown = await grow(300);
    for (const [index, [name, hurt]] of damages.entries()) {
      for (const path of await Array.fromAsync(grown.objects.list('ledger/tile/'))) {
        if (path.key.includes('.p/')) await hurt(pathOf(grown, path.key.slice('ledger/'.length)));
      }
      await using ledger = await openTestLedger(grown.database.db, grown.objects, key);
      await ledger.append(fileRecord(1000 + index));
      await ledger.publish();
      expect(await listProblems(grown), name).toEqual([]);
    }
  });

  test('a damaged checkpoint object is reported, does not prevent the start, and is rewritten', async () => {
    const grown = await grow(5);
    const note = async () =>
      Buffer.concat(await Array.fromAsync((await grown.objects.get('ledger/checkpoint')).body)).toString();
    const sound = await note();
    for (const [name, hurt] of damages) {
      if (name === 'removed' || name === 'a link that leads nowhere') continue; // as before the first write
      await hurt(pathOf(grown, 'checkpoint'));
      expect(await listProblems(grown), name).toEqual(['the checkpoint beside the tiles is not signed by the ledger']);
      expect((await repairTiles(await sourcesOf(grown))).written, name).toBe(1);
      expect([await note(), await listProblems(grown)], name).toEqual([sound, []]);
      await hurt(pathOf(grown, 'checkpoint'));
      await using _ledger = await openTestLedger(grown.database.db, grown.objects, key);
      expect([await note(), await listProblems(grown)], name).toEqual([sound, []]);
    }
  });

  test('a database from an older backup is rejected when the checkpoint is damaged', async () => {
    const grown = await grow(5);
    const older = await open(migrations);
    await objectDamages['zeros all over']?.(pathOf(grown, 'checkpoint'));
    await expect(openTestLedger(older.db, grown.objects, key)).rejects.toThrow('the tiles are newer than the database');
  });

  test('a start concurrent with the publishing of another server reads the checkpoint again', async () => {
    const grown = await grow(3);
    const { db } = grown.database;
    await using first = await openTestLedger(db, grown.objects, key);
    let left = 3;
    const busy: ObjectStore = new Proxy(grown.objects, {
      get: (target, name) => {
        if (name !== 'get') return target[name as keyof ObjectStore];
        return async (...input: Parameters<ObjectStore['get']>) => {
          const read = await target.get(...input);
          if (input[0] === 'ledger/checkpoint' && left-- > 0) {
            await first.append(fileRecord(100 + left));
            await first.publish();
          }
          return read;
        };
      },
    });
    await using second = await openTestLedger(db, busy, key);
    expect(left).toBeLessThanOrEqual(0);
    await second.publish();
    expect(await listProblems(grown)).toEqual([]);
  });
});
