// A run on a screen of its own: how far, how fast, how long, what failed; p and r hold it and let it go on.
import type { Client } from '@recordproof/shared/api/client.ts';
import { type KeyRotationRun, pauseKeyRotation, resumeKeyRotation } from '@recordproof/shared/api/key-rotation.ts';
import type { ReactNode } from 'react';
import { bar, fact, keyLine, line, panel, sparkline, stack } from '../platform/dashboard/draw.ts';
import { pacesOf, type Samples, withSample } from '../platform/dashboard/pace.ts';
import type { Size } from '../platform/dashboard/screen.ts';
import { toNote, watchOnScreen as watch } from '../platform/dashboard/watch.ts';
import { printable, toMinute, writeData } from '../platform/output.ts';
import { toCount } from '../platform/units.ts';
import type { Waits } from '../platform/waits.ts';
import { isOver, readRun } from './run-argument.ts';
import { doneOf, paceText, runLine, shareOf, toPercent } from './run-texts.ts';
import { keyText } from './tables.ts';

export type RunScene = {
  readonly run: KeyRotationRun;
  readonly samples: Samples;
  /** What stands in the way of newer figures. */
  readonly trouble: string | null;
  /** What came of the last key. */
  readonly note: string | null;
};

const widest = 100;
const bordersAndPadding = 4;
const nameColumn = 12;
/** Without failures by category; on a lower terminal the empty lines and the sparkline go first. */
const rowsOfAll = 17;

export function drawRun({ run, samples, trouble, note }: RunScene, { columns, rows }: Size): ReactNode {
  const width = Math.min(columns, widest);
  const room = width - bordersAndPadding;
  const failed = run.failures.map(({ category, count }) => fact('', `${category} ${toCount(count)}`, 'bad'));
  const isLow = rows < rowsOfAll;
  const spare = Math.max(0, rows - rowsOfAll);
  const gap = isLow ? [] : [line('')];
  return stack(
    panel(
      width,
      line(`key rotation ${run.runId}   ${run.mode}   ${run.status}`, run.failedCount > 0 ? 'bad' : 'strong'),
      fact('target', printable(keyText(run))),
      fact('started', `${run.startedAt === null ? 'not yet' : toMinute(run.startedAt)}   policy ${run.policyVersion}`),
      ...gap,
      line(progressText(run, room)),
      ...gap,
      fact('moved', toCount(run.succeededCount), 'good'),
      fact('skipped', toCount(run.skippedCount)),
      fact('waiting', toCount(run.remainingCount)),
      fact('failed', toCount(run.failedCount), run.failedCount > 0 ? 'bad' : undefined),
      ...failed.slice(0, spare),
      fact('pace', paceText(run, samples)),
      ...(isLow ? [] : [fact('', sparkline(pacesOf(samples), room - nameColumn))]),
    ),
    line(trouble ?? note ?? '', trouble === null ? undefined : 'warning'),
    keyLine([
      { key: 'p', does: 'pause' },
      { key: 'r', does: 'resume' },
      { key: 'q', does: 'leave, the run goes on' },
    ]),
  );
}

function progressText(run: KeyRotationRun, room: number): string {
  const share = shareOf(run);
  if (share === undefined) return `looking for envelopes: ${toCount(run.totalCount)} so far`;
  const figures = `  ${toPercent(share)}   ${toCount(doneOf(run))} of ${toCount(run.totalCount)}`;
  return `${bar(share, Math.max(8, room - figures.length))}${figures}`;
}

type Watching = {
  readonly client: Client;
  readonly waits: Waits;
  readonly runId: string;
  readonly everyMs: number;
};

/** What there was to see last stays behind as a line. */
export async function watchOnScreen({ client, waits, runId, everyMs }: Watching): Promise<KeyRotationRun> {
  const endpoints: Readonly<Record<string, typeof pauseKeyRotation>> = { p: pauseKeyRotation, r: resumeKeyRotation };
  const { run, samples } = await watch<KeyRotationRun, RunScene>({
    ...{ waits, everyMs, read: readRun(client, runId), draw: drawRun, isOver },
    first: run => ({ run, samples: [], trouble: null, note: null }),
    next: (scene, run) => {
      const before = run.status === scene.run.status ? scene.samples : [];
      return { ...scene, run, samples: withSample(before, { at: performance.now(), done: doneOf(run) }) };
    },
    press(scene, key) {
      const endpoint = endpoints[key];
      if (endpoint === undefined) return undefined;
      const outcome = toNote(client.call(endpoint, { params: { runId } }), ({ status }) => `the run is ${status} now`);
      return { scene: { ...scene, note: key === 'p' ? 'pausing …' : 'resuming …' }, outcome };
    },
  });
  writeData(printable(runLine(run, samples)));
  return run;
}
