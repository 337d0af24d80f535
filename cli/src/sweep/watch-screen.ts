// Census and marks on a screen of its own: c takes a census, q leaves.
import type { Client } from '@recordproof/shared/api/client.ts';
import { getSweepStatus, type SweepStatus, takeCensus } from '@recordproof/shared/api/sweep.ts';
import type { ReactNode } from 'react';
import { fact, keyLine, line, panel, stack } from '../platform/dashboard/draw.ts';
import { follow, lostText, openBell } from '../platform/dashboard/follow.ts';
import { openScreen, ScreenLeft, type Size } from '../platform/dashboard/screen.ts';
import { toFailure } from '../platform/failure.ts';
import { listenForInterrupts } from '../platform/interrupts.ts';
import { printable, writeData } from '../platform/output.ts';
import { toWaitText, type Waits } from '../platform/waits.ts';
import { censusRows, marksText, statusLine, switchesText } from './tables.ts';

export type SweepScene = {
  readonly status: SweepStatus;
  readonly trouble: string | null;
  readonly note: string | null;
};

const widest = 100;

export function drawSweep({ status, trouble, note }: SweepScene, { columns }: Size): ReactNode {
  const { census, marks } = status;
  const rows = census === null ? [['census', 'none yet']] : censusRows(census);
  const isBlocked = (census?.unknownHoldCount ?? 0) > 0;
  return stack(
    panel(
      Math.min(columns, widest),
      line(`sweep   ${switchesText(status)}`, 'strong'),
      ...rows.map(([what = '', value = '']) => fact(what, value, what === 'unknown' && isBlocked ? 'bad' : undefined)),
      fact('marks', marksText(status), marks.failed > 0 ? 'bad' : undefined),
    ),
    line(trouble ?? note ?? '', trouble === null ? undefined : 'warning'),
    keyLine([
      { key: 'c', does: 'take a census' },
      { key: 'q', does: 'leave' },
    ]),
  );
}

type Watching = { readonly client: Client; readonly waits: Waits; readonly everyMs: number };

/** What there was to see last stays behind as a line. */
export async function watchOnScreen({ client, waits, everyMs }: Watching): Promise<void> {
  using interrupts = listenForInterrupts();
  const read = (signal: AbortSignal) => client.call(getSweepStatus, { signal });
  // Asked before the screen opens, so that what is wrong from the start is said as it is everywhere.
  let scene: SweepScene = { status: await read(interrupts.signal), trouble: null, note: null };
  {
    const bell = openBell();
    await using screen = openScreen(key => void act(key));
    const show = (change: Partial<SweepScene>): void => {
      scene = { ...scene, ...change };
      screen.show(size => drawSweep(scene, size));
    };
    const act = async (key: string): Promise<void> => {
      if (key !== 'c') return;
      const note = await client.call(takeCensus).then(
        ({ censusId }) => `census ${censusId} is taken`,
        error => printable(toFailure(error, '').message),
      );
      show({ note });
      bell.ring();
    };
    using _waits = waits.showBy(wait => show({ trouble: toWaitText(wait) }));
    show({});
    const signal = AbortSignal.any([interrupts.signal, screen.signal]);
    try {
      for await (const look of follow({ read, everyMs, signal, bell }))
        show(look.kind === 'seen' ? { status: look.value, trouble: null } : { trouble: lostText(look) });
    } catch (error) {
      if (!(error instanceof ScreenLeft)) throw error;
    }
  }
  writeData(statusLine(scene.status));
}
