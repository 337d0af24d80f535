// Full-screen dashboard of a run: heading, progress and the details of its kind; p pauses it, r resumes it.
import type { Client } from '@recordproof/shared/api/client.ts';
import type { AnyRun, RunEndpoints } from '@recordproof/shared/api/runs.ts';
import type { ReactNode } from 'react';
import { printable, writeData } from '../output.ts';
import { toCount } from '../units.ts';
import type { Waits } from '../waits.ts';
import { bar, keyLine, line, panel, stack } from './draw.ts';
import { type Samples, withSample } from './pace.ts';
import { doneOf, isOver, progressOf, type Run } from './run-texts.ts';
import type { Size } from './screen.ts';
import { toNote, watchOnScreen } from './watch.ts';

export type RunScene<R extends Run> = {
  readonly run: R;
  readonly samples: Samples;
  /** The error of the last poll. */
  readonly problem: string | null;
  /** The outcome of the last key. */
  readonly note: string | null;
};

/** Inside of the border. */
type Room = { readonly columns: number; readonly rows: number; readonly progress: ReactNode };

const widest = 100;
const bordersAndPadding = 4;

export type RunDrawing<R extends Run> = {
  /** In the heading, before the number of the run. */
  readonly title: string;
  /** The items that a run discovers first: envelopes, records. */
  readonly items: string;
  /** The lines below the heading, with the progress among them. */
  readonly facts: (scene: RunScene<R>, room: Room) => readonly ReactNode[];
};

export const drawRunWith =
  <R extends Run>({ title, items, facts }: RunDrawing<R>) =>
  (scene: RunScene<R>, { columns, rows }: Size): ReactNode => {
    const { run, problem, note } = scene;
    const width = Math.min(columns, widest);
    const room = width - bordersAndPadding;
    return stack(
      panel(
        width,
        line(`${title} ${run.runId}   ${run.mode}   ${run.status}`, run.failedCount > 0 ? 'bad' : 'strong'),
        ...facts(scene, { columns: room, rows, progress: line(progressText(run, items, room)) }),
      ),
      line(problem ?? note ?? '', problem === null ? undefined : 'warning'),
      keyLine([
        { key: 'p', does: 'pause' },
        { key: 'r', does: 'resume' },
        { key: 'q', does: 'leave, the run continues' },
      ]),
    );
  };

function progressText(run: Run, items: string, room: number): string {
  const progress = progressOf(run);
  if (progress === undefined) return `looking for ${items}: ${toCount(run.totalCount)} so far`;
  const figures = `  ${progress.percent}   ${progress.done}`;
  return `${bar(progress.share, Math.max(8, room - figures.length))}${figures}`;
}

export type WatchedKind<R extends AnyRun> = {
  readonly endpoints: RunEndpoints<R>;
  readonly toLine: (run: R, samples: Samples) => string;
};

type Watching<R extends AnyRun> = {
  readonly kind: WatchedKind<R>;
  readonly drawing: RunDrawing<R>;
  readonly client: Client;
  readonly waits: Waits;
  readonly runId: string;
  readonly everyMs: number;
};

/** The last state of the run remains as a line. */
export async function watchRunOnScreen<R extends AnyRun>(watching: Watching<R>): Promise<R> {
  const { kind, drawing, client, waits, runId, everyMs } = watching;
  const { endpoints } = kind;
  const { run, samples } = await watchOnScreen<R, RunScene<R>>({
    ...{ waits, everyMs, draw: drawRunWith(drawing), isOver },
    read: signal => client.call(endpoints.get, { params: { runId }, signal }),
    first: run => ({ run, samples: [], problem: null, note: null }),
    next: (scene, run) => {
      const before = run.status === scene.run.status ? scene.samples : [];
      return { ...scene, run, samples: withSample(before, { at: performance.now(), done: doneOf(run) }) };
    },
    press(scene, key) {
      const change = key === 'p' ? endpoints.pause : key === 'r' ? endpoints.resume : undefined;
      if (change === undefined) return undefined;
      const outcome = toNote(client.call(change, { params: { runId } }), ({ status }) => `the run is ${status} now`);
      return { scene: { ...scene, note: key === 'p' ? 'pausing …' : 'resuming …' }, outcome };
    },
  });
  writeData(printable(kind.toLine(run, samples)));
  return run;
}
