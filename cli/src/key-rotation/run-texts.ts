// What is said of runs, alike in lines and on the screen.
import type { KeyRotationRun } from '@recordproof/shared/api/key-rotation.ts';
import { paceOf, type Samples, secondsLeft } from '../platform/dashboard/pace.ts';
import { toCount, toDuration } from '../platform/units.ts';

export const doneOf = ({ totalCount, remainingCount }: KeyRotationRun): number => totalCount - remainingCount;

/** Undefined while it is still looked for what there is to do. */
export const shareOf = (run: KeyRotationRun): number | undefined =>
  !run.discoveryCompleted ? undefined : run.totalCount === 0 ? 1 : doneOf(run) / run.totalCount;

/** Never 100 % before the end. */
export const toPercent = (share: number): string => `${(Math.floor(share * 1000) / 10).toFixed(1)} %`;

const toPace = (perSecond: number): string =>
  perSecond >= 1 ? `${toCount(Math.round(perSecond))}/s` : `${Math.round(perSecond * 60)}/min`;

export const failuresText = ({ failures }: KeyRotationRun): string =>
  failures.map(({ category, count }) => `${category} ${toCount(count)}`).join(', ');

/** How fast, and how much longer; nothing about a run that stands still. */
export function paceText(run: KeyRotationRun, samples: Samples): string {
  const pace = run.status === 'RUNNING' ? paceOf(samples) : undefined;
  if (pace === undefined) return '';
  const left = secondsLeft(run.remainingCount, pace);
  return [toPace(pace), ...(left === undefined || left === 0 ? [] : [`${toDuration(left)} left`])].join(', ');
}

export function runLine(run: KeyRotationRun, samples: Samples): string {
  const share = shareOf(run);
  const figures =
    share === undefined
      ? `${toCount(run.totalCount)} found so far`
      : `${toPercent(share)}  ${toCount(doneOf(run))} of ${toCount(run.totalCount)}`;
  const failed = run.failedCount === 0 ? '' : `${toCount(run.failedCount)} failed (${failuresText(run)})`;
  return [`run ${run.runId}`, run.status, figures, paceText(run, samples), failed]
    .filter(text => text !== '')
    .join('  ');
}
