// `npm run bench [name…]`: runs the benchmarks of test/bench, all or the named ones, one at a time so that none
// disturbs another; saves their figures and compares them with saved ones. test/bench/README.md explains the figures.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { figuresVariable, printTable, toSpread } from '../test/support/bench-figures.ts';
import {
  compareResults,
  parseReported,
  type Results,
  ResultsError,
  readResults,
  toChange,
  toResults,
  writeResults,
} from '../test/support/bench-results.ts';
import { findCommit } from './package/build-commit.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, 'test', 'bench');
const benchmarks = readdirSync(folder)
  .filter(name => name.endsWith('.ts'))
  .map(name => name.slice(0, -'.ts'.length))
  .sort();

const usage = `npm run bench -- [--save NEW.json] [--compare OLD.json] [name…]
npm run bench -- --compare OLD.json --with NEW.json [name…]

  --save FILE      write the figures to FILE
  --compare FILE   print what changed since the figures in FILE
  --with FILE      compare with FILE instead of running benches
  --help           print this text

Benches: ${benchmarks.join(', ')}`;

class UsageError extends Error {}

const isUsageError = (error: unknown): error is Error =>
  error instanceof UsageError || String((error as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS');

function readArguments() {
  const file = { type: 'string' } as const;
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { save: file, compare: file, with: file, help: { type: 'boolean' } },
  });
  const strange = positionals.filter(name => !benchmarks.includes(name));
  if (strange.length > 0)
    throw new UsageError(`There is no bench "${strange.join('", "')}". There are: ${benchmarks.join(', ')}`);
  if (values.with !== undefined && (values.compare === undefined || values.save !== undefined))
    throw new UsageError('--with needs --compare, and runs nothing that --save could write');
  return { ...values, names: positionals.length === 0 ? benchmarks : positionals };
}

function readCommit(): string {
  try {
    return findCommit();
  } catch {
    return 'unknown'; // no clone, or no git
  }
}

/** Saves after each bench, so that a run that ends early keeps what it has. */
function run(names: readonly string[], save: string | undefined): Results {
  const reports = mkdtempSync(join(tmpdir(), 'recordproof-bench-'));
  const benches: Record<string, Results['benches'][string]> = {};
  const results = toResults({
    at: new Date().toISOString(),
    commit: readCommit(),
    node: process.version,
    cores: availableParallelism(),
    benches,
  });
  try {
    if (save !== undefined) writeResults(save, results);
    for (const name of names) {
      console.log(`\n== ${name}`);
      const report = join(reports, name);
      const env = { ...process.env, [figuresVariable]: report };
      const { status } = spawnSync(process.execPath, [join(folder, `${name}.ts`)], { stdio: 'inherit', env });
      if (status !== 0) {
        console.error(`${name} broke off`);
        process.exitCode = 1;
      }
      benches[name] = existsSync(report) ? parseReported(readFileSync(report, 'utf8')) : [];
      if (save !== undefined) writeResults(save, results);
    }
  } finally {
    rmSync(reports, { recursive: true, force: true });
  }
  return results;
}

const describeRun = ({ at, commit, node, cores }: Results): string =>
  `${at}, commit ${commit}, Node ${node}, ${cores} cores`;

function printComparison(before: Results, now: Results, names: readonly string[]): void {
  const { figures, onlyBefore, onlyNow } = compareResults(before, now, names);
  console.log(`\nbefore: ${describeRun(before)}\nnow:    ${describeRun(now)}`);
  for (const [bench, own] of Map.groupBy(figures, figure => figure.bench)) {
    console.log(`\n== ${bench}\n`);
    const rows = own.map(({ name, unit, before, now, verdict }) => {
      const change = toChange(before, now) * 100;
      const percent = Number.isFinite(change)
        ? `${change > 0 ? '+' : ''}${change.toFixed(Math.abs(change) < 10 ? 1 : 0)} %`
        : '';
      return [name, `${toSpread(before)} ${unit}`, `${toSpread(now)} ${unit}`, percent, verdict] as const;
    });
    printTable([['', 'before', 'now', 'change', ''], ...rows]);
  }
  for (const [side, keys] of [['before', onlyBefore] as const, ['now', onlyNow] as const])
    if (keys.length > 0) console.log(`\nonly ${side}:\n${keys.map(key => `  ${key}`).join('\n')}`);
}

try {
  const { help, save, compare, with: other, names } = readArguments();
  if (help) {
    console.log(usage);
  } else {
    const before = compare === undefined ? undefined : readResults(compare); // read first: a run takes long
    const now = other === undefined ? run(names, save) : readResults(other);
    if (before !== undefined) printComparison(before, now, names);
  }
} catch (error) {
  if (!isUsageError(error) && !(error instanceof ResultsError)) throw error;
  console.error(error.message);
  process.exitCode = error instanceof ResultsError ? 65 : 64;
}
