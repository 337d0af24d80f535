// Appending of file versions by concurrent servers: gapless chains, conflicts, access and idempotency.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { expect, test } from 'vitest';
import { eachDatabase } from '../../../../test/support/databases.ts';
import { openFileWorld } from '../../../../test/support/file-world.ts';
import { migrations } from '../../compose/features.ts';
import type { Database } from '../../platform/db/open-db.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { type FileRow, findFile, markStored, prepareFile } from '../files/index.ts';
import { appendVersion } from './append-version.ts';

const bytes = Buffer.from('some bytes');
const quota = { mode: 'ENFORCE', userBytes: 1e9, userFiles: 1e6, tenantBytes: 1e9, tenantFiles: 1e6 } as const;

const kindOf = (error: unknown): string => (error instanceof ApiError ? error.kind : String(error));

async function finish(database: Database, owner: Actor, number: number, target: FileRow): Promise<FileRow> {
  const { tenantId, userId: ownerId } = owner;
  const { db, kind } = database;
  const file = {
    tenantId,
    ownerId,
    fileHash: number.toString(16).padStart(64, '0'),
    contentHash: `sha256:${'0'.repeat(64)}`,
    fileName: `version ${number}`,
    fileSize: 10,
    contentType: 'text/plain',
    encryption: 'NONE',
    fileNonce: null,
    createdBy: `test:${number}`,
  };
  const { id: fileId } = await db.transaction().execute(tx => prepareFile(tx, file, number));
  const versionGroupId = target.version_group_id ?? target.id;
  return db.transaction().execute(async tx => {
    await appendVersion(tx, kind, { tenantId, ownerId, fileId, target: { fileId: target.id, versionGroupId } });
    await markStored(tx, quota, [{ fileId, transactionHash: '0x', manifestHash: 'sha256:0' }], number, {
      warn: () => {},
    });
    return (await findFile(tx, tenantId, fileId)) as FileRow;
  });
}

eachDatabase((_engine, open) => {
  test('ten concurrent next versions of one file, from two servers, store one version and nine conflicts', async () => {
    const database = await open(migrations);
    const other = await database.openAgain();
    await using world = await openFileWorld(database);
    const alice = await world.person(await world.tenant('acme'), 'alice');
    const first = await world.store(alice, { bytes });
    const results = await Promise.allSettled(
      Array.from({ length: 10 }, (_, at) => finish(at % 2 === 0 ? database : other, alice, at + 1, first)),
    );
    const stored = results.filter(result => result.status === 'fulfilled').map(result => result.value);
    const rejected = results.filter(result => result.status === 'rejected').map(result => kindOf(result.reason));
    expect(stored).toMatchObject([{ version: 2, is_latest: 1, parent_version_id: first.id }]);
    expect(rejected).toEqual(Array(9).fill('VERSION_CONFLICT'));
    const usage = await world.db.selectFrom('file_usage').selectAll().where('owner_id', '=', alice.userId).execute();
    expect(usage).toMatchObject([{ files: 2, latest_files: 1 }]);
  });

  test('writers that retry on the newest version create one chain without gaps', async () => {
    const database = await open(migrations);
    const other = await database.openAgain();
    await using world = await openFileWorld(database);
    const alice = await world.person(await world.tenant('acme'), 'alice');
    const first = await world.store(alice, { bytes });
    let number = 0;
    const newest = () => world.db.selectFrom('file').selectAll().where('is_latest', '=', 1).executeTakeFirstOrThrow();
    const write = async (on: Database) => {
      for (;;) {
        number += 1;
        try {
          return await finish(on, alice, number, await newest());
        } catch (error) {
          if (kindOf(error) !== 'VERSION_CONFLICT') throw error;
        }
      }
    };
    await Promise.all(Array.from({ length: 10 }, (_, at) => write(at % 2 === 0 ? database : other)));
    const chain = await world.db
      .selectFrom('file')
      .selectAll()
      .where('version_group_id', '=', first.id)
      .orderBy('version')
      .execute();
    expect(chain.map(file => file.version)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    expect(chain.map(file => file.parent_version_id)).toEqual([null, ...chain.slice(0, -1).map(file => file.id)]);
    expect(chain.filter(file => file.is_latest === 1).map(file => file.version)).toEqual([11]);
  });

  test('foreign files, files of other tenants and files not stored cannot get a next version', async () => {
    const database = await open(migrations);
    await using world = await openFileWorld(database);
    const acme = await world.tenant('acme');
    const alice = await world.person(acme, 'alice');
    const bob = await world.person(acme, 'bob');
    const stranger = await world.person(await world.tenant('other'), 'eve');
    const file = await world.store(alice, { bytes });
    for (const [number, person] of [bob, stranger].entries()) {
      const rejection = await finish(database, person, number + 1, file).catch(kindOf);
      expect(rejection).toBe('VERSION_SOURCE_INVALID');
    }
    await world.db.updateTable('file').set({ status: 2, is_latest: 0 }).where('id', '=', file.id).execute();
    expect(await finish(database, alice, 9, file).catch(kindOf)).toBe('VERSION_SOURCE_INVALID');
  });

  test('preparing, placing and storing are idempotent', async () => {
    const database = await open(migrations);
    await using world = await openFileWorld(database);
    const alice = await world.person(await world.tenant('acme'), 'alice');
    const first = await world.store(alice, { bytes });
    const [once, twice] = [await finish(database, alice, 1, first), await finish(database, alice, 1, first)];
    expect(twice).toEqual(once);
    const usage = await world.db.selectFrom('file_usage').selectAll().orderBy('owner_id').execute();
    expect(usage.map(row => [row.files, row.latest_files, row.day_uploads > 0])).toEqual([
      [2, 1, true],
      [2, 1, true],
    ]);
  });
});
