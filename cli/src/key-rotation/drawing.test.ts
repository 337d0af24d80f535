// The screen of a key rotation, as a terminal of a given size shows it.
import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import type { KeyRotationRun } from '@recordproof/shared/api/key-rotation.ts';
import { renderToString } from 'ink';
import { expect, test } from 'vitest';
import { drawRunWith, type RunScene as Scene } from '../platform/dashboard/run-screen.ts';
import { openScreen, ScreenQuit } from '../platform/dashboard/screen.ts';
import { drawing } from './drawing.ts';

type RunScene = Scene<KeyRotationRun>;
const drawRun = drawRunWith(drawing);

const run: KeyRotationRun = {
  runId: '7',
  requestId: 'start',
  mode: 'APPLY',
  status: 'RUNNING',
  policyVersion: 3,
  provider: 'local',
  providerContract: 1,
  providerKeyVersion: '2',
  discoveryCompleted: true,
  totalCount: 100_000,
  succeededCount: 45_000,
  skippedCount: 198,
  remainingCount: 54_790,
  failedCount: 12,
  retryableCount: 10,
  failures: [
    { category: 'THROTTLED', count: 10 },
    { category: 'KEY_NOT_FOUND', count: 2 },
  ],
  failureCategory: null,
  createdAt: '2026-01-31T12:00:00.000Z',
  startedAt: '2026-01-31T12:00:01.000Z',
  completedAt: null,
};

const scene: RunScene = {
  run,
  samples: [
    { at: 0, done: 45_200 },
    { at: 1000, done: 45_205 },
    { at: 2000, done: 45_210 },
  ],
  problem: null,
  note: null,
};

const shownAt = (columns: number, rows: number, change: Partial<RunScene> = {}): string[] =>
  stripVTControlCharacters(renderToString(drawRun({ ...scene, ...change }, { columns, rows }), { columns })).split(
    '\n',
  );

test('at 80 by 24 the screen shows progress, pace, remaining time and failures', () => {
  const lines = shownAt(80, 24);
  expect(lines.length).toBeLessThanOrEqual(24);
  expect(Math.max(...lines.map(line => line.length))).toBeLessThanOrEqual(80);
  const text = lines.join('\n');
  for (const part of [
    'key rotation 7   APPLY   RUNNING',
    'local (contract 1), version 2',
    '45.2 %   45,210 of 100,000',
    'moved       45,000',
    'waiting     54,790',
    'failed      12',
    'THROTTLED 10',
    'KEY_NOT_FOUND 2',
    '5/s, 3:02:38 left',
    'p pause   r resume   q leave',
  ])
    expect(text).toContain(part);
});

test('a small terminal shows state, progress, failures and keys', () => {
  const lines = shownAt(44, 14);
  expect(lines.length).toBeLessThanOrEqual(14);
  expect(Math.max(...lines.map(line => line.length))).toBeLessThanOrEqual(44);
  for (const part of ['RUNNING', '45.2 %', 'failed      12', 'q leave']) expect(lines.join('\n')).toContain(part);
});

test('during discovery the screen shows no percentage, and an outage is shown in the status line', () => {
  const looking = shownAt(80, 24, { run: { ...run, discoveryCompleted: false } }).join('\n');
  expect(looking).toContain('looking for envelopes: 100,000 so far');
  expect(looking).not.toContain('%');
  const lost = shownAt(80, 24, { problem: 'no answer; trying again in 00:04' });
  expect(lost).toContain('no answer; trying again in 00:04');
});

/** A terminal that Ink can write to and read keys from. */
function openStreams() {
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 24 });
  const raw: boolean[] = [];
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (mode: boolean) => raw.push(mode),
    ref: () => undefined,
    unref: () => undefined,
  });
  let written = '';
  stdout.on('data', part => (written += part));
  return { stdout, stdin, raw, written: () => written };
}

const aborted = (signal: AbortSignal): Promise<unknown> =>
  new Promise(resolve => {
    if (signal.aborted) resolve(signal.reason);
    else signal.addEventListener('abort', () => resolve(signal.reason));
  });

test.each([
  ['q', (reason: unknown) => reason instanceof ScreenQuit],
  ['\x03', (reason: unknown) => (reason as { ending?: string }).ending === 'interrupted'],
] as const)('keys reach the handler; %j leaves the screen and restores the terminal', async (key, isRight) => {
  const streams = openStreams();
  const keys: string[] = [];
  let reason: unknown;
  {
    const pressed = Promise.withResolvers<void>();
    await using screen = openScreen(one => {
      keys.push(one);
      pressed.resolve();
    }, streams);
    screen.show(size => drawRun(scene, size));
    await expect.poll(streams.written, { timeout: 120_000 }).toContain('45.2 %');
    streams.stdin.write('p');
    await pressed.promise;
    streams.stdin.write(key);
    reason = await aborted(screen.signal);
  }
  expect(keys).toEqual(['p']);
  expect(isRight(reason)).toBe(true);
  expect([streams.raw.at(0), streams.raw.at(-1)]).toEqual([true, false]);
  const [, screen = ''] = streams.written().split('\x1b[?1049h');
  expect(screen.indexOf('\x1b[H'), 'drawn from the top').toBeLessThan(screen.indexOf('45.2 %'));
  expect(screen).toContain('\x1b[H');
  expect(streams.written().lastIndexOf('\x1b[?1049l')).toBeGreaterThan(streams.written().lastIndexOf('\x1b[?1049h'));
});

test('at 60 by 16 the screen keeps the status line and the keys', () => {
  const status = 'no answer; trying again in 00:04';
  const lines = shownAt(60, 16, { problem: status });
  expect(lines.length).toBeLessThanOrEqual(16);
  expect(lines.at(-2)).toBe(status);
  expect(lines.at(-1)).toContain('q leave');
});
