// Results of `npm run bench`, saved and compared: the file format, and the rule that separates changes from noise.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { figuresVariable, reportFigures } from '../support/bench-figures.ts';
import {
  compareResults,
  type Figure,
  judge,
  parseReported,
  type Results,
  readResults,
  toResults,
  writeResults,
} from '../support/bench-results.ts';

const folder = mkdtempSync(join(tmpdir(), 'recordproof-bench-'));
afterAll(() => rmSync(folder, { recursive: true }));
const pathOf = (name: string): string => join(folder, name);

const figure = (samples: readonly number[], more: Partial<Figure> = {}): Figure => ({
  ...{ name: 'a page', unit: 'ms', better: 'lower', reference: null },
  ...more,
  samples: [...samples],
});
const resultsOf = (...figures: Figure[]): Results =>
  toResults({
    ...{ at: '2026-11-23T20:00:00.000Z', commit: '0123456789ab', node: 'v26.10.0', cores: 2 },
    benches: { pages: figures },
  });
const around = (middle: number, count = 9): number[] =>
  Array.from({ length: count }, (_, at) => middle * (0.98 + (0.04 * at) / (count - 1)));

test.each<[string, Partial<Figure>, number[], number[], ReturnType<typeof judge>]>([
  ['nothing', {}, [100, 101, 102], [100, 101, 102], 'noise'],
  ['three samples apart, less time', {}, [100, 104, 108], [80, 84, 88], 'better'],
  ['three samples apart, more time', {}, [80, 84, 88], [100, 104, 108], 'worse'],
  [
    'three samples apart, a higher rate',
    { unit: 'files/s', better: 'higher' },
    [80, 84, 88],
    [100, 104, 108],
    'better',
  ],
  ['a lower ratio of rates', { unit: '×', better: 'higher' }, [0.8, 0.81, 0.82], [0.5, 0.51, 0.52], 'worse'],
  ['three samples that overlap', {}, [100, 104, 120], [80, 84, 101], 'noise'],
  ['apart, by less than 3 %', {}, [100, 100.1, 100.2], [102, 102.1, 102.2], 'noise'],
  ['two samples on one side', {}, [100, 101], [50, 51, 52], 'too few samples'],
  ['a single time', {}, [100], [50], 'too few samples'],
  ['a single count', { unit: 'statements' }, [22], [10], 'better'],
  ['the same count', { unit: 'statements' }, [22], [22], 'noise'],
  ['a count that was zero', { unit: 'rows' }, [0], [2], 'worse'],
  ['counts that overlap', { unit: 'commits' }, [5, 7], [6, 9], 'noise'],
  ['five samples, all apart', {}, [1, 2, 3, 4, 5], [6, 7, 8, 9, 10], 'worse'],
  ['five samples, one of them not apart', {}, [1, 2, 3, 4, 6], [5, 7, 8, 9, 10], 'noise'],
  ['nine samples with one outlier', {}, [...around(100, 8), 300], around(80), 'better'],
  ['nine samples of one spread', {}, around(100), around(101), 'noise'],
  ['nine equal counts', { unit: 'statements' }, Array(9).fill(4), Array(9).fill(2), 'better'],
  ['nine mostly equal counts', { unit: 'statements' }, [4, 4, 4, 4, 4, 4, 4, 4, 5], Array(9).fill(4), 'noise'],
])('%s is classified', (_, more, before, now, verdict) => {
  expect(judge(figure(before, more), figure(now, more))).toBe(verdict);
});

test('a ratio to the reference is compared instead of the time, and figures of only one run are listed', () => {
  const ratio = { unit: '×', reference: 'openssl' };
  const before = resultsOf(figure([10, 11, 12]), figure([2, 2.1, 2.2], ratio), figure([1], { name: 'gone' }));
  const now = resultsOf(figure([30, 31, 32]), figure([2, 2.1, 2.3], ratio), figure([1], { name: 'new' }));
  const { figures, onlyBefore, onlyNow } = compareResults(before, now, ['pages']);
  expect(figures.map(({ name, verdict }) => [name, verdict])).toEqual([
    ['a page', 'see ratio'],
    ['a page × openssl', 'noise'],
  ]);
  expect([onlyBefore, onlyNow]).toEqual([['pages: gone (ms)'], ['pages: new (ms)']]);
  expect(compareResults(before, now, ['others'])).toEqual({ figures: [], onlyBefore: [], onlyNow: [] });
});

