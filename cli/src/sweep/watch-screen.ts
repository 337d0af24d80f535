// Full-screen dashboard of census and marks: c takes a census, q quits.
import type { Client } from '@recordproof/shared/api/client.ts';
import { getSweepStatus, type SweepStatus, takeCensus } from '@recordproof/shared/api/sweep.ts';
import type { ReactNode } from 'react';
import { fact, keyLine, line, panel, stack } from '../platform/dashboard/draw.ts';
import type { Size } from '../platform/dashboard/screen.ts';
import { toNote, watchOnScreen as watch } from '../platform/dashboard/watch.ts';
import { writeData } from '../platform/output.ts';
import type { Waits } from '../platform/waits.ts';
import { censusNote, censusRows, marksText, statusLine, switchesText } from './tables.ts';

export type SweepScene = {
  readonly status: SweepStatus;
  readonly problem: string | null;
  readonly note: string | null;
};

const widest = 100;

export function drawSweep({ status, problem, note }: SweepScene, { columns }: Size): ReactNode {
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
    line(problem ?? note ?? (census === null ? '' : censusNote(census)), problem === null ? undefined : 'warning'),
    keyLine([
      { key: 'c', does: 'take a census' },
      { key: 'q', does: 'leave' },
    ]),
  );
}

type Watching = { readonly client: Client; readonly waits: Waits; readonly everyMs: number };

/** The last state remains as a line. */
export async function watchOnScreen({ client, waits, everyMs }: Watching): Promise<void> {
  const { status } = await watch<SweepStatus, SweepScene>({
    ...{ waits, everyMs, draw: drawSweep },
    read: signal => client.call(getSweepStatus, { signal }),
    first: status => ({ status, problem: null, note: null }),
    next: (scene, status) => ({ ...scene, status, note: status.census?.state === 'RUNNING' ? scene.note : null }),
    press: (scene, key) =>
      key === 'c'
        ? { scene, outcome: toNote(client.call(takeCensus), ({ censusId }) => `census ${censusId} is under way`) }
        : undefined,
  });
  writeData(statusLine(status));
}
