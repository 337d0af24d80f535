// The screen of census and marks, as a terminal of a given size shows it.
import { stripVTControlCharacters } from 'node:util';
import type { SweepStatus } from '@recordproof/shared/api/sweep.ts';
import { renderToString } from 'ink';
import { expect, test } from 'vitest';
import { drawSweep, type SweepScene } from './watch-screen.ts';

const status: SweepStatus = {
  markEnabled: true,
  deleteEnabled: false,
  protectionDays: 30,
  census: {
    censusId: '7',
    state: 'COMPLETED',
    phase: 'DONE',
    censusDigest: `sha256:${'a'.repeat(64)}`,
    knownReferenceCount: 123_456,
    unknownHoldCount: 2,
    objectCount: 123_460,
    unreferencedCount: 4,
    unreferencedBytes: 4096,
    foreignCount: 0,
    startedAt: '2026-01-31T12:00:00.000Z',
    completedAt: '2026-01-31T12:01:00.000Z',
  },
  marks: { marked: 3, deleted: 1, retained: 0, failed: 0 },
};

const shownAt = (columns: number, rows: number, change: Partial<SweepScene> = {}): string[] =>
  stripVTControlCharacters(
    renderToString(drawSweep({ status, problem: null, note: null, ...change }, { columns, rows }), { columns }),
  ).split('\n');

test.each([
  [80, 24],
  [60, 14],
])('at %i by %i the screen fits', (columns, rows) => {
  const lines = shownAt(columns, rows);
  expect(lines.length).toBeLessThanOrEqual(rows);
  expect(Math.max(...lines.map(line => line.length))).toBeLessThanOrEqual(columns);
  const text = lines.join('\n');
  expect(text).not.toContain('…');
  for (const part of ['2 holds', 'deleting off', '123456', '4 objects, 4.0 KiB', '3 marked', 'take a census'])
    expect(text).toContain(part);
});

test('a blocked sweep shows the command for the files that block it', () => {
  for (const columns of [80, 60])
    expect(shownAt(columns, 14).join('\n')).toContain('what blocks it: recordproof admin sweep unknown-holds');
});

test('the screen reports a missing census, and the reason for outdated figures', () => {
  const text = shownAt(80, 24, { status: { ...status, census: null }, problem: 'no answer' }).join('\n');
  expect(text).toContain('none yet');
  expect(text).toContain('no answer');
});

test('at 60 by 16 the screen keeps the status line and the keys', () => {
  const status = 'no answer; trying again in 00:04';
  const lines = shownAt(60, 16, { problem: status });
  expect(lines.length).toBeLessThanOrEqual(16);
  expect(lines.at(-2)).toBe(status);
  expect(lines.at(-1)).toContain('q leave');
});
