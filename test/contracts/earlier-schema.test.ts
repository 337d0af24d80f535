// Databases of commit 25e89feb, whose schema has the steps V1: a start replaces the names of the steps and no table.
import { join } from 'node:path';
import { migrations } from '@recordproof/server/compose/features.ts';
import { readConfig } from '@recordproof/server/config/config.ts';
import {
  hasSchema,
  listNewerSteps,
  migrate,
  movingStep,
  readSchemaState,
  SchemaBehind,
  SchemaError,
} from '@recordproof/server/platform/db/migrate.ts';
import type { Database } from '@recordproof/server/platform/db/open-db.ts';
import { openPresence } from '@recordproof/server/platform/db/presence.ts';
import type { Db } from '@recordproof/server/platform/db/tables.ts';
import { Secret } from '@recordproof/server/platform/secret.ts';
import { downloadFile } from '@recordproof/shared/api/files.ts';
import { expect, test } from 'vitest';
import { openMovableClock, startApp, startOfTests, testPassword } from '../support/app.ts';
import { BackupTargets, backUp, restoreTo, verify } from '../support/backups.ts';
import { openTestDatabase } from '../support/database-address.ts';
import { eachDatabase } from '../support/databases.ts';
import { type EarlierInstallation, earlierText, openEarlierInstallation } from '../support/earlier-installation.ts';
import { postgres } from '../support/postgres.ts';
import { exportProof, laptop, openProof } from '../support/real-proofs.ts';
import { readSchemaLines } from '../support/schema-lines.ts';

const listRecorded = (db: Db) =>
  db.selectFrom('schema_migration').select(['name', 'checksum']).orderBy('name').execute();

async function withDatabase<T>({ address }: EarlierInstallation, use: (database: Database) => Promise<T>): Promise<T> {
  const database = await openTestDatabase(address);
  return await use(database).finally(() => database.close());
}

/** The server starts, the owner signs in, and the file and its proof are there. */
async function expectFile(
  { fileHash, fileId }: EarlierInstallation,
  settings: { readonly folder: string; readonly env: Readonly<Record<string, string>> },
): Promise<void> {
  await using app = await startApp({
    folder: settings.folder,
    env: { ...laptop, ...settings.env },
    clock: openMovableClock(startOfTests + 3_600_000),
  });
  const alice = app.anonymous;
  await alice.login('alice', testPassword);
  const answer = await alice.fetch(downloadFile.path.replace('{hash}', fileHash));
  expect(await answer.text()).toBe(earlierText);
  expect(openProof(await exportProof(alice, fileId)).manifest.proofId).toMatch(/^rp-proof-/);
}

const tooOld =
  'the database was written by a version before commit 25e89feb; start the server of that commit on it once, then this one.';

