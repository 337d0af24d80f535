import { migrations } from '@recordproof/server/compose/features.ts';
import { migrate } from '@recordproof/server/platform/db/migrate.ts';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { eachDatabase } from '../support/databases.ts';
import { openFileWorld } from '../support/file-world.ts';

const step = 'V1.19 one active envelope per recipient';

eachDatabase((engine, open) => {
  test('the migration rejects two ACTIVE envelopes of one recipient until one of them is changed', async () => {
    const database = await open(migrations);
    const { db } = database;
    await using world = await openFileWorld(database);
    const owner = await world.person(await world.tenant('t'), 'ada');
    await world.store(owner, { bytes: Buffer.from('secret'), sealed: true });
    await sql`drop index envelope_active`.execute(db);
    await db.deleteFrom('schema_migration').where('name', '=', step).execute();
    const { id, ...envelope } = await db.selectFrom('envelope').selectAll().executeTakeFirstOrThrow();
    await db.insertInto('envelope').values(envelope).execute();

    await expect(migrate(db, engine, migrations, 0)).rejects.toThrow(
      `"${step}" cannot be applied: 1 recipients have more than one ACTIVE envelope; set all but one of each to SUPERSEDED or REVOKED and start again.`,
    );
    await db.updateTable('envelope').set({ status: 'SUPERSEDED' }).where('id', '=', id).execute();
    expect(await migrate(db, engine, migrations, 0)).toEqual([step]);
    await expect(db.insertInto('envelope').values(envelope).execute()).rejects.toThrow();
  });

  test('the migration adds the suites of their time to existing envelopes', async () => {
    const database = await open(migrations);
    const { db } = database;
    await using world = await openFileWorld(database);
    const owner = await world.person(await world.tenant('t'), 'ada');
    await world.store(owner, { bytes: Buffer.from('secret'), sealed: true });
    await sql`alter table envelope drop column signature_suite`.execute(db);
    await sql`alter table envelope drop column kem_suite`.execute(db);
    await db.deleteFrom('schema_migration').where('name', '=', 'V1.20.2 suites of envelopes').execute();
    expect(await migrate(db, engine, migrations, 0)).toEqual(['V1.20.2 suites of envelopes']);
    const row = await db.selectFrom('envelope').selectAll().executeTakeFirstOrThrow();
    expect(row).toMatchObject({ signature_suite: 'UNSIGNED-V1', kem_suite: 'NONE-V1' });
  });
});
