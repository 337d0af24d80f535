// `npm test`: runs the short tests of the fast tiers on the repository's own Node and closes with one line of figures.
// `--tier long` runs the long tests of all tiers; of another tier or of named files, every test is run. With --with-checks,
// style and types are checked first and count as one test each; with --touched, only the tests beside the changes of this
// branch are run. A few files that fail are run once more, alone, as a diagnosis: the run stays red.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { compileCache } from '../shared/src/node/launch/bundle.mjs';
import { listMissingPrograms } from './test-programs.mjs';
import { listChanged, listTestsBeside, listTouched } from './touched-tests.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const node = join(root, 'node_modules/node/bin/node');

const { values, positionals } = parseArgs({
  options: {
    tier: { type: 'string', multiple: true },
    touched: { type: 'boolean', default: false },
    'with-checks': { type: 'boolean', default: false },
  },
  allowPositionals: true,
});

const touched = values.touched ? listTouched(listChanged(root), listTestsBeside(root)) : [];
if (values.touched && touched.length === 0) {
  process.stdout.write('no test stands beside what was changed since main; "npm test" runs them all\n');
  process.exit(0);
}

const fastTiers = ['unit', 'postgres', 'contracts', 'structure', 'vectors', 'journeys'];

/** See test/support/long-tests.ts. */
function chooseLength() {
  if (positionals.length > 0 || values.touched) return 'all';
  return { '': 'short', long: 'long' }[values.tier?.join() ?? ''] ?? 'all';
}

// Hundreds of processes are started: each finds what it loads stripped of types and compiled already.
const env = { ...process.env, NODE_COMPILE_CACHE: compileCache, TEST_LENGTH: chooseLength() };
const run = args => spawnSync(node, args, { cwd: root, stdio: 'inherit', env }).status ?? 1;

function check(name, args) {
  process.stdout.write(`\n${name} …\n`);
  return { name, isGreen: run(args) === 0 };
}

function runTests(resultFile, only) {
  const tiers = env.TEST_LENGTH === 'long' ? [...fastTiers, 'long'] : (values.tier ?? fastTiers);
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts', '--passWithNoTests'];
  const projects = tiers.flatMap(tier => ['--project', tier]);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${resultFile}`];
  const files = only.length > 0 ? only : [...positionals, ...touched];
  return run([...args, ...projects, ...reporters, ...files]);
}

/** Tests of one file that were skipped although the run includes them, as far as their tags tell. */
function listSkipped({ name, assertionResults }) {
  const isOfLongTier = relative(root, name).startsWith('test/long/');
  const isIncluded = {
    all: () => true,
    short: tags => tags.length === 0,
    long: tags => isOfLongTier || tags.includes('long'),
  }[env.TEST_LENGTH];
  return assertionResults.filter(({ status, tags }) => status !== 'passed' && status !== 'failed' && isIncluded(tags));
}

/** What was skipped, file by file, and what is missing here that it might have been skipped for. */
function listLeftOut(files) {
  const lines = files.flatMap(file => {
    const count = listSkipped(file).length;
    return count === 0 ? [] : [`left out: ${count} of ${file.assertionResults.length} in ${relative(root, file.name)}`];
  });
  const missing = listMissingPrograms();
  if (lines.length > 0 && missing.length > 0) lines.push(`not installed here: ${missing.join(', ')}`);
  return lines.length === 0 ? [] : ['', ...lines];
}

/** What one run came to: its files, and how many of their tests passed, failed and were left out. */
function countTests(only = []) {
  const folder = mkdtempSync(join(tmpdir(), 'recordproof-test-'));
  const resultFile = join(folder, 'results.json');
  const status = runTests(resultFile, only);
  const results = existsSync(resultFile) ? JSON.parse(readFileSync(resultFile, 'utf8')) : {};
  rmSync(folder, { recursive: true, force: true });
  const files = results.testResults ?? [];
  const red = files.filter(file => file.status === 'failed');
  const unread = red.filter(file => file.assertionResults.length === 0).length; // it broke before its first test
  const failed = (results.numFailedTests ?? 0) + unread;
  return {
    files,
    red: [...new Set(red.map(({ name }) => relative(root, name)))],
    passed: results.numPassedTests ?? 0,
    failed: status !== 0 && failed === 0 ? 1 : failed, // then the runner itself broke
    skipped: files.flatMap(listSkipped).length,
  };
}

/** Where the time of a whole run goes. */
function listSlowest({ files }) {
  const isWhole = positionals.length === 0 && touched.length === 0;
  const slowest = files
    .map(({ name, startTime, endTime }) => ({ name: relative(root, name), seconds: (endTime - startTime) / 1000 }))
    .sort((one, other) => other.seconds - one.seconds);
  const sum = slowest.reduce((total, { seconds }) => total + seconds, 0);
  const lines = slowest.slice(0, 10).map(({ name, seconds }) => `slow: ${seconds.toFixed(0)} s ${name}`);
  return isWhole ? ['', ...lines, `all files together: ${sum.toFixed(0)} s`] : [];
}

const maxDiagnosed = 5;

/** Tells failures that need other work on the machine, or other tests, from those that do not. They stay failures. */
function diagnose({ red }) {
  const isWhole = positionals.length === 0 && touched.length === 0;
  if (!isWhole || red.length === 0 || red.length > maxDiagnosed) return [];
  process.stdout.write(`\nfor diagnosis, alone: ${red.join(', ')}\n`);
  const again = countTests(red);
  return red.map(name => `${again.red.includes(name) ? 'fails alone too' : 'failed, but passes alone'}: ${name}`);
}

const checks = values['with-checks']
  ? [
      check('style', ['node_modules/@biomejs/biome/bin/biome', 'check', '.']),
      check('types', ['node_modules/typescript/bin/tsc', '--noEmit', '-p', 'tsconfig.json']),
    ]
  : [];
const first = countTests();
const lines = diagnose(first);

const redChecks = checks.filter(({ isGreen }) => !isGreen);
const passed = first.passed + checks.length - redChecks.length;
const failed = first.failed + redChecks.length;
const redLines = redChecks.map(({ name }) => `failed before the first test: ${name} (told above)`);
for (const line of [...listSlowest(first), ...listLeftOut(first.files), ...lines, ...redLines])
  process.stdout.write(`${line}\n`);
const { skipped } = first;
process.stdout.write(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);
