// Dashboard content of a key rotation: target, progress, counts, failures and pace.
import type { KeyRotationRun } from '@recordproof/shared/api/key-rotation.ts';
import { fact, line, sparkline } from '../platform/dashboard/draw.ts';
import { pacesOf } from '../platform/dashboard/pace.ts';
import type { RunDrawing } from '../platform/dashboard/run-screen.ts';
import { paceText } from '../platform/dashboard/run-texts.ts';
import { printable, toMinute } from '../platform/output.ts';
import { toCount } from '../platform/units.ts';
import { keyText } from './tables.ts';

const nameColumn = 12;
/** Without failures by category; on a lower terminal the empty lines and the sparkline are left out. */
const rowsOfAll = 17;

export const drawing: RunDrawing<KeyRotationRun> = {
  title: 'key rotation',
  items: 'envelopes',
  facts({ run, samples }, { columns, rows, progress }) {
    const failures = run.failures.map(({ category, count }) => fact('', `${category} ${toCount(count)}`, 'bad'));
    const isLow = rows < rowsOfAll;
    const gap = isLow ? [] : [line('')];
    return [
      fact('target', printable(keyText(run))),
      fact('started', `${run.startedAt === null ? 'not yet' : toMinute(run.startedAt)}   policy ${run.policyVersion}`),
      ...gap,
      progress,
      ...gap,
      fact('moved', toCount(run.succeededCount), 'good'),
      fact('skipped', toCount(run.skippedCount)),
      fact('waiting', toCount(run.remainingCount)),
      fact('failed', toCount(run.failedCount), run.failedCount > 0 ? 'bad' : undefined),
      ...failures.slice(0, Math.max(0, rows - rowsOfAll)),
      fact('pace', paceText(run, samples)),
      ...(isLow ? [] : [fact('', sparkline(pacesOf(samples), columns - nameColumn))]),
    ];
  },
};
