// A run on a screen of its own: how far, how fast, and what was found; p and r hold it and let it go on.

import { type BackfillRun, pauseBackfill, resumeBackfill } from '@recordproof/shared/api/backfill.ts';
import type { Client } from '@recordproof/shared/api/client.ts';
import type { ReactNode } from 'react';
import { bar, fact, keyLine, line, panel, stack } from '../platform/dashboard/draw.ts';
import { type Samples, withSample } from '../platform/dashboard/pace.ts';
import type { Size } from '../platform/dashboard/screen.ts';
import { toNote, watchOnScreen as watch } from '../platform/dashboard/watch.ts';
import { printable, writeData } from '../platform/output.ts';
import type { Waits } from '../platform/waits.ts';
import { isOver, readRun } from './find-run.ts';
import { doneOf, paceText, runLine, shareOf, toCount, toPercent } from './run-texts.ts';

export type RunScene = {
  readonly run: BackfillRun;
  readonly samples: Samples;
  /** What stands in the way of newer figures. */
  readonly trouble: string | null;
  /** What came of the last key. */
  readonly note: string | null;
};

const widest = 100;
const bordersAndPadding = 4;
/** All but the reasons, of which there is one at least. */
const otherRows = 11;

export function drawRun({ run, samples, trouble, note }: RunScene, { columns, rows }: Size): ReactNode {
  const width = Math.min(columns, widest);
  const room = width - bordersAndPadding;
  return stack(
    panel(
      width,
      line(`backfill ${run.runId}   ${run.mode}   ${run.status}`, run.failedCount > 0 ? 'bad' : 'strong'),
      line(progressText(run, room)),
      fact('waiting', toCount(run.remainingCount)),
      ...(run.mode === 'APPLY' ? [fact('backfilled', toCount(run.backfilledCount), 'good')] : []),
      fact('failed', toCount(run.failedCount), run.failedCount > 0 ? 'bad' : undefined),
      fact('pace', paceText(run, samples)),
      ...reasonLines(run, Math.max(1, rows - otherRows), room),
    ),
    line(trouble ?? note ?? '', trouble === null ? undefined : 'warning'),
    keyLine([
      { key: 'p', does: 'pause' },
      { key: 'r', does: 'resume' },
      { key: 'q', does: 'leave, the run goes on' },
    ]),
  );
}

const countColumn = 10;

/** The most frequent first; where there is no room for all, how many more there are. */
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

function progressText(run: BackfillRun, room: number): string {
  const share = shareOf(run);
  if (share === undefined) return `looking for records: ${toCount(run.totalCount)} so far`;
  const figures = `  ${toPercent(share)}   ${toCount(doneOf(run))} of ${toCount(run.totalCount)}`;
  return `${bar(share, Math.max(8, room - figures.length))}${figures}`;
}

type Watching = {
  readonly client: Client;
  readonly waits: Waits;
  readonly runId: string;
  readonly everyMs: number;
};

type Key = { readonly endpoint: typeof pauseBackfill; readonly doing: string; readonly done: string };

const keys: Readonly<Record<string, Key>> = {
  p: { endpoint: pauseBackfill, doing: 'pausing …', done: 'paused; r lets it go on' },
  r: { endpoint: resumeBackfill, doing: 'resuming …', done: 'it goes on' },
};

/** What there was to see last stays behind as a line. */
export async function watchOnScreen({ client, waits, runId, everyMs }: Watching): Promise<BackfillRun> {
  const { run, samples } = await watch<BackfillRun, RunScene>({
    ...{ waits, everyMs, read: readRun(client, runId), draw: drawRun, isOver },
    first: run => ({ run, samples: [], trouble: null, note: null }),
    next: (scene, run) => {
      const before = run.status === scene.run.status ? scene.samples : [];
      return { ...scene, run, samples: withSample(before, { at: performance.now(), done: doneOf(run) }) };
    },
    press(scene, name) {
      const key = keys[name];
      if (key === undefined) return undefined;
      const outcome = toNote(client.call(key.endpoint, { params: { runId } }), () => key.done);
      return { scene: { ...scene, note: key.doing }, outcome };
    },
  });
  writeData(printable(runLine(run, samples)));
  return run;
}
