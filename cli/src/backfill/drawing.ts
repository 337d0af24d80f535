// Dashboard content of a backfill: progress, counts, pace, and the reasons of the findings.
import type { BackfillRun } from '@recordproof/shared/api/backfill.ts';
import type { ReactNode } from 'react';
import { fact, line } from '../platform/dashboard/draw.ts';
import type { RunDrawing } from '../platform/dashboard/run-screen.ts';
import { paceText } from '../platform/dashboard/run-texts.ts';
import { toCount } from '../platform/units.ts';

/** Height without the list of reasons, of which at least one is shown. */
const otherRows = 11;

export const drawing: RunDrawing<BackfillRun> = {
  title: 'backfill',
  items: 'records',
  facts: ({ run, samples }, { columns, rows, progress }) => [
    progress,
    fact('waiting', toCount(run.remainingCount)),
    ...(run.mode === 'APPLY' ? [fact('backfilled', toCount(run.backfilledCount), 'good')] : []),
    fact('failed', toCount(run.failedCount), run.failedCount > 0 ? 'bad' : undefined),
    fact('pace', paceText(run, samples)),
    ...reasonLines(run, Math.max(1, rows - otherRows), columns),
  ],
};

const countColumn = 10;

/** The most frequent first; if there is no space for all, the number of the others. */
function reasonLines({ reasons }: BackfillRun, most: number, room: number): ReactNode[] {
  const shown = reasons.length <= most ? reasons : reasons.slice(0, most - 1);
  const widest = Math.max(...shown.map(({ reason }) => reason.length));
  const lines = shown.map(({ reason, classification, count }) => {
    const text = `${toCount(count).padStart(countColumn)}  ${reason.padEnd(widest)}   ${classification}`;
    const isFine = classification === 'BACKFILLABLE' || classification === 'ALREADY_MANIFEST';
    return line(text.slice(0, room), isFine ? 'good' : undefined);
  });
  const others = reasons.length - shown.length;
  return others === 0 ? lines : [...lines, line(`${`+${others}`.padStart(countColumn)}  other reasons`)];
}
