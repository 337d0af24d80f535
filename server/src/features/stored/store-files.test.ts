// Storage of several files in one transaction: all records or none, also with two servers.
import { createHash, randomBytes } from 'node:crypto';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { expect, test } from 'vitest';
import { listAuditRows } from '../../../../test/support/audit-rows.ts';
import { eachDatabase } from '../../../../test/support/databases.ts';
import { openFileWorld, wideQuota } from '../../../../test/support/file-world.ts';
import { smallServer } from '../../../../test/support/small-server.ts';
import { migrations } from '../../compose/features.ts';
import { type Config, readConfig } from '../../config/config.ts';
import { localCall } from '../../platform/call.ts';
import { systemClock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/open-db.ts';
import type { Key } from '../../platform/db/tables.ts';
import { openHooks } from '../../platform/hooks.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { silentLog } from '../../platform/telemetry/log.ts';
import { type FileRow, holderOf, prepareFile } from '../files/index.ts';
import { buildManifest } from '../manifests/index.ts';
import { holdObjects, listHeld } from '../stored-objects/index.ts';
import type { VersionPosition } from '../versions/index.ts';
import { type FileToStore, storeFiles } from './store-files.ts';

const defaults = await readConfig([], {});
const kindOf = (error: unknown): string => (error instanceof ApiError ? error.kind : String(error));

/** As far as a file comes before it counts: its objects are held for the upload, its record is prepared. */
async function prepare(database: Database, owner: Actor, target: FileRow | null = null): Promise<FileToStore> {
  const { tenantId, userId: ownerId } = owner;
  const fileHash = randomBytes(32).toString('hex');
  const sha256 = createHash('sha256').update(fileHash).digest('hex');
  const contentHash = `sha256:${sha256}`;
  const heldBy = `upload:${fileHash}`;
  return database.db.transaction().execute(async tx => {
    const [held] = await holdObjects(tx, { tenantId, holder: heldBy }, [{ sha256, size: 10 }]);
    const plan = {
      tenantId,
      ownerId,
      fileHash,
      contentHash,
      fileName: 'a.txt',
      fileSize: 10,
      contentType: 'text/plain',
    };
    const stored = { encryption: 'NONE', fileNonce: null, createdBy: heldBy };
    const chunk = { index: 0, plainHash: contentHash, cipherHash: contentHash, storagePath: held?.path ?? '' };
    const whole = { chunkSize: 10, totalSize: 10, storageBackend: 'DISK', encryptionAlgorithm: 'NONE' } as const;
    return {
      file: await prepareFile(tx, { ...plan, ...stored }, 0),
      manifest: buildManifest({ fileHash, ...whole, chunks: [chunk] }),
      transactionHash: `0x${fileHash}`,
      target,
      envelope: null,
      heldBy,
      call: localCall('test', tenantId, 0),
      audit: { module: 'tests', operation: 'store', description: 'a file stored', param: { by: 'test' } },
    };
  });
}

eachDatabase((_engine, open) => {
  async function begin(config: Partial<Config> = {}) {
    const database = await open(migrations);
    const other = await database.openAgain();
    const world = await openFileWorld(database);
    const alice = await world.person(await world.tenant('acme'), 'alice');
    const superseded: VersionPosition[][] = [];
    const versionsStored = async (_tx: unknown, newest: readonly VersionPosition[]) =>
      void superseded.push([...newest]);
    const server = smallServer({
      clock: systemClock,
      log: silentLog,
      config: { ...defaults, quota: wideQuota, ...config },
      hooks: openHooks([{ hooks: { versionsStored } }]),
    });
    const store = (files: readonly FileToStore[], on: Database = database) =>
      on.db.transaction().execute(tx => storeFiles({ ...server, database: on }, tx, files));
    const close = () => world[Symbol.asyncDispose]();
    return { database, other, alice, superseded, store, [Symbol.asyncDispose]: close };
  }

  const rowsOf = ({ db }: Database, ids: readonly Key[]) =>
    db.selectFrom('file').selectAll().where('id', 'in', ids).orderBy('id').execute();

  test('files stored together each get status, version, manifest and all other records', async () => {
    await using ground = await begin();
    const { database, alice, superseded, store } = ground;
    const { db } = database;
    const first = await prepare(database, alice);
    await store([first]);
    const [target] = await rowsOf(database, [first.file.id]);
    const files = [
      await prepare(database, alice),
      await prepare(database, alice, target),
      await prepare(database, alice),
    ];
    await store(files);
    const ids = files.map(({ file }) => file.id);
    const rows = await rowsOf(database, ids);
    expect(rows.map(row => [row.status, row.version, row.version_group_id, row.is_latest])).toEqual([
      [1, 1, ids[0], 1],
      [1, 2, target?.id, 1],
      [1, 1, ids[2], 1],
    ]);
    expect(rows.map(row => row.transaction_hash)).toEqual(files.map(file => file.transactionHash));
    const manifests = await db
      .selectFrom('manifest')
      .selectAll()
      .where('file_id', 'in', ids)
      .orderBy('file_id')
      .execute();
    expect(manifests.map(row => [row.manifest_hash, row.file_version, row.status])).toEqual(
      rows.map(row => [row.manifest_hash, row.version, 'ACTIVE']),
    );
    for (const { file, heldBy } of files) {
      const { tenantId } = alice;
      expect(await listHeld(db, { tenantId, holder: holderOf(file) })).toHaveLength(1);
      expect(await listHeld(db, { tenantId, holder: heldBy ?? '' })).toEqual([]);
    }
    const told = await listAuditRows(db, { module: 'tests' });
    const params = told.map(row => JSON.parse(row.request_param) as unknown);
    expect(params.slice(1)).toEqual(
      expect.arrayContaining(
        rows.map(row => ({ by: 'test', fileId: row.id, fileHash: row.file_hash, version: row.version })),
      ),
    );
    expect(superseded).toEqual([[expect.objectContaining({ versionGroupId: target?.id, version: 2 })]]);
    const usage = await db.selectFrom('file_usage').selectAll().where('owner_id', '=', alice.userId).executeTakeFirst();
    expect(usage).toMatchObject({ files: 4, bytes: 40, latest_files: 3 });
  });

  test('if one of several files cannot be stored, none is', async () => {
    await using ground = await begin({ quota: { ...wideQuota, userFiles: 2 } });
    const { database, alice, store } = ground;
    const files = [await prepare(database, alice), await prepare(database, alice), await prepare(database, alice)];
    expect(await store(files).catch(kindOf)).toBe('QUOTA_EXCEEDED');
    const rows = await rowsOf(
      database,
      files.map(({ file }) => file.id),
    );
    expect(rows.map(row => [row.status, row.version_group_id])).toEqual(Array(3).fill([0, null]));
    expect(await database.db.selectFrom('manifest').selectAll().execute()).toEqual([]);
    await store(files.slice(1));
  });

  test('of two servers that concurrently store next versions of the same files, one stores all', async () => {
    await using ground = await begin();
    const { database, other, alice, store } = ground;
    const begun = [await prepare(database, alice), await prepare(database, alice), await prepare(database, alice)];
    await store(begun);
    for (let round = 0; round < 5; round += 1) {
      const newest = await database.db
        .selectFrom('file')
        .selectAll()
        .where('is_latest', '=', 1)
        .orderBy('id')
        .execute();
      const continued = (files: readonly FileRow[]) => Promise.all(files.map(file => prepare(database, alice, file)));
      const sets = [await continued(newest), await continued(newest.toReversed())] as const;
      const ended = await Promise.allSettled([store(sets[0]), store(sets[1], other)]);
      expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(ended.flatMap(end => (end.status === 'rejected' ? [kindOf(end.reason)] : []))).toEqual([
        'VERSION_CONFLICT',
      ]);
    }
    const chains = await database.db.selectFrom('file').select('version').where('is_latest', '=', 1).execute();
    expect(chains.map(row => row.version)).toEqual([6, 6, 6]);
  });
});
