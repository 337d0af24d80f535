// Texts on the progress of runs, for lines and for the screen.
import type { AnyRun } from '@recordproof/shared/api/runs.ts';
import { toCount, toDuration } from '../units.ts';
import { paceOf, type Samples, secondsLeft } from './pace.ts';

export type Run = Omit<AnyRun, 'createdAt' | 'startedAt' | 'completedAt'>;

const movingStatuses: ReadonlySet<string> = new Set(['RUNNING', 'SCANNING', 'APPLYING']);
const unfinishedStatuses: ReadonlySet<string> = new Set(['PLANNED', 'PAUSED', ...movingStatuses]);

export const isOver = ({ status }: Run): boolean => !unfinishedStatuses.has(status);

export const doneOf = ({ totalCount, remainingCount }: Run): number => totalCount - remainingCount;

/** Undefined while items are still being discovered. */
const shareOf = (run: Run): number | undefined =>
  !run.discoveryCompleted ? undefined : run.totalCount === 0 ? 1 : doneOf(run) / run.totalCount;

/** Never 100 % before the end. */
const toPercent = (share: number): string => `${(Math.floor(share * 1000) / 10).toFixed(1)} %`;

type Progress = { readonly share: number; readonly percent: string; readonly done: string };

/** Undefined while items are still being discovered. */
export function progressOf(run: Run): Progress | undefined {
  const share = shareOf(run);
  const done = `${toCount(doneOf(run))} of ${toCount(run.totalCount)}`;
  return share === undefined ? undefined : { share, percent: toPercent(share), done };
}

/** Pace and time left; empty for a run that makes no progress. */
export function paceText(run: Run, samples: Samples): string {
  const pace = movingStatuses.has(run.status) ? paceOf(samples) : undefined;
  if (pace === undefined) return '';
  const speed = pace >= 1 ? `${toCount(Math.round(pace))}/s` : `${Math.round(pace * 60)}/min`;
  const left = secondsLeft(run.remainingCount, pace);
  return left === undefined || left === 0 ? speed : `${speed}, ${toDuration(left)} left`;
}

/** One line; `heading` are the words of the kind of run after its number. */
export function runLine(run: Run, samples: Samples, heading: string, failures = ''): string {
  const progress = progressOf(run);
  const figures =
    progress === undefined ? `${toCount(run.totalCount)} found so far` : `${progress.percent}  ${progress.done}`;
  const failed = run.failedCount === 0 ? '' : `${toCount(run.failedCount)} failed${failures}`;
  return [`run ${run.runId}`, heading, figures, paceText(run, samples), failed].filter(text => text !== '').join('  ');
}
