// Results of benches: the file of `npm run bench -- --save`, and the changes between two of them beyond noise.
import { readFileSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { median } from './bench-figures.ts';

const formatVersion = 1;

const figureSchema = z.strictObject({
  name: z.string().min(1),
  unit: z.string().min(1),
  better: z.enum(['lower', 'higher']),
  samples: z.array(z.number()).min(1),
  /** The reference of the ratios, in the same rounds; null for absolute figures. */
  reference: z.string().min(1).nullable(),
});

export type Figure = Readonly<z.infer<typeof figureSchema>>;

const resultsSchema = z.strictObject({
  format: z.literal('recordproof-bench'),
  version: z.literal(formatVersion),
  at: z.iso.datetime(),
  commit: z.string().min(1),
  node: z.string().min(1),
  cores: z.int().min(1),
  benches: z.record(z.string(), z.array(figureSchema)),
});

export type Results = Readonly<z.infer<typeof resultsSchema>>;

export class ResultsError extends Error {}

const versionSchema = z.object({ format: z.literal('recordproof-bench'), version: z.number() });

function parseJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ResultsError(`${name} is not JSON. Save it again with: npm run bench -- --save ${name}`);
  }
}

function toWhy(error: z.ZodError): string {
  const [issue] = error.issues;
  return `${issue?.path.join('.') || 'the file'}: ${issue?.message ?? 'invalid'}`;
}

export function parseResults(text: string, name: string): Results {
  const json = parseJson(text, name);
  const version = versionSchema.safeParse(json);
  if (version.success && version.data.version !== formatVersion)
    throw new ResultsError(
      `${name} has version ${version.data.version}, this program reads version ${formatVersion}. Save it again with: npm run bench -- --save ${name}`,
    );
  const results = resultsSchema.safeParse(json);
  if (!results.success) throw new ResultsError(`${name} is not a result of npm run bench: ${toWhy(results.error)}`);
  return results.data;
}

export function readResults(path: string): Results {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new ResultsError(`${path} cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
  return parseResults(text, path);
}

export const toResults = (run: Omit<Results, 'format' | 'version'>): Results => ({
  format: 'recordproof-bench',
  version: formatVersion,
  ...run,
});

export function writeResults(path: string, results: Results): void {
  try {
    writeFileSync(path, `${JSON.stringify(results, null, 1)}\n`);
  } catch (error) {
    throw new ResultsError(`${path} cannot be written: ${(error as NodeJS.ErrnoException).code}`);
  }
}

/** The figures that a bench has reported, one JSON text a line. */
export const parseReported = (lines: string): Figure[] =>
  lines
    .split('\n')
    .filter(line => line !== '')
    .map(line => figureSchema.parse(JSON.parse(line)));

export type Verdict = 'better' | 'worse' | 'noise' | 'too few samples' | 'see ratio';

/** These are independent of the machine. */
const counts: readonly string[] = ['statements', 'commits', 'rows', 'bytes'];
const leastChange = 0.03;
const leastSamples = 3;
const leastForRanks = 5;
const leastDeviation = 2.5;

const areApart = (one: readonly number[], other: readonly number[]): boolean =>
  Math.max(...one) < Math.min(...other) || Math.max(...other) < Math.min(...one);

/**
 * The rank test of Mann and Whitney, in standard deviations: the distance from samples of one distribution; ties share
 * a rank.
 */
export function rankDeviation(one: readonly number[], other: readonly number[]): number {
  const total = one.length + other.length;
  const groups = Map.groupBy(
    [...one, ...other].toSorted((left, right) => left - right),
    value => value,
  );
  const ranks = new Map<number, number>();
  let below = 0;
  let ties = 0;
  for (const [value, { length }] of groups) {
    ranks.set(value, below + (length + 1) / 2);
    below += length;
    ties += length ** 3 - length;
  }
  const sum = one.reduce((all, value) => all + (ranks.get(value) ?? 0), 0);
  const product = one.length * other.length;
  const distance = Math.abs(sum - (one.length * (total + 1)) / 2) - 0.5;
  const deviation = Math.sqrt((product / 12) * (total + 1 - ties / (total * (total - 1))));
  return deviation === 0 ? 0 : Math.max(0, distance) / deviation;
}

/** Growth of the median: 0.1 is a tenth more. */
export function toChange(before: readonly number[], now: readonly number[]): number {
  const [old, current] = [median(before), median(now)];
  return old === current ? 0 : current / old - 1;
}

/** The rule is described in test/bench/README.md. */
export function judge(before: Figure, now: Figure): Verdict {
  const change = toChange(before.samples, now.samples);
  const fewest = Math.min(before.samples.length, now.samples.length);
  if (fewest < leastSamples && !counts.includes(now.unit)) return 'too few samples';
  if (Math.abs(change) < leastChange) return 'noise';
  const isChange =
    fewest < leastForRanks
      ? areApart(before.samples, now.samples)
      : rankDeviation(before.samples, now.samples) >= leastDeviation;
  if (!isChange) return 'noise';
  return change > 0 === (now.better === 'higher') ? 'better' : 'worse';
}

export type Compared = {
  readonly bench: string;
  readonly name: string;
  readonly unit: string;
  readonly before: readonly number[];
  readonly now: readonly number[];
  readonly verdict: Verdict;
};

export type Comparison = {
  readonly figures: readonly Compared[];
  /** Names of figures that one side lacks. */
  readonly onlyBefore: readonly string[];
  readonly onlyNow: readonly string[];
};

const toName = ({ name, reference }: Figure): string => (reference === null ? name : `${name} × ${reference}`);

const toKeyed = (
  benches: Results['benches'],
  names: readonly string[],
): Map<string, { bench: string; figure: Figure }> =>
  new Map(
    Object.entries(benches)
      .filter(([bench]) => names.includes(bench))
      .flatMap(([bench, figures]) =>
        figures.map(figure => [`${bench}: ${toName(figure)} (${figure.unit})`, { bench, figure }] as const),
      ),
  );

/** Figures of the named benches. An absolute figure with a ratio on both sides is represented by the ratio. */
export function compareResults(before: Results, now: Results, names: readonly string[]): Comparison {
  const [old, current] = [toKeyed(before.benches, names), toKeyed(now.benches, names)];
  const shared = [...current].flatMap(([key, { bench, figure }]) => {
    const was = old.get(key)?.figure;
    return was === undefined ? [] : [{ bench, was, figure }];
  });
  const hasRatio = (bench: string, { name }: Figure) =>
    shared.some(one => one.bench === bench && one.figure.name === name && one.figure.reference !== null);
  return {
    figures: shared.map(({ bench, was, figure }) => ({
      bench,
      name: toName(figure),
      unit: figure.unit,
      before: was.samples,
      now: figure.samples,
      verdict: figure.reference === null && hasRatio(bench, figure) ? 'see ratio' : judge(was, figure),
    })),
    onlyBefore: [...old.keys()].filter(key => !current.has(key)),
    onlyNow: [...current.keys()].filter(key => !old.has(key)),
  };
}
