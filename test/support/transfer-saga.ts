// A saga for tests: three steps that each leave one effect, exactly once, and can be undone.
import type { Db } from '@recordproof/server/platform/db/tables.ts';
import { defineSaga, type Saga } from '@recordproof/server/platform/saga/saga.ts';
import { noteEffect } from './effects.ts';

export type TransferData = { readonly done?: readonly string[] | undefined; readonly undone?: readonly string[] };

export type CrashTiming = 'before' | 'after';

/** `at` is called before and after the effect of each step (`take`) or its undoing (`undo take`). */
export function transferSaga(
  db: Db,
  at: (step: string, crashPoint: CrashTiming) => void = () => {},
  more: Partial<Saga<TransferData>> = {},
): Saga<TransferData> {
  const step = (name: string) => ({
    name,
    run: async (run: Parameters<Saga<TransferData>['steps'][number]['run']>[0]) => {
      at(name, 'before');
      const done = run.data.done ?? [];
      await db.transaction().execute(async tx => {
        await run.assertFence(tx);
        if (done.includes(name)) return;
        await noteEffect(tx, name);
        await run.save(tx, { done: [...done, name] });
      });
      at(name, 'after');
    },
    compensate: async (run: Parameters<Saga<TransferData>['steps'][number]['run']>[0]) => {
      at(`undo ${name}`, 'before');
      const undone = run.data.undone ?? [];
      await db.transaction().execute(async tx => {
        await run.assertFence(tx);
        if (undone.includes(name) || !run.data.done?.includes(name)) return;
        await noteEffect(tx, `undo ${name}`);
        await run.save(tx, { undone: [...undone, name] });
      });
      at(`undo ${name}`, 'after');
    },
  });
  return defineSaga<TransferData>({ kind: 'transfer', steps: ['take', 'carry', 'give'].map(step), ...more });
}
