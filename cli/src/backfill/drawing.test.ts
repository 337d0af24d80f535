// The screen of a backfill, as a terminal of a given size shows it.
import { stripVTControlCharacters } from 'node:util';
import type { BackfillRun } from '@recordproof/shared/api/backfill.ts';
import { renderToString } from 'ink';
import { expect, test } from 'vitest';
import { drawRunWith, type RunScene as Scene } from '../platform/dashboard/run-screen.ts';
import { drawing } from './drawing.ts';

type RunScene = Scene<BackfillRun>;
const drawRun = drawRunWith(drawing);

const run: BackfillRun = {
  runId: '7',
  mode: 'SCAN',
  status: 'SCANNING',
  snapshotRunId: null,
  snapshotDigest: null,
  discoveryCompleted: true,
  totalCount: 10_000,
  remainingCount: 4_000,
  backfilledCount: 0,
  failedCount: 3,
  reasons: [
    { classification: 'BACKFILLABLE', reason: 'CONTENT_PROVEN', count: 5_000 },
    { classification: 'REUPLOAD_REQUIRED', reason: 'OBJECT_MISSING', count: 900 },
    { classification: 'REUPLOAD_REQUIRED', reason: 'CONTENT_HASH_MISMATCH', count: 97 },
    { classification: 'FAILED', reason: 'STORE_UNAVAILABLE', count: 3 },
  ],
  workerEnabled: true,
  failure: null,
  createdAt: '2026-01-31T12:00:00.000Z',
  startedAt: '2026-01-31T12:00:01.000Z',
  completedAt: null,
};

const samples = [
  { at: 0, done: 5_900 },
  { at: 1000, done: 5_950 },
  { at: 2000, done: 6_000 },
];
const scene: RunScene = { run, samples, problem: null, note: null };

const shownAt = (columns: number, rows: number, change: Partial<RunScene> = {}): string[] =>
  stripVTControlCharacters(renderToString(drawRun({ ...scene, ...change }, { columns, rows }), { columns })).split(
    '\n',
  );

test('at 80 by 24 the screen shows progress, pace and findings', () => {
  const lines = shownAt(80, 24);
  expect(lines.length).toBeLessThanOrEqual(24);
  expect(Math.max(...lines.map(line => line.length))).toBeLessThanOrEqual(80);
  for (const part of [
    'backfill 7   SCAN   SCANNING',
    '60.0 %   6,000 of 10,000',
    'waiting     4,000',
    'failed      3',
    '50/s, 01:20 left',
    '5,000  CONTENT_PROVEN          BACKFILLABLE',
    '97  CONTENT_HASH_MISMATCH   REUPLOAD_REQUIRED',
    'p pause   r resume   q leave',
  ])
    expect(lines.join('\n')).toContain(part);
});

test('on a small terminal the screen shows the most frequent reasons and the number of others', () => {
  const lines = shownAt(44, 13);
  expect(lines.length).toBeLessThanOrEqual(13);
  expect(Math.max(...lines.map(line => line.length))).toBeLessThanOrEqual(44);
  for (const part of ['60.0 %', 'CONTENT_PROVEN', '+3  other reasons', 'q leave'])
    expect(lines.join('\n')).toContain(part);
});

test('during discovery the screen shows no percentage, and an outage is shown in the status line', () => {
  const looking = shownAt(80, 24, { run: { ...run, discoveryCompleted: false } }).join('\n');
  expect(looking).toContain('looking for records: 10,000 so far');
  expect(looking).not.toContain('%');
  expect(shownAt(80, 24, { problem: 'no answer; trying again in 00:04' }).join('\n')).toContain('no answer');
});

test('at 60 by 16 the screen keeps the status line and the keys', () => {
  const status = 'no answer; trying again in 00:04';
  const lines = shownAt(60, 16, { problem: status });
  expect(lines.length).toBeLessThanOrEqual(16);
  expect(lines.at(-2)).toBe(status);
  expect(lines.at(-1)).toContain('q leave');
});
