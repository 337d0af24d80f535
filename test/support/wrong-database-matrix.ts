// The wrong-database matrix: in each wrong location, start, commands and doctor are rejected with 78 before anything is
// written; the right one works.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openApp } from '../../server/src/compose/app.ts';
import { readConfig } from '../../server/src/config/config.ts';
import type { Engine } from '../../server/src/platform/db/open-db.ts';
import { InstallationError } from '../../server/src/platform/installation.ts';
import { silentLog } from '../../server/src/platform/telemetry/log.ts';
import { openConfiguredStore } from './configured-store.ts';
import { type Env, MisconfiguredInstallations, type StoreKind } from './misconfigured-installations.ts';
import { isReading, listCommands, runCommand } from './server-commands.ts';

type Matrix = {
  readonly engines: readonly Engine[];
  readonly stores: readonly StoreKind[];
  /** Selects from the list of all commands. */
  readonly isAsked: (command: readonly string[]) => boolean;
};

const cells = [
  ['an empty database', 'empty', /holds no installation, but .*keys holds the keys of the installation [0-9a-f-]{36}/],
  ['an empty database and data folder', 'mistyped', /holds no installation, but .* holds the objects of the/],
  ['the database of another installation', 'otherDatabase', /are not the ones|holds the keys of the installation/],
  ['another installation on the same objects', 'otherInstallation', /holds the objects of the installation/],
  ['an older backup elsewhere', 'olderElsewhere', /this database is an older copy: its newest entries may be missing/],
] as const;

/** Beside the running server of the installation. */
const rivalCells = [
  ['an older backup beside the server', 'olderElsewhere', /is an older copy: that server is running/],
  ['a copy beside the server', 'copyElsewhere', /is an older copy: that server is running/],
  ['a new server on the same objects', 'mistyped', /holds no installation, but .* holds the objects of the/],
] as const;

async function start(env: Env): Promise<void> {
  const config = await readConfig([], { ...env, RECORDPROOF_PORT: '0' });
  await using _app = await openApp(config, { log: silentLog });
}

/** Every object with its size and time; a running server continues its own ledger. */
async function listObjects(env: Env, isRunning: boolean): Promise<string[]> {
  await using store = await openConfiguredStore(await readConfig([], env));
  const objects = await Array.fromAsync(store.list(''));
  return objects
    .filter(({ key }) => !isRunning || !key.startsWith('ledger/'))
    .map(({ key, size, modifiedAt }) => `${key} ${size} ${modifiedAt.getTime()}`)
    .sort();
}

type MatrixOptions = { readonly isRunning?: boolean; readonly commands?: readonly (readonly string[])[] };

export function describeWrongDatabases({ engines, stores, isAsked }: Matrix): void {
  let folder: string;
  let commands: Awaited<ReturnType<typeof listCommands>>;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'recordproof-commands-'));
    commands = (await listCommands(folder)).filter(isAsked);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function expectRejected(
    installations: MisconfiguredInstallations,
    env: Env,
    why: RegExp,
    options: MatrixOptions = {},
  ): Promise<void> {
    const { isRunning = false, commands: asked = commands } = options;
    const before = await listObjects(installations.production.env, isRunning);
    await expect(start(env)).rejects.toThrow(InstallationError);
    await expect(start(env)).rejects.toThrow(why);
    for (const command of asked) {
      const { code, out } = await runCommand(command, { ...env, RECORDPROOF_BACKUP_PASSPHRASE: 'five small cats' });
      expect(out, command.join(' ')).toMatch(why);
      expect(code, `${command.join(' ')}: ${out}`).toBe(78);
    }
    expect(await listObjects(installations.production.env, isRunning)).toEqual(before);
  }

  describe.each(engines.flatMap(engine => stores.map(store => ({ engine, store }))))('$engine, $store', kind => {
    let installations: MisconfiguredInstallations;
    beforeAll(async () => {
      installations = await MisconfiguredInstallations.make(kind.engine, kind.store);
    });
    afterAll(() => installations?.[Symbol.asyncDispose]());

    test.each(cells)('%s', async (_name, cell, why) => {
      await expectRejected(installations, (await installations[cell]()).env, why);
    });

    test('a second server is rejected while one runs', async () => {
      await using app = await installations.start();
      for (const [, cell, why] of rivalCells)
        await expectRejected(installations, (await installations[cell]()).env, why, { isRunning: true });
      await app.app.server.ledger.publish();
      expect(await runCommand(['ledger', 'verify'], installations.production.env)).toMatchObject({ code: 0 });
    });

    test('a current copy beside a running server can be read, but not changed', async () => {
      const { env } = await installations.copyBesideServer();
      const reading = commands.filter(isReading);
      for (const command of reading) expect((await runCommand(command, env)).code, command.join(' ')).not.toBe(78);
      await expectRejected(installations, env, /that server seems to run/, {
        commands: commands.filter(one => !isReading(one)),
      });
      await (await installations.start())[Symbol.asyncDispose](); // ends in order
    });

    test('an older backup restored in place gets its missing entries back', async () => {
      const before = await runCommand(['ledger', 'verify', '--json'], installations.production.env);
      expect(before.code, before.out).toBe(0);
      await installations.restoreOlderInPlace();
      {
        await using app = await installations.start();
        await app.app.server.ledger.publish();
      }
      const { code, out } = await runCommand(['ledger', 'verify', '--json'], installations.production.env);
      expect(code, out).toBe(0);
      expect(JSON.parse(out).size).toBeGreaterThanOrEqual(JSON.parse(before.out).size);
    });

    test('a backup elsewhere takes over on request, and the previous database stops writing', async () => {
      const elsewhere = await installations.olderElsewhere();
      const config = await readConfig([], { ...elsewhere.env, RECORDPROOF_PORT: '0' });
      await using before = await installations.start();
      await using app = await openApp(config, { log: silentLog, isTakeOver: true });
      await app.server.ledger.publish();
      await expect(before.app.server.ledger.renewWriter()).rejects.toThrow('has taken over this ledger');
      const entry = { kind: 'BATCH_ROOT', batchNo: 'MB-9', merkleRoot: '0'.repeat(64), treeSize: 1 } as const;
      const { ledger } = before.app.server;
      await expect(ledger.append(entry)).rejects.toThrow('another database has taken over');
      const within = before.app.database.db.transaction().execute(tx => ledger.recordWithin(tx, [entry]));
      await expect(within).rejects.toThrow('another database has taken over');
      await before[Symbol.asyncDispose]();
      await expectRejected(installations, installations.production.env, /is an older copy: that server is running/, {
        isRunning: true,
      });
    });
  });
}
