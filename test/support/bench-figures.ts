// Figures of a bench: medians and spreads, printed as text and, for `npm run bench -- --save`, reported as data.
import { appendFileSync } from 'node:fs';
import { basename } from 'node:path';
import { isThere } from '../../scripts/test-programs.mjs';
import type { Figure } from './bench-results.ts';

/** The file to which a bench started by `npm run bench` appends its figures, one JSON text a line. */
export const figuresVariable = 'BENCH_FIGURES';

export type Measured = {
  readonly name: string;
  readonly unit: string;
  /** One for each round, or one in all. */
  readonly samples: readonly number[] | number;
  /** By the unit when left out: more per second is better, less of anything else. */
  readonly better?: Figure['better'];
  /** The reference's samples from the same rounds, in the same unit. */
  readonly references?: Readonly<Record<string, readonly number[] | number>>;
  /** Printed after the figure: a limit, for example. */
  readonly note?: string;
};

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** The samples of each side in each round; sides run one after the other within a round, never concurrently. */
export async function inTurns<N extends string>(
  rounds: number,
  contenders: Readonly<Record<N, () => Promise<number>>>,
): Promise<Record<N, number[]>> {
  const names = Object.keys(contenders) as N[];
  const measured = Object.fromEntries(names.map(name => [name, [] as number[]])) as Record<N, number[]>;
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) measured[name].push(await contenders[name]());
  }
  return measured;
}

/** Milliseconds of each of that many calls, after one that is not counted. */
export async function timeCalls(rounds: number, work: () => Promise<unknown>): Promise<number[]> {
  await work();
  const { times } = await inTurns(rounds, {
    times: async () => {
      const started = performance.now();
      await work();
      return performance.now() - started;
    },
  });
  return times;
}

/** Names to the left, figures to the right. */
export function printTable(rows: readonly (readonly [name: string, ...figures: string[]])[]): void {
  const widths = rows.reduce<number[]>(
    (widest, row) => row.map((cell, at) => Math.max(cell.length, widest[at] ?? 0)),
    [],
  );
  for (const row of rows) {
    const cells = row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)));
    console.log(`  ${cells.join('  ')}`.trimEnd());
  }
}

/** Three digits, or two of values below 1. */
const toText = (value: number): string =>
  Math.abs(value) < 1 ? value.toPrecision(2) : value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2);

/** `median (lowest to highest)`. */
export function toSpread(values: readonly number[]): string {
  const [least, most] = [Math.min(...values), Math.max(...values)].map(toText);
  return least === most ? `${least}` : `${toText(median(values))} (${least} to ${most})`;
}

const listSamples = (samples: readonly number[] | number): number[] => [samples].flat().filter(Number.isFinite);

/**
 * Ratios within the same round, so that both sides had the same machine; where rounds do not match, to the reference's
 * median.
 */
function listRatios(samples: readonly number[], reference: readonly number[]): number[] {
  const isPaired = samples.length === reference.length;
  return samples
    .map((sample, round) => sample / ((isPaired && reference[round]) || median(reference)))
    .filter(Number.isFinite);
}

/**
 * The figure itself and its ratio to each reference. The group belongs to the name: it says what was measured, and how
 * much of it.
 */
function toFigures(group: string, { name, unit, samples, better, references = {} }: Measured): Figure[] {
  const own = {
    name: `${group}: ${name}`,
    unit,
    better: better ?? (unit.endsWith('/s') ? 'higher' : 'lower'),
    samples: listSamples(samples),
    reference: null,
  };
  const ratios = Object.entries(references).map(([reference, theirs]) => ({
    ...own,
    unit: '×',
    samples: listRatios(own.samples, listSamples(theirs)),
    reference,
  }));
  return [own, ...ratios].filter(figure => figure.samples.length > 0);
}

/** For benches with an output of their own. */
export function reportFigures(group: string, all: readonly Measured[]): Figure[] {
  const figures = all.flatMap(measured => toFigures(group, measured));
  const file = process.env[figuresVariable];
  if (file !== undefined) appendFileSync(file, figures.map(figure => `${JSON.stringify(figure)}\n`).join(''));
  return figures;
}

/** Prints references first, then each figure with its ratios, as medians (lowest to highest). */
export function printFigures(group: string, all: readonly Measured[]): void {
  const figures = reportFigures(group, all);
  const references = new Map(
    all.flatMap(({ unit, references = {} }) =>
      Object.entries(references).map(([name, samples]) => [name, { unit, samples: listSamples(samples) }] as const),
    ),
  );
  const toCell = (samples: readonly number[], unit: string) =>
    samples.length === 0 ? 'not measured' : `${toSpread(samples)} ${unit}`;
  console.log(`\n${group}\n`);
  printTable([
    ...[...references].map(([name, { unit, samples }]) => [name, toCell(samples, unit), '', ''] as const),
    ...all.map(({ name, unit, samples, note = '' }) => {
      const ratios = figures.filter(figure => figure.name === `${group}: ${name}` && figure.reference !== null);
      const texts = ratios.map(({ samples, reference }) => `${toSpread(samples)} × ${reference}`);
      return [name, toCell(listSamples(samples), unit), texts.join(', '), note] as const;
    }),
  ]);
}

/** False, with a message, where one of the programs is not installed: the bench continues without it. */
export function canMeasure(what: string, ...programs: readonly string[]): boolean {
  const missing = [...new Set(programs)].filter(program => !isThere(program)).map(program => basename(program));
  if (missing.length > 0) console.log(`${what}: left out, not installed: ${missing.join(', ')}`);
  return missing.length === 0;
}
