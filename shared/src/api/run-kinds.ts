// The kinds of runs that the app shows and the command line knows, one line each. Their commands are those of
// `recordproof admin <feature>`.
import { backfillRuns } from './backfill.ts';
import { rotationRuns } from './key-rotation.ts';
import type { RunEndpoints } from './runs.ts';

export type ShownKind = {
  readonly runs: RunEndpoints;
  readonly title: { readonly en: string; readonly zh: string };
  /** The commands that start a run; default: start. */
  readonly starts?: readonly string[];
};

export const runKinds = {
  rotation: { runs: rotationRuns, title: { en: 'Key rotation', zh: '密钥轮换' }, starts: ['policy', 'plan', 'start'] },
  backfill: { runs: backfillRuns, title: { en: 'Backfill', zh: '补建' }, starts: ['scan', 'apply'] },
} as const satisfies Readonly<Record<string, ShownKind>>;
