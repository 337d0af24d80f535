// @module-tag long-on-postgres
// The command `doctor`: each problem with its remedy, its severity, and no changes to the installation.
import { chmod, copyFile, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkIntegrity } from '@recordproof/shared/api/integrity.ts';
import { afterAll, afterEach, expect, test } from 'vitest';
import type { TestApp } from '../../../../test/support/app.ts';
import { findFreePort } from '../../../../test/support/child-process.ts';
import { eachApp } from '../../../../test/support/each-app.ts';
import { objectOf } from '../../../../test/support/integrity-world.ts';
import { stopPostgres } from '../../../../test/support/postgres.ts';
import { masterKeysOf } from '../../../../test/support/rotations.ts';
import { startSmtpServer } from '../../../../test/support/smtp-server.ts';
import { storeProxied } from '../../../../test/support/uploads.ts';
import { readConfig } from '../../config/config.ts';
import { examine } from './doctor.ts';
import type { Finding } from './finding.ts';

const cleaners: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const clean of cleaners.splice(0).reverse()) await clean();
});
afterAll(stopPostgres);

type Env = Readonly<Record<string, string>>;

/** What the doctor says of the installation of a server, with settings besides. */
async function diagnose({ config, folder }: TestApp, more: Env = {}): Promise<Finding[]> {
  const database: Env = config.db.kind === 'postgres' ? { DATABASE_URL: config.db.url.reveal() } : {};
  return examine(await readConfig([], { RECORDPROOF_DATA: folder, ...database, ...more }));
}

const about = (findings: readonly Finding[], word: string) =>
  findings.filter(finding => finding.about === word).map(({ status, found }) => `${status}: ${found}`);

/** Every name, and when what is behind it was last changed. */
async function inspection(folder: string): Promise<string[]> {
  const names = (await readdir(folder, { recursive: true })).sort();
  return Promise.all(names.map(async name => `${name} ${(await stat(join(folder, name))).mtimeMs}`));
}

test('the doctor warns when proofs are off, and names the setting that turns them on', async () => {
  const inspectWith = async (env: Env) =>
    (await examine(await readConfig([], env))).filter(finding => finding.about === 'proofs');
  const RECORDPROOF_DATA = await mkdtemp(join(tmpdir(), 'recordproof-doctor-'));
  cleaners.push(() => rm(RECORDPROOF_DATA, { recursive: true }));
  expect(await inspectWith({ RECORDPROOF_DATA })).toEqual([
    {
      about: 'proofs',
      status: 'warning',
      found: expect.any(String),
      remedy: expect.stringMatching(/--profile .*=true/),
    },
  ]);
  expect(await inspectWith({ RECORDPROOF_DATA, ATTESTATION_PRODUCTION_ENABLED: 'true' })).toMatchObject([
    { status: 'ok' },
  ]);
});

test('without an installation the doctor reports that nothing is set up, and creates nothing', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'recordproof-doctor-'));
  cleaners.push(() => rm(folder, { recursive: true, force: true }));
  const findings = await examine(await readConfig([], { RECORDPROOF_DATA: join(folder, 'data') }));
  expect(findings.filter(({ status }) => status === 'error')).toEqual([]);
  expect(about(findings, 'database')).toEqual(['ok: nothing was set up yet; the first start of the server does it']);
  expect(about(findings, 'proofs')).toEqual([
    'warning: are off with this configuration (profile server): stored files get none',
  ]);
  expect(await readdir(folder)).toEqual([]);
});

