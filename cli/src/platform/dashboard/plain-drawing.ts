// The facts of a run of any kind on its screen.
import type { AnyRun } from '@recordproof/shared/api/runs.ts';
import { toCount } from '../units.ts';
import { fact } from './draw.ts';
import type { RunDrawing } from './run-screen.ts';
import { paceText } from './run-texts.ts';

export const toPlainDrawing = (title: string): RunDrawing<AnyRun> => ({
  title,
  items: 'items',
  facts: ({ run, samples }, { progress }) => [
    progress,
    fact('waiting', toCount(run.remainingCount)),
    fact('failed', toCount(run.failedCount), run.failedCount > 0 ? 'bad' : undefined),
    fact('pace', paceText(run, samples)),
  ],
});