eachDatabase((engine, open) => {
  test('a server opens it, and its schema is that of a new database', async () => {
    await using earlier = await openEarlierInstallation(engine);
    const before = await withDatabase(earlier, ({ db }) => readSchemaLines(db, engine));
    await expectFile(earlier, earlier);
    const fresh = (await open(migrations)).db;
    await withDatabase(earlier, async ({ db }) => {
      expect(await listRecorded(db)).toEqual(await listRecorded(fresh));
      const lines = await readSchemaLines(db, engine);
      expect(lines).toEqual(before);
      expect(lines).toEqual(await readSchemaLines(fresh, engine));
    });
  });

  test('servers that start at the same time replace the steps once', async () => {
    await using earlier = await openEarlierInstallation(engine);
    const servers = await Promise.all(Array.from({ length: 4 }, () => openTestDatabase(earlier.address)));
    const applied = await Promise.all(servers.map(({ db }) => migrate(db, engine, migrations, 0)));
    expect(applied).toEqual([[], [], [], []]);
    await withDatabase(earlier, async ({ db }) => {
      expect((await listRecorded(db)).map(({ name }) => name).sort()).toEqual(migrations.map(step => step.name).sort());
      expect(await hasSchema(db, engine, migrations)).toBe(true);
    });
    await Promise.all(servers.map(server => server.close()));
  });

  test('a later step is applied in the same transaction, and its failure keeps the earlier steps', async () => {
    await using earlier = await openEarlierInstallation(engine);
    const later = (statement: string) => [...migrations, { name: 'V3.0 later', statements: () => [statement] }];
    await withDatabase(earlier, async ({ db }) => {
      const before = await listRecorded(db);
      await expect(migrate(db, engine, later('drop table missing'), 0)).rejects.toThrow();
      expect(await listRecorded(db)).toEqual(before);
      expect(await migrate(db, engine, later('create table later (id integer)'), 0)).toEqual(['V3.0 later']);
    });
  });

  test('commands that only read report a schema that is older, and the start steps without statements', async () => {
    await using earlier = await openEarlierInstallation(engine);
    await withDatabase(earlier, async ({ db }) => {
      await expect(hasSchema(db, engine, migrations)).rejects.toThrow(SchemaBehind);
      expect(await listNewerSteps(db, migrations)).toEqual([]);
      const state = await readSchemaState(db, engine, migrations);
      expect(state).toMatchObject({ rejection: null });
      expect(state?.pending.map(({ name }) => name).sort()).toEqual(migrations.map(({ name }) => name).sort());
      for (const { statements } of state?.pending ?? []) expect(statements({} as never)).toEqual([]);
      await db.insertInto('schema_migration').values({ name: movingStep, checksum: 'x', applied_at: 0 }).execute();
      await expect(hasSchema(db, engine, migrations)).rejects.toThrow('an installation is being moved');
    });
  });

  test('a database with a part of the earlier steps is rejected with what to do', async () => {
    await using earlier = await openEarlierInstallation(engine);
    await withDatabase(earlier, async ({ db }) => {
      const last = (await listRecorded(db)).at(-1)?.name ?? '';
      await db.deleteFrom('schema_migration').where('name', '=', last).execute();
      const before = await listRecorded(db);
      await expect(migrate(db, engine, migrations, 0)).rejects.toThrow(tooOld);
      await expect(hasSchema(db, engine, migrations)).rejects.toThrow(tooOld);
      expect(await readSchemaState(db, engine, migrations)).toMatchObject({ rejection: tooOld });
      expect(await listRecorded(db)).toEqual(before);
    });
  });

  test('a database with a changed earlier step is rejected', async () => {
    await using earlier = await openEarlierInstallation(engine);
    await withDatabase(earlier, async ({ db }) => {
      await db.updateTable('schema_migration').set({ checksum: 'x' }).where('name', '=', 'V1.0.3 sagas').execute();
      const changed = migrate(db, engine, migrations, 0);
      await expect(changed).rejects.toThrow(SchemaError);
      await expect(changed).rejects.toThrow(
        'a schema step before V2 differs from the one that this database has applied',
      );
    });
  });

  test('a backup of that commit is restored; one of an older version is rejected', { tags: 'long' }, async () => {
    await using earlier = await openEarlierInstallation(engine);
    await using targets = new BackupTargets();
    const newDatabase = async () =>
      engine === 'sqlite' ? {} : { DATABASE_URL: (await (await postgres()).freshDatabase()).url };
    const to = await targets.newFolder();
    const config = await readConfig([], { ...earlier.env, RECORDPROOF_DATA: earlier.folder });
    await withDatabase(earlier, database => backUp({ app: { database }, config }, to));
    const folder = join(await targets.newFolder(), 'new');
    const env = { RECORDPROOF_DATA: folder, RECORDPROOF_RESERVE_BYTES: '0', ...(await newDatabase()) };
    const { config: restored } = await restoreTo(env, to);
    expect(await verify(restored)).toMatchObject({ files: 1, problems: [] });
    await expectFile(earlier, { folder, env });

    await withDatabase(earlier, async database => {
      await database.db.deleteFrom('schema_migration').where('name', '=', 'V1.0.3 sagas').execute();
      await backUp({ app: { database }, config }, to);
    });
    const other = { ...env, RECORDPROOF_DATA: join(await targets.newFolder(), 'new'), ...(await newDatabase()) };
    await expect(restoreTo(other, to)).rejects.toThrow('the backup was made by a version before commit 25e89feb');
  });

  test.runIf(engine === 'postgres')('servers of that commit may run at the same time', async () => {
    await using earlier = await openEarlierInstallation(engine);
    const database = { kind: 'postgres', url: new Secret(earlier.address.at), poolSize: 2 } as const;
    await using running = await openPresence({ database, allowsOthers: true, log: { info: () => {}, warn: () => {} } });
    await running.relyOnSchema();
    await withDatabase(earlier, async ({ db }) => expect(await migrate(db, engine, migrations, 0)).toEqual([]));
  });
});
