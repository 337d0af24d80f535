// Runs of any kind, with the fields that all have: texts, tables, and the commands of a kind that has none of its own.
import { runKinds } from '@recordproof/shared/api/run-kinds.ts';
import type { AnyRun, RunEndpoints } from '@recordproof/shared/api/runs.ts';
import { command } from './command.ts';
import type { CommandClass } from './command-class.ts';
import { doneOf, runLine } from './dashboard/run-texts.ts';
import { toMinute } from './output.ts';
import {
  cancelCommand,
  changeCommand,
  endingOf,
  type RunKind,
  runCommands,
  watchFlags,
  watchRun,
} from './run-commands.ts';
import { alignRows, tableOf } from './table.ts';
import { toCount } from './units.ts';

/** The first columns of a table of runs. */
export const runColumns = {
  RUN: (run: AnyRun) => run.runId,
  MODE: (run: AnyRun) => run.mode,
  STATUS: (run: AnyRun) => run.status,
  DONE: (run: AnyRun) => `${doneOf(run)}/${run.totalCount}`,
  FAILED: (run: AnyRun) => String(run.failedCount),
};

export const timeRows = ({ createdAt, startedAt, completedAt }: AnyRun): string[][] => [
  ['created', createdAt],
  ['started', startedAt ?? 'not yet'],
  ['completed', completedAt ?? 'not yet'],
];

/** The number of items, which grows while more are found. */
export const totalText = ({ totalCount, discoveryCompleted }: AnyRun): string =>
  `${toCount(totalCount)}${discoveryCompleted ? '' : ' found so far'}`;

const runText = (run: AnyRun): string =>
  alignRows([
    ['run', run.runId],
    ['mode', run.mode],
    ['status', run.status],
    ['items', totalText(run)],
    ['waiting', toCount(run.remainingCount)],
    ['failed', toCount(run.failedCount)],
    ...timeRows(run),
  ]);

/** A column for each field. */
function itemsTable(items: readonly unknown[]) {
  const rows = items as readonly Readonly<Record<string, unknown>>[];
  const toColumn = (field: string) =>
    [
      field.replaceAll(/[A-Z]/g, ' $&').toUpperCase(),
      (row: (typeof rows)[number]) => String(row[field] ?? ''),
    ] as const;
  return tableOf<(typeof rows)[number]>(Object.fromEntries(Object.keys(rows[0] ?? {}).map(toColumn)))(rows);
}

type Runs<R extends AnyRun, I> = { readonly topic: string; readonly endpoints: RunEndpoints<R, I> };

/** A kind of runs, of which another may replace each text. */
export const plainRuns = <R extends AnyRun, I>({ topic, endpoints }: Runs<R, I>): RunKind<R, I> => ({
  topic,
  firstCommand: 'list',
  endpoints,
  itemExamples: [{ command: `${topic} items 7 --after 50`, description: 'What comes behind item 50' }],
  isSuccess: ({ status }) => status === 'COMPLETED',
  toText: runText,
  toLine: (run, samples) => runLine(run, samples, run.status),
  toTable: tableOf<R>({ ...runColumns, CREATED: run => toMinute(run.createdAt) }),
  toItemTable: itemsTable,
  loadDrawing: async () => (await import('./dashboard/plain-drawing.ts')).toPlainDrawing(endpoints.feature),
  screenText: 'progress, pace, time left and failures',
  failureText: 'when the run ends otherwise than COMPLETED',
});

type Kinds = typeof runKinds;
export type KindName = keyof Kinds;

const notCommon = ['start', 'cancel', 'retry'] as const;
/** Commands that this kind can have, and not every kind. */
export type PlainWord<Kind extends KindName> = Extract<(typeof notCommon)[number], keyof Kinds[Kind]['runs']>;

function startCommand(kind: RunKind<AnyRun>, endpoint: NonNullable<RunEndpoints['start']>): CommandClass {
  const { topic } = kind;
  return command({
    summary: 'Start a run',
    examples: [
      { command: `${topic} start`, description: 'Returns at once; the run continues' },
      { command: `${topic} start --watch`, description: 'Stays until the run is over' },
    ],
    flags: watchFlags,
    async run({ flags, context }) {
      const run = await (await context.session()).call(endpoint);
      if (!flags.watch) return run;
      const show = flags.json ? 'nothing' : 'people';
      return watchRun(kind, context, { runId: run.runId, everySeconds: flags.every, show });
    },
    ending: endingOf(kind),
    text: (run, { watch }) => (watch ? '' : kind.toText(run)),
  });
}

/** The commands of every kind, and those of the others that this one has endpoints for. */
export function plainCommands<Kind extends KindName>(topic: string, name: Kind) {
  const { runs }: { readonly runs: RunEndpoints } = runKinds[name];
  const { start, cancel, retry } = runs;
  const kind = { ...plainRuns({ topic, endpoints: runs }), ...(start && { firstCommand: 'start' }) };
  const own: { readonly [Word in (typeof notCommon)[number]]?: CommandClass } = {
    ...(start && { start: startCommand(kind, start) }),
    ...(cancel && {
      cancel: cancelCommand(kind, {
        endpoint: cancel,
        description: 'What is done stays done; the rest is left as it is.',
      }),
    }),
    ...(retry && {
      retry: changeCommand(kind, {
        endpoint: retry,
        summary: 'Retry the failed items that may succeed next time',
        examples: [{ command: `${topic} retry`, description: 'The newest run' }],
      }),
    }),
  };
  return { ...runCommands(kind), ...(own as Readonly<Record<PlainWord<Kind>, CommandClass>>) };
}
