// A database of an earlier release, whose manifests, ledger entries and Merkle paths are texts, becomes one of bytes.
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { startApp } from '../../../../test/support/app.ts';
import { pattern } from '../../../../test/support/bytes.ts';
import { readEntries } from '../../../../test/support/ledger-entries.ts';
import { readManifestText } from '../../../../test/support/manifest-text.ts';
import { exportProof, laptop } from '../../../../test/support/real-proofs.ts';
import { runSteps } from '../../../../test/support/run-steps.ts';
import { sendFile } from '../../../../test/support/uploads.ts';
import { attestationMigrations } from '../attestation/migrations.ts';
import { chainMigrations } from '../chain/migrations.ts';
import { manifestMigrations } from '../manifests/migrations.ts';

const app = await startApp({ env: laptop });
afterAll(() => app[Symbol.asyncDispose]());

const { database } = app.app;
const { db } = database;

/** Back into the tables of the release before. */
async function restoreTexts(): Promise<void> {
  const add = (table: string, column: string) =>
    sql`alter table ${sql.table(table)} add column ${sql.ref(column)} text not null default ''`.execute(db);
  const drop = (table: string, column: string) =>
    sql`alter table ${sql.table(table)} drop column ${sql.ref(column)}`.execute(db);

  await add('manifest', 'canonical_json');
  for (const { file_id } of await db.selectFrom('manifest').select('file_id').execute())
    await sql`update manifest set canonical_json = ${await readManifestText(db, file_id)}
      where file_id = ${file_id}`.execute(db);
  await drop('manifest', 'packed');
  await sql`drop index manifest_file`.execute(db);
  await sql`create index manifest_hash on manifest (tenant_id, manifest_hash)`.execute(db);

  const entries = await readEntries(db);
  await drop('ledger_entry', 'leaf_hash');
  await add('ledger_entry', 'leaf_hash');
  await add('ledger_entry', 'entry');
  for (const { position, entry, leaf_hash } of entries)
    await sql`update ledger_entry set entry = ${entry}, leaf_hash = ${leaf_hash}
      where position = ${position}`.execute(db);
  await drop('ledger_entry', 'packed');

  const leaves = await db.selectFrom('attestation_leaf').select(['id', 'leaf_hash', 'proof_path']).execute();
  for (const column of ['leaf_hash', 'proof_path'] as const) {
    await drop('attestation_leaf', column);
    await add('attestation_leaf', column);
    for (const leaf of leaves)
      await sql`update attestation_leaf set ${sql.ref(column)} = ${leaf[column].toString('hex')}
        where id = ${leaf.id}`.execute(db);
  }
}

const readTables = async () => ({
  manifests: await db.selectFrom('manifest').selectAll().orderBy('id').execute(),
  entries: await db.selectFrom('ledger_entry').selectAll().orderBy('position').execute(),
  leaves: await db.selectFrom('attestation_leaf').selectAll().orderBy('id').execute(),
});

test('the migration keeps manifests, ledger entries, Merkle paths and archives byte for byte', async () => {
  const alice = await app.person('alice');
  const sent = await Promise.all([1, 2, 3, 4, 5].map(async seed => sendFile(alice, await pattern(500, seed))));
  const fileIds = sent.map(({ data }) => data.fileId);
  await app.drain();
  const archives = await Promise.all(fileIds.map(id => exportProof(alice, id)));
  const [tables, entries] = [await readTables(), await readEntries(db)];
  await restoreTexts();
  await sql`update ledger_entry set leaf_hash = 'AB' where position = 0`.execute(db);
  await runSteps(database, manifestMigrations.slice(-2));
  await runSteps(database, chainMigrations.slice(-2));
  await runSteps(database, attestationMigrations.slice(-1));

  const [first] = entries;
  expect((await readEntries(db))[0]).toEqual({ ...first, leaf_hash: '' }); // it was damaged before
  const leaf = Buffer.from(first?.leaf_hash ?? '', 'hex');
  await db.updateTable('ledger_entry').set({ leaf_hash: leaf }).where('position', '=', 0).execute();
  expect(await readTables()).toEqual(tables);
  expect(await readEntries(db)).toEqual(entries);
  for (const [index, fileId] of fileIds.entries()) expect(await exportProof(alice, fileId)).toEqual(archives[index]);
});
