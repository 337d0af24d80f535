// What is said of runs, alike in lines and on the screen.
import type { BackfillRun } from '@recordproof/shared/api/backfill.ts';
import { paceOf, type Samples, secondsLeft } from '../platform/dashboard/pace.ts';
import { toDuration } from '../platform/units.ts';

const inGroups = new Intl.NumberFormat('en');
export const toCount = (count: number): string => inGroups.format(count);

export const doneOf = ({ totalCount, remainingCount }: BackfillRun): number => totalCount - remainingCount;

/** Undefined while it is still looked for what there is to do. */
export const shareOf = (run: BackfillRun): number | undefined =>
  !run.discoveryCompleted ? undefined : run.totalCount === 0 ? 1 : doneOf(run) / run.totalCount;

/** Never 100 % before the end. */
export const toPercent = (share: number): string => `${(Math.floor(share * 1000) / 10).toFixed(1)} %`;

/** How fast, and how much longer; nothing about a run that stands still. */
export function paceText(run: BackfillRun, samples: Samples): string {
  const isMoving = run.status === 'SCANNING' || run.status === 'APPLYING';
  const pace = isMoving ? paceOf(samples) : undefined;
  if (pace === undefined) return '';
  const speed = pace >= 1 ? `${toCount(Math.round(pace))}/s` : `${Math.round(pace * 60)}/min`;
  const left = secondsLeft(run.remainingCount, pace);
  return left === undefined || left === 0 ? speed : `${speed}, ${toDuration(left)} left`;
}

export function runLine(run: BackfillRun, samples: Samples): string {
  const share = shareOf(run);
  const figures =
    share === undefined
      ? `${toCount(run.totalCount)} found so far`
      : `${toPercent(share)}  ${toCount(doneOf(run))} of ${toCount(run.totalCount)}`;
  const failed = run.failedCount === 0 ? '' : `${toCount(run.failedCount)} failed`;
  return [`run ${run.runId}`, run.mode, run.status, figures, paceText(run, samples), failed]
    .filter(text => text !== '')
    .join('  ');
}