test('a bench reports figures and the ratios of each round, and omits what it could not measure', () => {
  process.env[figuresVariable] = pathOf('reported');
  const measured = { unit: 'MiB/s', samples: [10, 20] };
  reportFigures('1 GiB', [
    { ...measured, name: 'sent', references: { nginx: [20, 80], tus: 5, openssl: [Number.NaN, Number.NaN] } },
    { name: 'beside it', unit: 'ms', samples: Number.NaN },
  ]);
  delete process.env[figuresVariable];
  const own = { name: '1 GiB: sent', unit: 'MiB/s', better: 'higher', samples: [10, 20], reference: null };
  expect(parseReported(readFileSync(pathOf('reported'), 'utf8'))).toEqual([
    own,
    { ...own, unit: '×', samples: [0.5, 0.25], reference: 'nginx' },
    { ...own, unit: '×', samples: [2, 4], reference: 'tus' },
  ]);
});

test('saved results are read again unchanged', () => {
  const results = resultsOf(figure([1, 2, 3]));
  writeResults(pathOf('saved.json'), results);
  expect(readResults(pathOf('saved.json'))).toEqual(results);
  expect(() => writeResults(pathOf('none/saved.json'), results)).toThrow('saved.json cannot be written: ENOENT');
});

const whole = resultsOf(figure([1]));
test.each<[string, string, string]>([
  ['cut', '{"format":', 'is not JSON'],
  ['of another version', JSON.stringify({ ...whole, version: 2 }), 'has version 2, this program reads version 1'],
  ['of something else', '{"version":1}', 'is not a result of npm run bench: format'],
  ['without samples', JSON.stringify(resultsOf(figure([]))), 'benches.pages.0.samples'],
  ['with a field too many', JSON.stringify({ ...whole, more: 1 }), 'is not a result of npm run bench: the file'],
])('a file %s is rejected with the reason', (name, text, message) => {
  writeFileSync(pathOf(`${name}.json`), text);
  expect(() => readResults(pathOf(`${name}.json`))).toThrow(message);
});

const script = fileURLToPath(new URL('../../scripts/bench.ts', import.meta.url));
test.each<[number, string, string[]]>([
  [0, 'npm run bench -- [--save NEW.json]', ['--help']],
  [64, '--wish', ['--wish']],
  [64, 'no bench "nothing"', ['nothing']],
  [64, '--with needs --compare', ['--with', 'a.json']],
  [65, 'none.json cannot be read: ENOENT', ['--compare', pathOf('none.json')]],
  [65, 'is not JSON', ['--compare', pathOf('cut.json')]],
  [0, 'start\n', ['--compare', pathOf('old.json'), '--with', pathOf('new.json'), 'start']],
])('the program exits with %i and reports %s', (code, said, args) => {
  const old = { ...whole, benches: { start: [figure([100, 104, 108])] } };
  writeResults(pathOf('old.json'), old);
  writeResults(pathOf('new.json'), { ...whole, benches: { start: [figure([80, 84, 88])], seal: [] } });
  writeFileSync(pathOf('cut.json'), '{');
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], { encoding: 'utf8' });
  expect(stdout + stderr).toContain(said);
  expect(status).toBe(code);
  if (args.includes('--with') && code === 0)
    expect(stdout).toMatch(/a page +104 \(100 to 108\) ms +84\.0 \(80\.0 to 88\.0\) ms +-19 % +better/);
});

test('benches report missing programs and are skipped, and the run continues', {
  tags: 'long',
  timeout: 120_000,
}, () => {
  const benches = ['upload', 'download', 'two-servers', 'app'];
  const env = { ...process.env, PATH: folder, CHROMIUM: undefined };
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...benches], { env, encoding: 'utf8' });
  for (const [bench, missing] of [
    ['uploads', 'curl'],
    ['downloads', 'curl'],
    ['two servers', 'redis-server, setpriv'],
    ['the app', 'chromium'],
  ])
    expect(stdout).toContain(`${bench}: left out, not installed: ${missing}\n`);
  expect(stderr).not.toContain('broke off');
  expect(status).toBe(0);
});