eachApp(start => {
  test('a sound server passes every check, and its key files are not modified', async () => {
    await using app = await start();
    await using smtp = await startSmtpServer();
    const mail = { SMTP_URL: `smtp://${smtp.host}:${smtp.port}`, RECORDPROOF_MAIL_FROM: 'proof@example.org' };
    await app.app.server.ledger.publish();
    const before = await inspection(join(app.folder, 'keys'));
    const address = { RECORDPROOF_PUBLIC_URL: app.app.url, RECORDPROOF_TRUSTED_PROXIES: 'loopback' };
    const findings = await diagnose(app, { ...mail, ...address });
    expect(await inspection(join(app.folder, 'keys'))).toEqual(before);
    expect(about(findings, 'keys')).toEqual([expect.stringMatching(/^ok: they are this installation's/)]);
    expect(about(findings, 'key-provider')).toEqual([expect.stringMatching(/^ok: local: wraps data keys, and every/)]);
    expect(about(findings, 'ledger')).toEqual([expect.stringMatching(/^ok: .* under a checkpoint that is signed$/)]);
    for (const part of ['integrity', 'scrub', 'outbox', 'saga'])
      expect(about(findings, part), part).toEqual([expect.stringMatching(/^ok: /)]);
    expect(about(findings, 'public-url')).toEqual([`ok: ${app.app.url} answers`]);
    expect(about(findings, 'vouchers')).toEqual([expect.stringMatching(/^ok: no third party vouches/)]);
    expect(about(findings, 'mail')).toEqual([`ok: ${smtp.host}:${smtp.port} takes our mail`]);
    expect(smtp.received).toEqual([]);
    // The PostgreSQL of tests is told to be careless, and that does not escape the doctor.
    const careless = app.config.db.kind === 'postgres';
    const database = about(findings, 'database').join('\n');
    if (careless) expect(database).toContain('error: fsync is off');
    else expect(database).toBe('ok: SQLite, up to date with this program');
  });

  test('each problem is reported with a remedy', async () => {
    await using app = await start();
    const keys = app.config.keysFolder;
    await chmod(join(keys, 'proof-signing-1.pem'), 0o644);
    await app.app.server.ledger.publish(); // or a later checkpoint would be the newest
    await app.app.database.db.updateTable('ledger_checkpoint').set({ note: 'forged' }).execute();
    const deadServices = `127.0.0.1:${await findFreePort()}`;
    const findings = await diagnose(app, {
      RECORDPROOF_PUBLIC_URL: `http://${deadServices}`,
      RECORDPROOF_TRUSTED_PROXIES: '128.0.0.0/1',
      SMTP_URL: `smtp://${deadServices}`,
      RECORDPROOF_MAIL_FROM: 'proof@example.org',
      REDIS_URL: `redis://${deadServices}`,
      RABBITMQ_URL: `amqp://${deadServices}`,
      RECORDPROOF_LEDGER_CALENDARS: `http://${deadServices}`,
    });
    const errors = findings.filter(({ status }) => status === 'error');
    for (const { remedy } of errors) expect(remedy).toMatch(/^\S.*[.\w]$/);
    expect(about(errors, 'installation').join('\n')).toContain('can be read by others');
    expect(about(errors, 'ledger')).toEqual(['error: the newest checkpoint is not signed by the key of this ledger']);
    expect(about(errors, 'public-url')).toEqual([`error: no server answers at http://${deadServices}`]);
    expect(about(errors, 'proxies').join()).toContain('128.0.0.0/1');
    expect(about(findings, 'vouchers')).toEqual([`warning: no service listens at http://${deadServices}`]);
    for (const word of ['mail', 'redis', 'rabbitmq']) expect(about(errors, word), word).toHaveLength(1);
  });

  test('missing keys of the installation are an error', async () => {
    await using app = await start();
    const errorsOf = async () => (await diagnose(app)).filter(({ status }) => status === 'error');
    await rm(join(app.config.keysFolder, 'pepper.key'));
    const missing = expect.stringMatching(/^the key file \S+pepper\.key is missing/);
    expect(await errorsOf()).toMatchObject([{ about: 'installation', found: missing }]);
    await rename(app.config.keysFolder, `${app.config.keysFolder}.away`);
    const gone = expect.stringMatching(/keys holds no keys\..*restore the keys folder/);
    expect(await errorsOf()).toMatchObject([{ about: 'installation', found: gone }]);
  });

  test('a schema that the next start migrates is a warning', async () => {
    await using app = await start();
    const { db } = app.app.database;
    const last = db.selectFrom('schema_migration').selectAll().orderBy('name', 'desc').limit(1);
    const step = await last.executeTakeFirstOrThrow();
    await db.deleteFrom('schema_migration').where('name', '=', step.name).execute();
    expect(about(await diagnose(app), 'database')).toEqual([
      expect.stringMatching(/^warning: the database is older than this program/),
    ]);
    await db.insertInto('schema_migration').values(step).execute();
  });

  test('missing master keys are an error only if content was encrypted with them', async () => {
    await using app = await start();
    const masterKeys = join(app.config.keysFolder, 'master-keys.json');
    await rename(masterKeys, `${masterKeys}.away`);
    expect(about(await diagnose(app), 'keys').join()).toMatch(/^ok: .*no master keys here/);
    await rename(`${masterKeys}.away`, masterKeys);
    await storeProxied(await app.person('alice'), Buffer.from('sealed'));
    await rm(masterKeys);
    const missing = expect.stringMatching(/^the key file \S+master-keys\.json is missing/);
    const errors = (await diagnose(app)).filter(({ about: part, status }) => part !== 'database' && status === 'error');
    expect(errors).toMatchObject([{ about: 'installation', found: missing }]);
  });

  test('damage, a late scrub and an old backup are reported as warnings', async () => {
    await using app = await start();
    const alice = await app.person('alice');
    const file = await storeProxied(alice, Buffer.alloc(5000, 'a'));
    await rm(await objectOf(app, file, 0));
    await (await app.person('root', { role: 'admin' })).call(checkIntegrity, { body: {} });
    const { db } = app.app.database;
    await db.updateTable('stored_object').set({ verified_at: 1 }).execute();
    await db.updateTable('installation').set({ created_at: 1 }).execute();
    const findings = await diagnose(app);
    expect(about(findings, 'integrity')).toEqual(['warning: DEGRADED: unresolvedAlerts 1']);
    expect(about(findings, 'scrub')).toEqual([expect.stringMatching(/^warning: DEGRADED: the scrub is late/)]);
    expect(about(findings, 'backup')).toEqual([expect.stringMatching(/^warning: DEGRADED: no backup was made/)]);
  });

  test('a key provider that cannot wrap data keys is an error, also before the first start', async () => {
    const deadServices = {
      RECORDPROOF_KEY_PROVIDER: 'vault-transit',
      RECORDPROOF_VAULT_ADDRESS: `http://127.0.0.1:${await findFreePort()}`,
      RECORDPROOF_VAULT_KEY: 'files',
      RECORDPROOF_VAULT_TOKEN: 'a-token',
    };
    await using app = await start();
    const unusable = /^error: the key provider vault-transit cannot wrap data keys: .* \(UNAVAILABLE\)$/;
    expect(about(await diagnose(app, deadServices), 'key-provider')).toEqual([expect.stringMatching(unusable)]);
    const folder = await mkdtemp(join(tmpdir(), 'recordproof-doctor-'));
    cleaners.push(() => rm(folder, { recursive: true, force: true }));
    const fresh = await examine(await readConfig([], { RECORDPROOF_DATA: join(folder, 'data'), ...deadServices }));
    expect(about(fresh, 'key-provider')).toEqual([expect.stringMatching(unusable)]);
  });

  test('a master key version that stored files need and this machine lacks is an error', async () => {
    await using app = await start();
    const path = join(app.config.keysFolder, 'master-keys.json');
    await copyFile(path, `${path}.older`);
    await (await masterKeysOf(app)).addVersion();
    await storeProxied(await app.person('alice'), Buffer.from('sealed'));
    await copyFile(`${path}.older`, path);
    expect(about(await diagnose(app), 'key-provider')).toEqual([
      expect.stringMatching(/^error: the key provider local cannot open data keys of version 2: .*KEY_NOT_FOUND/),
    ]);
  });
});
