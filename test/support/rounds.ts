// What every bench does: the same work in turns, so that a busy machine is busy for all of them, and medians.

export const median = (values: readonly number[]): number =>
  [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN;

/** What each one measured in each round; one after the other within a round, never at once. */
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

/** Names to the left, figures to the right. */
export function printTable(rows: readonly (readonly [name: string, ...figures: string[]])[]): void {
  const widths = rows.reduce<number[]>(
    (widest, row) => row.map((cell, at) => Math.max(cell.length, widest[at] ?? 0)),
    [],
  );
  for (const row of rows) {
    const cells = row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)));
    console.log(`  ${cells.join('  ')}`);
  }
}

/** `median (lowest to highest)`. */
export const toSpread = (values: readonly number[], digits = 0): string =>
  `${median(values).toFixed(digits)} (${Math.min(...values).toFixed(digits)} to ${Math.max(...values).toFixed(digits)})`;
