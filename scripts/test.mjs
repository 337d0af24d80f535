// `npm test`: runs the fast tiers (or one named tier) on the repository's own Node and closes with one line of figures.
// With --with-checks, style and types are checked first and count as one test each; with --touched, only what stands
// beside the changes of this branch is run.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
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

const run = (args, more = {}) => spawnSync(node, args, { cwd: root, stdio: 'inherit', ...more }).status ?? 1;

function check(name, args) {
  process.stdout.write(`\n${name} …\n`);
  return run(args) === 0;
}

function runTests(resultFile) {
  const tiers = values.tier ?? ['unit', 'postgres', 'contracts', 'structure', 'vectors', 'journeys'];
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts', '--passWithNoTests'];
  const projects = tiers.flatMap(tier => ['--project', tier]);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${resultFile}`];
  return run([...args, ...projects, ...reporters, ...positionals, ...touched]);
}

/** What was skipped, file by file, and what is missing here that it might have been skipped for. */
function listLeftOut(files) {
  const lines = files.flatMap(({ name, assertionResults }) => {
    const count = assertionResults.filter(({ status }) => status !== 'passed' && status !== 'failed').length;
    return count === 0 ? [] : [`left out: ${count} of ${assertionResults.length} in ${relative(root, name)}`];
  });
  const missing = listMissingPrograms();
  if (lines.length > 0 && missing.length > 0) lines.push(`not installed here: ${missing.join(', ')}`);
  return lines.length === 0 ? [] : ['', ...lines];
}

const folder = mkdtempSync(join(tmpdir(), 'recordproof-test-'));
const resultFile = join(folder, 'results.json');
const checks = values['with-checks']
  ? [
      check('style', ['node_modules/@biomejs/biome/bin/biome', 'check', '.']),
      check('types', ['node_modules/typescript/bin/tsc', '--noEmit', '-p', 'tsconfig.json']),
    ]
  : [];
const status = runTests(resultFile);
const results = existsSync(resultFile) ? JSON.parse(readFileSync(resultFile, 'utf8')) : undefined;
rmSync(folder, { recursive: true, force: true });

const passed = (results?.numPassedTests ?? 0) + checks.filter(Boolean).length;
const brokenFiles = (results?.testResults ?? []).filter(
  file => file.status === 'failed' && file.assertionResults.length === 0,
).length;
let failed = (results?.numFailedTests ?? 0) + brokenFiles + checks.filter(ok => !ok).length;
if (status !== 0 && failed === 0) failed = 1; // the runner itself broke
const skipped = (results?.numPendingTests ?? 0) + (results?.numTodoTests ?? 0);
for (const line of listLeftOut(results?.testResults ?? [])) process.stdout.write(`${line}\n`);
process.stdout.write(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);
