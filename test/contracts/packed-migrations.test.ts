// Rows of an earlier release after the migrations that store them packed: the same texts, and the same chains.
import { migrations } from '@recordproof/server/compose/features.ts';
import { verifyAuditChain } from '@recordproof/server/features/audit/index.ts';
import { claimRequest } from '@recordproof/server/features/file-uploads/queries.ts';
import { type Migration, migrate } from '@recordproof/server/platform/db/migrate.ts';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { listAuditRows } from '../support/audit-rows.ts';
import { startChild } from '../support/child.ts';
import { eachDatabase, type OpenDatabase } from '../support/databases.ts';
import { earlierMigrations, insertEarlierRows, makeAuditRows } from '../support/earlier-rows.ts';
import { openFileWorld } from '../support/file-world.ts';
import { readEntries } from '../support/ledger-entries.ts';

/** Behind the conversions that the test looks at: all steps are one transaction. */
const stopAt = 'V1.49.2 answers of calls as bytes';

/** More than two pages. */
const rows = makeAuditRows(2100);

async function openEarlier(open: OpenDatabase) {
  const database = await open(earlierMigrations as Migration[]);
  await insertEarlierRows(database.db, rows);
  return database;
}

eachDatabase((engine, open) => {
  const expectSame = async (db: Parameters<typeof listAuditRows>[0]) => {
    const read = await listAuditRows(db);
    expect(read.map(({ id: _id, repeated: _repeated, ...row }) => row)).toEqual(
      rows.map(({ previous_hash: _previous, ...row }) => row),
    );
    for (const tenant of [1, 2]) {
      const length = rows.filter(row => row.tenant_id === tenant).length;
      expect(await verifyAuditChain(db, tenant)).toEqual({ rows: length, brokenAt: null });
    }
    const entries = await readEntries(db);
    expect(new Set(entries.map(({ subject }) => subject))).toEqual(new Set(rows.map(({ hash }) => hash)));
    for (const { entry, subject, recorded_at } of entries)
      expect(JSON.parse(entry)).toEqual({ kind: 'FILE_RECORD', recordId: subject, recordedAt: recorded_at });
  };

  test('texts, hashes and chains are the same', async () => {
    const { db } = await openEarlier(open);
    await migrate(db, engine, migrations, 0);
    await expectSame(db);
  });

  test('a start that is killed behind the last conversion has changed nothing, and the next one ends', async () => {
    const { db, place } = await openEarlier(open);
    const child = startChild('migrate-release.ts', { place, stopAt });
    expect(await child.next()).toBe('converted');
    await child.kill();
    expect(await migrate(db, engine, migrations, 0)).toHaveLength(migrations.length - earlierMigrations.length);
    await expectSame(db);
  });

  test('answers of calls are the same, and missing ones stay missing', async () => {
    const { db, ...database } = await open(migrations);
    await using world = await openFileWorld({ db, ...database });
    const owner = await world.person(await world.tenant('t'), 'ada');
    await sql`alter table short_upload_request drop column answer`.execute(db);
    await sql`alter table short_upload_request add column answer text`.execute(db);
    const steps = migrations.map(({ name }) => name).filter(name => /^V1\.49\.[23] /.test(name));
    await db.deleteFrom('schema_migration').where('name', 'in', steps).execute();
    const answers = [JSON.stringify({ results: ['文件', 'a'.repeat(2 ** 21)] }), null, '{}'];
    for (const [at, answer] of answers.entries())
      await sql`insert into short_upload_request (tenant_id, owner_id, request_id, fingerprint, answer, created_at)
        values (${owner.tenantId}, ${owner.userId}, ${`call ${at}`}, 'f', ${answer}, 0)`.execute(db);

    expect(await migrate(db, engine, migrations, 0)).toEqual(steps);
    for (const [at, answer] of answers.entries()) {
      const call = { tenantId: owner.tenantId, ownerId: owner.userId, requestId: `call ${at}`, fingerprint: 'f' };
      expect((await claimRequest(db, call, 0))?.answer).toBe(answer);
    }
  });

  test('a row whose link to the row before was changed is still reported', async () => {
    const { db } = await openEarlier(open);
    await sql`update audit_log set previous_hash = ${'a'.repeat(64)} where tenant_id = 2 and position = 7`.execute(db);
    await migrate(db, engine, migrations, 0);
    expect(await verifyAuditChain(db, 2)).toMatchObject({ brokenAt: 7 });
    expect(await verifyAuditChain(db, 1)).toMatchObject({ brokenAt: null });
  });
});
