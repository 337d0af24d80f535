// Progress lines: rates, sizes and times, their width on a terminal, and the plain form.
import { expect, test } from 'vitest';
import { type Overall, toLine, toPlainLine, toWaitLine } from './progress-line.ts';
import { toWidth } from './text-width.ts';
import { parseRate, toDuration, toSize } from './units.ts';

test('rates are parsed with their units, and invalid ones are rejected', () => {
  expect([parseRate('2048'), parseRate('500K'), parseRate('2.5mb'), parseRate('1GB')]).toEqual([
    2048, 512_000, 2_621_440, 1_073_741_824,
  ]);
  for (const text of ['', '0', '1000', '-5K', '5 M', '5P', 'fast']) expect(() => parseRate(text)).toThrow();
});

test('sizes and times are abbreviated', () => {
  expect([0, 1023, 1024, 1_572_864, 4_294_967_296].map(toSize)).toEqual([
    '0 B',
    '1023 B',
    '1.0 KiB',
    '1.5 MiB',
    '4.0 GiB',
  ]);
  expect([5, 65, 3725].map(toDuration)).toEqual(['00:05', '01:05', '1:02:05']);
});

test('a progress line fits the terminal and contains no control characters', () => {
  const progress = { phase: 'sending', totalBytes: 1000, bytesHashed: 1000, bytesMoved: 250 } as const;
  const rest = { bytesPerSecond: 100, etaSeconds: 8, retries: 1 };
  const line = toLine(`evil\u001b[2J${'x'.repeat(200)}`, { ...progress, ...rest }, 100);
  expect(line.length).toBeLessThan(100);
  expect(line).not.toContain('\u001b');
  expect(line).toContain(' 25 %  [=====               ]');
  expect(line).toContain('1 retry');
});

test('wide characters count as two columns, combining marks as none', () => {
  expect(['abc', '中文', 'e\u0301', '😀', 'ｆｕｌｌ', 'ﾊﾝ', '한글', ''].map(toWidth)).toEqual([3, 4, 1, 2, 8, 2, 4, 0]);
});

test.each([20, 60, 80, 100, 200])('a name in wide characters never wraps the line at %i columns', columns => {
  const progress = { phase: 'sending', totalBytes: 1e9, bytesHashed: 1e9, bytesMoved: 5e8 } as const;
  const rest = { bytesPerSecond: 1e6, etaSeconds: 500, retries: 12 };
  const line = toLine(`目录/${'很长的文件名'.repeat(20)}.bin`, { ...progress, ...rest }, columns);
  expect(toWidth(line)).toBeLessThan(columns);
});

test('a narrow line omits the bar first, and keeps the figures complete', () => {
  const progress = { phase: 'sending', totalBytes: 4e8, bytesHashed: 4e8, bytesMoved: 2e8 } as const;
  const line = toLine('a-rather-long-name.bin', { ...progress, bytesPerSecond: 4e7, etaSeconds: 5, retries: 0 }, 80);
  expect(line).not.toContain('[');
  expect(line).toMatch(/ {2}50 % {2}191 MiB of 381 MiB {2}38\.1 MiB\/s {2}00:05 {2}sending$/);
});

const overall: Overall = { files: 200, filesDone: 57, bytes: 3e9, bytesDone: 1.2e9, bytesPerSecond: 2e7 };

test.each([80, 120])(
  'for many files the line at %i columns shows the files, bytes and remaining time of all files',
  columns => {
    const progress = { phase: 'sending', totalBytes: 4e8, bytesHashed: 4e8, bytesMoved: 2e8 } as const;
    const one = { ...progress, bytesPerSecond: 9, etaSeconds: 5, retries: 0 };
    const line = toLine('photos/2026/IMG_0057.jpg', one, columns, overall);
    expect(toWidth(line)).toBeLessThan(columns);
    expect(line).toMatch(/IMG_0057\.jpg {2}57\/200 {3}40 %/);
    expect(line).toMatch(/1\.1 GiB of 2\.8 GiB {2}19\.1 MiB\/s {2}01:30 {2}sending$/);
  },
);

test('a very narrow line omits figures as a whole', () => {
  const all: Overall = { files: 2000, filesDone: 1234, bytes: 1e9, bytesDone: 1e9 - 1, bytesPerSecond: 1e9 };
  const one = { phase: 'sending', totalBytes: 4e8, bytesHashed: 4e8, bytesMoved: 2e8 } as const;
  const shown = (columns: number): string =>
    toLine('invoices/a rather long name.pdf', { ...one, bytesPerSecond: 9, etaSeconds: 5, retries: 0 }, columns, all);
  expect(shown(100)).toMatch(/sending$/);
  expect(shown(80)).toMatch(/ 99 % {2}954 MiB of 954 MiB {2}954 MiB\/s {2}00:01$/);
  expect(shown(50)).toMatch(/ {2}1234\/2000 {3}99 % {2}sending$/);
  expect(shown(40)).toMatch(/ {2}1234\/2000 {3}99 %$/);
});

test('with unknown sizes the line counts files, and shows no percentage', () => {
  const progress = { phase: 'receiving', totalBytes: 10, bytesHashed: 0, bytesMoved: 5 } as const;
  const unknown = { ...overall, bytes: undefined };
  const line = toLine('a', { ...progress, bytesPerSecond: 0, etaSeconds: undefined, retries: 0 }, 80, unknown);
  expect(line).toContain('57/200  1.1 GiB  19.1 MiB/s  receiving');
  expect(line).not.toContain('%');
});

test('a wait line shows the reason, and the remaining minutes of all files', () => {
  const wait = { why: 'rate-limit', perMinute: 20, until: new Date(2026, 0, 31, 22, 31, 5) } as const;
  expect(toWaitLine(wait, overall)).toBe(
    '57/200  waiting for the rate limit (20 per minute), until 22:31:05, 8 min left',
  );
  const busy = { ...wait, why: 'busy', perMinute: undefined } as const;
  expect(toWaitLine(busy, { ...overall, files: 1 })).toBe('waiting for the server, which is busy, until 22:31:05');
});

test('without a terminal a line shows the same in words', () => {
  expect(toPlainLine(overall)).toBe('57 of 200 files, 40 %, 1.1 GiB of 2.8 GiB, 19.1 MiB/s, 01:30');
});
