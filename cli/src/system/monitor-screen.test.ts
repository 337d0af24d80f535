// The dashboard of the service, as a terminal of a given size shows it.
import { stripVTControlCharacters } from 'node:util';
import type { SystemMonitor } from '@recordproof/shared/api/system.ts';
import { renderToString } from 'ink';
import { expect, test } from 'vitest';
import { addToHistory, drawService, noHistory, type ServiceScene } from './monitor-screen.ts';
import { monitorLine } from './monitor-texts.ts';

const seen: SystemMonitor = {
  time: '2026-01-31T12:00:00.000Z',
  server: { version: '1.2.3', uptimeSeconds: 7384 },
  health: { status: 'DEGRADED', components: { db: 'UP', redis: 'UP', s3Storage: 'UP', outbox: 'DEGRADED' } },
  stats: {
    totalUsers: 12,
    totalFiles: 45_678,
    totalStorage: 9_876_543_210,
    totalTransactions: 50_000,
    todayUploads: 321,
    todayDownloads: 1234,
  },
  chain: {
    blockNumber: 50_123,
    transactionCount: 50_124,
    failedTransactionCount: 0,
    nodeCount: 1,
    chainType: 'LOCAL_LEDGER',
    healthy: true,
    lastUpdateTime: '2026-01-31T12:00:00.000Z',
  },
  attestation: { readyCandidates: 7, claimedCandidates: 1, deadLetterCandidates: 0 },
  alerts: {
    unresolved: 7,
    newest: Array.from({ length: 5 }, (_none, at) => ({
      id: String(17 - at),
      alertType: 'CONTENT_HASH_MISMATCH' as const,
      severity: 'CRITICAL' as const,
      createdAt: '2026-01-31T11:00:00.000Z',
    })),
  },
  conditions: [{ name: 'burn.api-errors', state: 'critical' }],
  installation: {
    requests: 1000,
    failedRequests: 3,
    memoryBytes: 150_000_000,
    cpuSeconds: 12,
    loadAverage: 0.5,
    jobs: { waiting: 11, running: 2, dead: 4 },
    events: { pending: 612, exhausted: 0 },
    sagas: { running: 1, failed: 0, pendingCompensation: 0 },
    storageNodes: [{ node: 'disk', online: true, usagePercent: 41.7 }],
  },
};

const historyOf = (installation: SystemMonitor['installation'] = seen.installation) =>
  [0, 10, 40, 90].reduce(
    (history, more, at) =>
      addToHistory(
        history,
        { ...seen, installation: installation && { ...installation, requests: 1000 + more } },
        at * 1000,
      ),
    noHistory,
  );

const shownAt = (columns: number, rows: number, change: Partial<ServiceScene> = {}): string[] => {
  const scene = { monitor: seen, history: historyOf(), problem: null, ...change };
  return stripVTControlCharacters(renderToString(drawService(scene, { columns, rows }), { columns })).split('\n');
};

test.each([
  [80, 24],
  [120, 40],
  [60, 18],
])('at %i by %i the screen shows health, jobs, storage, ledger and alerts', (columns, rows) => {
  const lines = shownAt(columns, rows);
  expect(lines.length).toBeLessThanOrEqual(rows);
  expect(Math.max(...lines.map(line => line.length))).toBeLessThanOrEqual(columns);
  const text = lines.join('\n');
  for (const part of [
    'DEGRADED',
    'outbox DEGRADED, 3 up',
    '30.0 calls a second, 3 failed',
    'jobs 11, events 612, sagas 1',
    '45,678 files',
    '321 uploads, 1,234 downloads',
    '1 of 1 node online, 42 % used',
    'LOCAL_LEDGER, height 50,123',
    '7 integrity, burn.api-errors',
    'q leave',
  ])
    expect(text).toContain(part);
});

test('a large screen shows the history and names the newest alerts', () => {
  const text = shownAt(120, 40).join('\n');
  expect(text).toMatch(/[▁▂▃▄▅▆▇]█/);
  expect(text).toContain('17  CONTENT_HASH_MISMATCH  CRITICAL  2026-01-31 11:00');
});

test('an administrator of one of several tenants sees its own figures, and which are hidden', () => {
  const alone = { ...seen, installation: null };
  const text = shownAt(80, 24, { monitor: alone, history: historyOf(null) }).join('\n');
  expect(text).toContain('of all tenants: not shown');
  expect(text).toContain('0 transfers a minute');
  expect(text).not.toMatch(/jobs 11|load 0\.50/);
  expect(monitorLine(alone)).not.toContain('jobs');
  const small = { ...alone, stats: { ...alone.stats, totalUsers: 1, totalFiles: 1 } };
  expect(monitorLine(small)).toContain('1 file, 9.2 GiB, 1 user;');
});

test('an outage is shown in the status line, and the line has the same figures as the screen', () => {
  expect(shownAt(80, 24, { problem: 'no answer; trying again in 2 s' }).join('\n')).toContain('trying again in 2 s');
  expect(monitorLine(seen)).toBe(
    'DEGRADED; outbox DEGRADED, 3 up; 45,678 files, 9.2 GiB, 12 users; today 321 uploads, 1,234 downloads; proofs 8 wait; ' +
      'jobs 11, events 612, sagas 1, 4 dead jobs; alerts 7 integrity, burn.api-errors critical',
  );
});

test('the vouchers of the ledger are shown, the worst first, if there are any', () => {
  const target = { vouchedSize: 90, lagEntries: 0, lagSeconds: 0, failures: 0 };
  const vouched = {
    ...seen,
    vouchers: {
      'one.example+aa': target,
      rfc3161: { ...target, lagEntries: 1, lagSeconds: 42 },
      two: { ...target, failures: 7 },
    },
  };
  expect(monitorLine(seen)).not.toContain('vouchers');
  expect(monitorLine(vouched)).toContain(
    'vouchers two up to date, 7 failures; rfc3161 1 entry behind for 00:42; 1 up to date;',
  );
  for (const [columns, rows] of [
    [80, 24],
    [60, 19],
  ] as const) {
    const lines = shownAt(columns, rows, { monitor: vouched });
    expect(lines.length).toBeLessThanOrEqual(rows);
    expect(lines.join('\n')).toContain('two up to date, 7 failures');
  }
  const sound = { ...seen, vouchers: { one: target, two: target } };
  expect(monitorLine(sound)).toContain('vouchers all 2 are up to date');
});

test('at 60 by 16 the screen keeps the status line and the keys', () => {
  const target = { vouchedSize: 90, lagEntries: 1, lagSeconds: 42, failures: 0 };
  const status = 'no answer; trying again in 00:04';
  const lines = shownAt(60, 16, { monitor: { ...seen, vouchers: { rfc3161: target } }, problem: status });
  expect(lines.length).toBeLessThanOrEqual(16);
  expect(lines.at(-2)).toBe(status);
  expect(lines.at(-1)).toContain('q leave');
});
