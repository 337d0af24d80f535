// Schema migrations: order, concurrent starts, changed and failed steps, databases of a newer version.
import { type Migration, migrate, SchemaError } from '@recordproof/server/platform/db/migrate.ts';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { startChild } from '../support/child.ts';
import { eachDatabase } from '../support/databases.ts';
import { effectMigrations } from '../support/effects.ts';

const step = (name: string, ...statements: string[]): Migration => ({ name, statements: () => statements });

const names = effectMigrations.map(migration => migration.name);

eachDatabase((engine, open) => {
  test('steps run in the order of their versions, whatever their order in the list', async () => {
    const { db } = await open();
    const applied = await migrate(
      db,
      engine,
      [
        step('V3.10 third', "insert into note values ('third')"),
        step('V3.2 first', 'create table note (text text not null)'),
        step('V3.2.1 second', "insert into note values ('second')"),
      ],
      0,
    );
    expect(applied).toEqual(['V3.2 first', 'V3.2.1 second', 'V3.10 third']);
    const { rows } = await sql`select text from note`.execute(db);
    expect(rows).toEqual([{ text: 'second' }, { text: 'third' }]);
  });

  test('a step runs once, and new steps are added', async () => {
    const { db } = await open();
    expect(await migrate(db, engine, effectMigrations.slice(0, 1), 0)).toEqual(names.slice(0, 1));
    expect(await migrate(db, engine, effectMigrations.slice(0, 1), 0)).toEqual([]);
    expect(await migrate(db, engine, effectMigrations, 0)).toEqual(names.slice(1));
  });

  test('concurrent starts apply every step once', async () => {
    const { db, openAgain } = await open();
    const servers = [db, db, (await openAgain()).db, (await openAgain()).db];
    const applied = await Promise.all(servers.map(server => migrate(server, engine, effectMigrations, 0)));
    expect(applied.flat().sort()).toEqual(names);
  });

  test('two processes that start concurrently apply every step once', async () => {
    const { address } = await open();
    const children = [startChild('migrate.ts', address), startChild('migrate.ts', address)];
    await Promise.all(children.map(child => child.next()));
    for (const child of children) child.send('go');
    const applied = await Promise.all(children.map(child => child.next()));
    expect(applied.flat().sort()).toEqual(names);
    expect(await Promise.all(children.map(child => child.ended))).toEqual([0, 0]);
  });

  test('a published step whose text changed is rejected', async () => {
    const { db } = await open();
    await migrate(db, engine, [step('V3.0 a', 'create table a (n integer)')], 0);
    const changed = migrate(db, engine, [step('V3.0 a', 'create table a (n bigint)')], 0);
    await expect(changed).rejects.toThrow(SchemaError);
    await expect(changed).rejects.toThrow(
      'the schema step "V3.0 a" differs from the one that this database has applied',
    );
  });

  test('a database of a newer version is rejected with a message that names the remedy', async () => {
    const { db } = await open();
    await migrate(db, engine, [step('V3.0 a', 'create table a (n integer)'), step('V3.1 b')], 0);
    const older = migrate(db, engine, [step('V3.0 a', 'create table a (n integer)')], 0);
    await expect(older).rejects.toThrow(
      'the database was written by a newer version ("V3.1 b" is unknown here); start that version, or restore a backup.',
    );
  });

  test('a step with a failed precondition rolls back the steps before it', async () => {
    const { db } = await open();
    const steps: Migration[] = [
      step('V3.0 a', 'create table a (n integer)'),
      { ...step('V3.1 b', 'create table b (n integer)'), precondition: async () => 'there are duplicates.' },
    ];
    await expect(migrate(db, engine, steps, 0)).rejects.toThrow('"V3.1 b" cannot be applied: there are duplicates.');
    await expect(sql`select * from a`.execute(db)).rejects.toThrow();
    expect(await migrate(db, engine, steps.slice(0, 1), 0)).toEqual(['V3.0 a']);
  });

  test('a step converts data after its statements, and a failed conversion rolls all of it back', async () => {
    const { db } = await open();
    const before = step('V3.0 a', 'create table a (n integer)', 'insert into a values (1)');
    const convert: Migration['convert'] = async tx => void (await sql`update a set doubled = n * 2`.execute(tx));
    const doubling: Migration = { ...step('V3.1 b', 'alter table a add column doubled integer'), convert };
    await migrate(db, engine, [before], 0);
    const failing: Migration = {
      ...doubling,
      convert: async (tx, of) => {
        await convert(tx, of);
        throw new Error('a row cannot be converted');
      },
    };
    await expect(migrate(db, engine, [before, failing], 0)).rejects.toThrow('a row cannot be converted');
    await expect(sql`select doubled from a`.execute(db)).rejects.toThrow();
    expect(await migrate(db, engine, [before, doubling], 0)).toEqual(['V3.1 b']);
    expect((await sql`select n, doubled from a`.execute(db)).rows).toEqual([{ n: 1, doubled: 2 }]);
  });

  test('a step that fails rolls back the steps before it', async () => {
    const { db } = await open();
    const steps = [step('V3.0 a', 'create table a (n integer)'), step('V3.1 b', 'create table a (n integer)')];
    await expect(migrate(db, engine, steps, 0)).rejects.toThrow();
    await expect(sql`select * from a`.execute(db)).rejects.toThrow();
  });

  test('a step without a version and a duplicate version are rejected', async () => {
    const { db } = await open();
    await expect(migrate(db, engine, [step('tables')], 0)).rejects.toThrow('must be named');
    await expect(migrate(db, engine, [step('V3.0 a'), step('V3.0.0 b')], 0)).rejects.toThrow('one version');
  });
});
