// The selftest: it passes on a sound installation, names each part that fails, and leaves nothing behind.
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import type { TestApp } from '../../../../test/support/app.ts';
import { findFreePort } from '../../../../test/support/child-process.ts';
import { eachApp } from '../../../../test/support/each-app.ts';
import { stopPostgres } from '../../../../test/support/postgres.ts';
import { databaseOf, type Ended, runServerCommand } from '../../../../test/support/run-server-command.ts';
import { startSmtpServer } from '../../../../test/support/smtp-server.ts';
import { listTraces } from '../../../../test/support/traces.ts';
import { storeProxied } from '../../../../test/support/uploads.ts';
import { type Config, readConfig } from '../../config/config.ts';
import { systemClock } from '../../platform/clock.ts';
import { checkClock } from './check-clock.ts';
import { checkMail } from './check-services.ts';
import { type Report, toText } from './report.ts';
import { runSelftest } from './selftest.ts';

const cleaners: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const clean of cleaners.splice(0).reverse()) await clean();
});
afterAll(stopPostgres);

type Env = Readonly<Record<string, string>>;

const configOf = (app: TestApp, more: Env = {}): Promise<Config> =>
  readConfig([], { RECORDPROOF_DATA: app.folder, RECORDPROOF_RESERVE_BYTES: '0', ...databaseOf(app), ...more });

const withStatus = ({ checks }: Report, wanted: string): string[] =>
  checks.filter(({ status }) => status === wanted).map(({ name }) => name);

const run = (app: TestApp, args: readonly string[] = [], env: Env = {}): Promise<Ended> =>
  runServerCommand(['selftest', ...args], { RECORDPROOF_DATA: app.folder, ...databaseOf(app), ...env }).ended;

const work = ['disk', 'database', 'object-store', 'store', 'prove', 'verify', 'damage', 'key-provider'];

/** The scratch installations that lie in the data folder. */
const listScratch = ({ folder }: TestApp): string[] => {
  const area = join(folder, 'selftest');
  return existsSync(area) ? readdirSync(area) : [];
};

/** Kills a selftest as soon as its scratch installation has a database. */
async function killInTheMiddle(app: TestApp): Promise<void> {
  const { child, ended } = runServerCommand(['selftest'], { RECORDPROOF_DATA: app.folder, ...databaseOf(app) });
  const hasBegun = () =>
    listScratch(app).some(name => existsSync(join(app.folder, 'selftest', name, 'recordproof.db')));
  while (child.exitCode === null && !hasBegun()) await new Promise(resolve => setTimeout(resolve, 1));
  child.kill('SIGKILL');
  await ended;
  expect(listScratch(app)).toHaveLength(1);
}

eachApp(start => {
  test('the selftest passes with and without a running server, and leaves nothing behind', {
    tags: 'long-on-postgres',
  }, async () => {
    await using app = await start();
    await storeProxied(await app.person('alice'), randomBytes(3000));
    await app.drain();
    const beside = await runSelftest(await configOf(app));
    expect(beside).toMatchObject({ isWorking: true, profile: 'server', database: app.config.db.kind, objects: 'disk' });
    expect(withStatus(beside, 'ok')).toEqual(expect.arrayContaining(work));
    expect(withStatus(beside, 'skipped')).toEqual(expect.arrayContaining(['mail', 'redis', 'rabbitmq']));
    expect(beside.durationMs).toBeLessThan(60_000);

    await app.app[Symbol.asyncDispose]();
    const before = await listTraces(app.config);
    const { code, out, err } = await run(app);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^RecordProof 0.*\nprofile server, database \w+, objects disk, keys local\n/);
    expect(out).toMatch(/\nall \d+ checks passed in \d+\.\d s, \d+ skipped\n$/);
    expect(await listTraces(app.config)).toEqual(before);
  });

  test('each failing part is reported with a remedy and without secrets', { tags: 'long' }, async () => {
    await using app = await start();
    await storeProxied(await app.person('alice'), randomBytes(3000));
    await app.drain();
    const port = await findFreePort();
    const services = {
      SMTP_URL: `smtp://mailer:hunter-one@127.0.0.1:${port}`,
      RECORDPROOF_MAIL_FROM: 'no-reply@example.org',
      REDIS_URL: `redis://:hunter-two@127.0.0.1:${port}`,
      RABBITMQ_URL: `amqp://events:hunter-three@127.0.0.1:${port}`,
    };
    await rename(join(app.folder, 'keys', 'master-keys.json'), join(app.folder, 'master-keys.json'));
    const { code, out } = await run(app, ['--json'], services);
    const report = JSON.parse(out) as Report;
    const parts = ['key-provider', 'mail', 'redis', 'rabbitmq'];
    expect({ code, failed: withStatus(report, 'failed') }).toEqual({ code: 1, failed: parts });
    for (const word of ['master-keys.json', 'SMTP_URL', 'REDIS_URL', 'RABBITMQ_URL']) expect(out).toContain(word);
    expect(toText(report)).toMatch(/\n4 of 12 checks failed in .*: key-provider, mail, redis, rabbitmq\n$/);
    expect(out).not.toMatch(/hunter/);

    const full = await runSelftest({ ...(await configOf(app)), reserveBytes: 2 ** 60 });
    expect(withStatus(full, 'failed')).toEqual(expect.arrayContaining(['disk']));
    expect(withStatus(full, 'skipped')).toEqual(expect.arrayContaining(['store', 'object-store']));

    const config = await configOf(app);
    const behind = { now: () => app.clock.now() - 86_400_000 };
    expect(await checkClock(config, behind)).toMatchObject({ status: 'failed' });
    const ahead = { now: () => systemClock.now() + 3_600_000 };
    const status = app.config.db.kind === 'postgres' ? 'failed' : 'skipped';
    expect(await checkClock(config, ahead)).toMatchObject({ status });
  });

  test('a test mail is sent only if an address is given', { tags: 'long-on-postgres' }, async () => {
    await using app = await start();
    await using smtp = await startSmtpServer();
    const mail = { SMTP_URL: `smtp://127.0.0.1:${smtp.port}?tls=off`, RECORDPROOF_MAIL_FROM: 'no-reply@example.org' };
    const config = await configOf(app, mail);
    expect(await checkMail(config, undefined)).toMatchObject({ status: 'ok' });
    expect(smtp.received).toEqual([]);
    expect(await checkMail(config, 'ops@example.org')).toMatchObject({ status: 'ok' });
    expect(smtp.received).toMatchObject([{ to: ['ops@example.org'], email: { subject: 'RecordProof: test mail' } }]);
    expect(await checkMail(await configOf(app), 'ops@example.org')).toMatchObject({ status: 'failed' });
  });

  test('objects left by a killed selftest are removed by the next one and by a running server', {
    tags: 'long',
  }, async () => {
    await using app = await start();
    await killInTheMiddle(app);
    expect(withStatus(await runSelftest(await configOf(app)), 'failed')).toEqual([]);
    expect(listScratch(app)).toEqual([]);
    await killInTheMiddle(app);
    app.clock.advance(3_700_000);
    await app.drain();
    expect(listScratch(app)).toEqual([]);
    expect(existsSync(join(app.folder, 'objects', 'selftest'))).toBe(false);
  });
});
