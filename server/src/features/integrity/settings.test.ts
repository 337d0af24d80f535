// @module-tag long-on-postgres
// Settings under `integrity.check`: sources, bounds, drawn levels, schedule and sampling.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startApp, startOfTests, type TestApp } from '../../../../test/support/app.ts';
import { listAuditRows } from '../../../../test/support/audit-rows.ts';
import { pattern } from '../../../../test/support/bytes.ts';
import { sendFile } from '../../../../test/support/uploads.ts';
import { readConfig } from '../../config/config.ts';
import { openCron } from '../../platform/jobs/cron.ts';
import { drawLevel } from './schedule.ts';

test('every setting is read from a file or from the environment, within its bounds', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'recordproof-'));
  const path = join(folder, 'config.yaml');
  await writeFile(path, 'integrity:\n  check:\n    enabled: false\n    sample-rate: 0.5\n    heavy.sample-chunks: 3\n');
  const env = {
    RECORDPROOF_DATA: folder,
    INTEGRITY_CHECK_SCHEDULE_CRON: '0 30 4 ? * MON',
    INTEGRITY_CHECK_BATCH_SIZE: '1000',
    INTEGRITY_CHECK_LOCK_TIMEOUT_SECONDS: '60',
    INTEGRITY_CHECK_HEAVY_MAX_DOWNLOAD_BYTES: '1MB',
    INTEGRITY_CHECK_MEDIUM_ODDS: '0.5',
    INTEGRITY_CHECK_HEAVY_ODDS: '0.5',
  };
  expect((await readConfig([], { RECORDPROOF_DATA: folder })).integrity).toEqual({
    enabled: true,
    cron: '0 0 2 * * ?',
    sampleRate: 0.01,
    batchSize: 50,
    lockTimeoutSeconds: 1800,
    odds: { medium: 0.09, heavy: 0.01 },
    sampleChunks: 1,
    maxDownloadBytes: 83_886_080,
    scrub: { enabled: true, bytesPerSecond: 16_777_216, hours: '0-24', withinDays: 30 },
  });
  expect((await readConfig(['--config', path], env)).integrity).toMatchObject({
    enabled: false,
    cron: '0 30 4 ? * MON',
    sampleRate: 0.5,
    batchSize: 1000,
    lockTimeoutSeconds: 60,
    odds: { medium: 0.5, heavy: 0.5 },
    sampleChunks: 3,
  });
  for (const [name, value] of [
    ['INTEGRITY_CHECK_SCHEDULE_CRON', 'daily'],
    ['INTEGRITY_CHECK_BATCH_SIZE', '0'],
    ['INTEGRITY_CHECK_BATCH_SIZE', '1001'],
    ['INTEGRITY_CHECK_SAMPLE_RATE', '1.5'],
    ['INTEGRITY_CHECK_HEAVY_ODDS', '0.6'],
    ['INTEGRITY_CHECK_BATCHSIZE', '5'],
    ['INTEGRITY_SCRUB_HOURS', '22-25'],
    ['INTEGRITY_SCRUB_HOURS', '7-7'],
    ['INTEGRITY_SCRUB_BYTES_PER_SECOND', '0'],
    ['INTEGRITY_SCRUB_WITHIN_DAYS', '0'],
  ] as const)
    await expect(readConfig([], { ...env, [name]: value })).rejects.toThrow(
      /INTEGRITY_(CHECK|SCRUB)|integrity\.(check|scrub)/,
    );
  await rm(folder, { recursive: true });
});

test('the levels are drawn with the configured odds', () => {
  const odds = { medium: 0.09, heavy: 0.01 };
  const drawn = Array.from({ length: 1000 }, (_, nth) => drawLevel(odds, nth / 1000));
  const count = (level: string) => drawn.filter(each => each === level).length;
  expect(['LIGHTWEIGHT', 'MEDIUM', 'HEAVY'].map(count)).toEqual([900, 90, 10]);
});

const always = { INTEGRITY_CHECK_SAMPLE_RATE: '1', INTEGRITY_CHECK_MEDIUM_ODDS: '0', INTEGRITY_CHECK_HEAVY_ODDS: '1' };

async function listChecks({ app }: TestApp) {
  const rows = await listAuditRows(app.database.db, { operation_type: 'check' });
  return rows.map(row => JSON.parse(row.request_param) as { totalChecked: number; level: string });
}

async function startWithFiles(env: Readonly<Record<string, string>>, files: number): Promise<TestApp> {
  const app = await startApp({ env });
  const alice = await app.person('alice');
  for (let nth = 0; nth < files; nth += 1) await sendFile(alice, await pattern(100, nth), `${nth}.txt`);
  return app;
}

const untilTwo = openCron('0 0 2 * * ?')(startOfTests) - startOfTests;

test('by default a check runs at two in the morning, once a day', async () => {
  await using app = await startWithFiles(always, 2);
  app.clock.advance(untilTwo - 60_000);
  await app.drain();
  expect(await listChecks(app)).toEqual([]);
  app.clock.advance(61_000);
  await app.drain();
  const nightly = { totalChecked: 2, mismatchesFound: 0, errorsEncountered: 0, level: 'HEAVY' };
  expect(await listChecks(app)).toEqual([nightly]);
  app.clock.advance(60_000);
  await app.drain();
  expect(await listChecks(app)).toHaveLength(1);
  app.clock.advance(24 * 3600_000);
  await app.drain();
  expect(await listChecks(app)).toHaveLength(2);
});

test('the cron setting changes the time, and a sample rate of zero checks no files', async () => {
  const env = { ...always, INTEGRITY_CHECK_SCHEDULE_CRON: '0 */10 * * * ?', INTEGRITY_CHECK_SAMPLE_RATE: '0' };
  await using app = await startWithFiles(env, 2);
  app.clock.advance(600_000);
  await app.drain();
  expect(await listChecks(app)).toMatchObject([{ totalChecked: 0, level: 'HEAVY' }]);
});

test('a disabled check does not run', async () => {
  await using app = await startWithFiles({ ...always, INTEGRITY_CHECK_ENABLED: 'false' }, 1);
  app.clock.advance(untilTwo + 60_000);
  await app.drain();
  expect(await listChecks(app)).toEqual([]);
});
