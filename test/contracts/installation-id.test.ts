// The installation id: its source, its storage, and how to start a new installation on purpose.
import { readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openApp } from '../../server/src/compose/app.ts';
import { readConfig } from '../../server/src/config/config.ts';
import { openDatabase } from '../../server/src/platform/db/open-db.ts';
import { readKeysMark, readStoreMark, writeKeysMark } from '../../server/src/platform/installation-mark.ts';
import { silentLog } from '../../server/src/platform/telemetry/log.ts';
import { openConfiguredStore } from '../support/configured-store.ts';
import { engines } from '../support/engines.ts';
import { MisconfiguredInstallations } from '../support/misconfigured-installations.ts';
import { postgres, runSql, stopPostgres } from '../support/postgres.ts';
import { runCommand } from '../support/server-commands.ts';

afterAll(stopPostgres);

const settingsOf = (installations: MisconfiguredInstallations) =>
  readConfig([], { ...installations.production.env, RECORDPROOF_PORT: '0' });

async function readIds(installations: MisconfiguredInstallations) {
  const config = await settingsOf(installations);
  await using objects = await openConfiguredStore(config);
  const database = await openDatabase(config.db);
  const row = await database.db.selectFrom('installation').select('installation_id').executeTakeFirstOrThrow();
  await database.close();
  return {
    database: row.installation_id,
    keys: readKeysMark(config.keysFolder)?.id ?? null,
    objects: await readStoreMark(objects, 'ledger/installation'),
  };
}

/** The state that a server of an earlier version leaves. */
async function forgetIds(installations: MisconfiguredInstallations): Promise<void> {
  const config = await settingsOf(installations);
  await using objects = await openConfiguredStore(config);
  for (const key of ['ledger/installation', 'ledger/writer']) await objects.delete(key);
  const database = await openDatabase(config.db);
  await database.db.updateTable('installation').set({ installation_id: null }).execute();
  await database.db.updateTable('ledger_log').set({ writer_beat: 0, writer_nonce: null }).execute();
  await database.close();
  await rm(join(config.keysFolder, 'installation.json'));
}

async function loseDatabase({ production: { folder, env } }: MisconfiguredInstallations): Promise<void> {
  if (env.DATABASE_URL === undefined) return rm(join(folder, 'recordproof.db'));
  const { pathname, href } = new URL(env.DATABASE_URL);
  await runSql(new URL('/postgres', href).href, `drop database ${pathname.slice(1)} with (force)`);
  await runSql(new URL('/postgres', href).href, `create database ${pathname.slice(1)} template template0`);
}

async function start(installations: MisconfiguredInstallations, isNew = false): Promise<string | null> {
  await using app = await openApp(await settingsOf(installations), { log: silentLog, isNew });
  return app.setupCode;
}

describe.each(engines)('on %s', engine => {
  let installations: MisconfiguredInstallations;
  beforeEach(async () => {
    if (engine === 'postgres') await postgres();
    installations = await MisconfiguredInstallations.make(engine, 'disk');
  });
  afterEach(() => installations?.[Symbol.asyncDispose]());

  test('an installation of an earlier version is recognized, and gets one id at its first start', {
    tags: 'long',
  }, async () => {
    await forgetIds(installations);
    expect((await runCommand(['keys', 'list'], installations.production.env)).code).toBe(0);
    expect(await readIds(installations)).toEqual({ database: null, keys: null, objects: null });
    for (const cell of ['empty', 'mistyped', 'otherDatabase', 'otherInstallation'] as const) {
      const { code, out } = await runCommand(['admin', 'tenants', '--create', 'x'], (await installations[cell]()).env);
      expect(code, `${cell}: ${out}`).toBe(78);
    }
    await start(installations);
    const { database, keys, objects } = await readIds(installations);
    expect(database).toMatch(/^[0-9a-f-]{36}$/);
    expect([keys, objects]).toEqual([database, database]);
  });

  test('a start after an interrupted first start keeps the installation id', { tags: 'long' }, async () => {
    const { keysFolder, objects } = await settingsOf(installations);
    const mark = readKeysMark(keysFolder);
    if (mark === null || objects.kind !== 'disk') throw new Error('no mark');
    await loseDatabase(installations);
    await rm(objects.folder, { recursive: true });
    await writeKeysMark(keysFolder, { ...mark, isBound: false });
    await start(installations);
    expect(await readIds(installations)).toEqual({ database: mark.id, keys: mark.id, objects: mark.id });
  });

  test('after the loss of the database --new begins another installation and renames what remains', async () => {
    const { database: before } = await readIds(installations);
    const taken = await runCommand(['admin', 'tenants', '--create', 'x', '--new'], installations.production.env);
    expect(taken).toMatchObject({ code: 78, out: expect.stringContaining('holds an installation') });
    await loseDatabase(installations);
    await expect(start(installations)).rejects.toThrow('holds no installation');
    expect(await start(installations, true)).not.toBeNull();
    const { database, keys, objects } = await readIds(installations);
    expect(database).not.toBe(before);
    expect([keys, objects]).toEqual([database, database]);
    const aside = (await readdir(installations.production.folder)).filter(name => name.includes('.before-'));
    expect(aside.map(name => name.split('.')[0]).sort()).toEqual(['keys', 'objects']);
  });

  test('after the loss of the objects ledger restore --new writes the ledger again', { tags: 'long' }, async () => {
    const { folder, env } = installations.production;
    await rename(join(folder, 'objects'), join(folder, 'objects.lost'));
    expect(await runCommand(['ledger', 'verify'], env)).toMatchObject({ code: 78 });
    expect(await runCommand(['ledger', 'restore'], env)).toMatchObject({ code: 78 });
    expect(await runCommand(['ledger', 'restore', '--new'], env)).toMatchObject({ code: 0 });
    await start(installations);
    expect(await runCommand(['ledger', 'verify'], env)).toMatchObject({ code: 0 });
    await writeFile(join(folder, 'keys', 'installation.json'), '{}');
    const told = await runCommand(['doctor'], env);
    expect(told).toMatchObject({ code: 78, out: expect.stringContaining('installation.json is damaged') });
  });
});
