// The schema steps V1, which built the schema up to commit 25e89feb. V2.0 creates the same tables in one step each, so a
// database that has all steps V1 gets the rows of V2.0 in their place, and no table changes (decision 0403).
import { createHash } from 'node:crypto';
import type { Engine } from './open-db.ts';

/** SHA-256 of the sorted names, and of the names with their checksums. */
const namesDigest = '72d3046fef7a368545a4449ea1eb79a6013efc5fe0a2c5287f31d46a06f414a3';
const stepsDigest: Readonly<Record<Engine, string>> = {
  sqlite: '7a999e7023b947588d8dd682bc56ef740491c8a38895a11648bf43a793279dd5',
  postgres: 'c926c5b4a061463330dd4160944b6fe112a05e6d83636361d7886ae3358c6044',
};

const digestOf = (lines: readonly string[]): string =>
  createHash('sha256').update(lines.toSorted().join('\n')).digest('hex');

export const isEarlier = (name: string): boolean => name.startsWith('V1.');

/** Whether the step creates tables that the earlier steps have created, too. */
export const isStart = (name: string): boolean => name.startsWith('V2.0.');

/** None, all, or a part of the earlier steps; a part also with others among them. */
export function classifyEarlierSteps(names: Iterable<string>): 'none' | 'all' | 'part' {
  const earlier = [...names].filter(isEarlier);
  if (earlier.length === 0) return 'none';
  return digestOf(earlier) === namesDigest ? 'all' : 'part';
}

/** Whether the checksums of all earlier steps are those of commit 25e89feb. */
export function areUnchanged(checksums: ReadonlyMap<string, string>, engine: Engine): boolean {
  const steps = [...checksums].filter(([name]) => isEarlier(name)).map(([name, checksum]) => `${name} ${checksum}`);
  return digestOf(steps) === stepsDigest[engine];
}
