// Every setting of integrity checks, backfills and sweeps under its name: in a file, nested or dotted, and in the environment.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Config, readConfig } from './config.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'recordproof-config-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const withText = async (text: string): Promise<Config> => {
  const path = join(folder, 'recordproof.yaml');
  writeFileSync(path, text);
  return readConfig(['--config', path], {});
};

const toNested = (key: string, value: string): string => {
  const parts = key.split('.');
  const indent = (depth: number) => '  '.repeat(depth);
  return `${parts.map((part, depth) => `${indent(depth)}${part}:`).join('\n')} ${value}\n`;
};

const toVariable = (key: string): string => key.toUpperCase().replaceAll(/[.-]/g, '_');

type Case = readonly [key: string, value: string, read: (config: Config) => unknown, usual: unknown, set: unknown];

const cases: readonly Case[] = [
  ['integrity.check.enabled', 'false', c => c.integrity.enabled, true, false],
  ['integrity.check.schedule.cron', '0 30 4 ? * MON', c => c.integrity.cron, '0 0 2 * * ?', '0 30 4 ? * MON'],
  ['integrity.check.sample-rate', '0.5', c => c.integrity.sampleRate, 0.01, 0.5],
  ['integrity.check.batch-size', '7', c => c.integrity.batchSize, 50, 7],
  ['integrity.check.lock-timeout-seconds', '60', c => c.integrity.lockTimeoutSeconds, 1800, 60],
  ['integrity.check.medium-odds', '0.2', c => c.integrity.odds.medium, 0.09, 0.2],
  ['integrity.check.heavy-odds', '0.2', c => c.integrity.odds.heavy, 0.01, 0.2],
  ['integrity.check.heavy.sample-chunks', '3', c => c.integrity.sampleChunks, 1, 3],
  ['integrity.check.heavy.max-download-bytes', '1000', c => c.integrity.maxDownloadBytes, 83_886_080, 1000],
  ['integrity.scrub.enabled', 'false', c => c.integrity.scrub.enabled, true, false],
  ['integrity.scrub.bytes-per-second', '1MB', c => c.integrity.scrub.bytesPerSecond, 16_777_216, 1_048_576],
  ['integrity.scrub.hours', '22-6', c => c.integrity.scrub.hours, '0-24', '22-6'],
  ['integrity.scrub.within-days', '7', c => c.integrity.scrub.withinDays, 30, 7],
  ['backfill.worker.enabled', 'false', c => c.backfill.workerEnabled, true, false],
  ['backfill.apply.enabled', 'true', c => c.backfill.applyEnabled, false, true],
  ['backfill.page-size', '7', c => c.backfill.pageSize, 100, 7],
  ['backfill.claim-size', '7', c => c.backfill.claimSize, 20, 7],
  ['backfill.max-attempts', '7', c => c.backfill.maxAttempts, 3, 7],
  ['backfill.claim-lease-seconds', '60', c => c.backfill.claimLeaseSeconds, 120, 60],
  ['backfill.run-lease-seconds', '60', c => c.backfill.runLeaseSeconds, 300, 60],
  ['backfill.worker-delay-seconds', '7', c => c.backfill.workerDelaySeconds, 5, 7],
  ['sweep.mark.enabled', 'true', c => c.sweep.markEnabled, false, true],
  ['sweep.delete.enabled', 'true', c => c.sweep.deleteEnabled, false, true],
  ['sweep.protection-window-days', '7', c => c.sweep.protectionDays, 30, 7],
  ['sweep.batch-size', '7', c => c.sweep.batchSize, 20, 7],
  ['sweep.lease-seconds', '60', c => c.sweep.leaseSeconds, 120, 60],
  ['sweep.worker-delay-seconds', '7', c => c.sweep.workerDelaySeconds, 60, 7],
];

test.each(cases)('%s is read from a file and from the environment', async (key, value, read, usual, set) => {
  expect(read(await readConfig([], {}))).toEqual(usual);
  expect(read(await withText(`${key}: ${value}\n`))).toEqual(set);
  expect(read(await withText(toNested(key, value)))).toEqual(set);
  expect(read(await readConfig([], { [toVariable(key)]: value }))).toEqual(set);
});

test('each setting of these features is in the list above', async () => {
  const { integrity, backfill, sweep } = await readConfig([], {});
  const count = (part: object) => Object.keys(part).length;
  const more = count(integrity.odds) - 1 + count(integrity.scrub) - 1; // objects of several settings
  expect(cases).toHaveLength(count(integrity) + more + count(backfill) + count(sweep));
});

test.each(cases)('a misspelled %s is rejected, in a file and in the environment', async key => {
  await expect(withText(`${key}s: 1\n`)).rejects.toThrow(`${key}s`);
  await expect(readConfig([], { [`${toVariable(key)}_X`]: '1' })).rejects.toThrow(`${toVariable(key)}_X`);
});
