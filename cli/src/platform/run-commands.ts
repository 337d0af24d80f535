// The commands on runs, which every kind of long work on the server has: list, status, items, pause, resume and watch.
import type { Interfaces } from '@oclif/core';
import { string as argument } from '@oclif/core/args';
import { boolean } from '@oclif/core/flags';
import type { Client } from '@recordproof/shared/api/client.ts';
import { recordId } from '@recordproof/shared/api/common.ts';
import type { AnyRun, RunEndpoints } from '@recordproof/shared/api/runs.ts';
import { command } from './command.ts';
import type { CommandClass } from './command-class.ts';
import type { CommandContext } from './command-context.ts';
import { CommandError } from './command-error.ts';
import { confirm, yesFlag } from './confirm.ts';
import { claimScreen, everyFlag } from './dashboard/follow-lines.ts';
import { followRun, type OutputMode } from './dashboard/follow-run.ts';
import type { RunDrawing, WatchedKind } from './dashboard/run-screen.ts';
import { doneOf, isOver } from './dashboard/run-texts.ts';
import { parseField } from './fields.ts';
import { sliceFlags, sliceNote, toSliceQuery } from './pages.ts';
import type { Fitting } from './table.ts';

type Example = { readonly command: string; readonly description: string };
type Flags = Interfaces.FlagInput;
type FlagValues = Readonly<Record<string, unknown>>;

export type RunKind<R extends AnyRun, I = unknown> = WatchedKind<R> & {
  /** The words before each command: admin key-rotation. */
  readonly topic: string;
  /** The command that starts a run. */
  readonly firstCommand: string;
  readonly endpoints: RunEndpoints<R, I>;
  readonly itemFlags?: Flags;
  /** The query of these flags. */
  readonly toItemQuery?: (flags: FlagValues) => object;
  /** Data besides the newest run. */
  readonly itemExamples: readonly Example[];
  /** False where a finished run has not done all of its work: then the program exits with code 1. */
  readonly isSuccess: (run: R) => boolean;
  readonly toText: (run: R) => string;
  readonly toTable: (runs: readonly R[]) => Fitting;
  readonly toItemTable: (items: readonly I[]) => Fitting;
  /** Loaded only where a screen is shown. */
  readonly loadDrawing: () => Promise<RunDrawing<R>>;
  /** In the help of watch: the contents of the screen, and when the program exits with code 1. */
  readonly screenText: string;
  readonly failureText: string;
};

export const runArgument = { run: argument({ description: 'Number of the run; the newest without it.' }) };
export const watchFlags = {
  watch: boolean({ summary: 'Stay and show how far it is, until it is over.' }),
  every: everyFlag(2),
};

/** The named run, else the newest. */
export async function findRunId<R extends AnyRun>(
  { endpoints, topic, firstCommand }: Pick<RunKind<R>, 'endpoints' | 'topic' | 'firstCommand'>,
  client: Client,
  input: string | undefined,
): Promise<string> {
  if (input !== undefined) return parseField('Run', recordId, input);
  const [newest] = (await client.call(endpoints.list, { query: { limit: '1' } })).records;
  if (newest !== undefined) return newest.runId;
  throw new CommandError('refused', 'there is no run yet', { try: `recordproof ${topic} ${firstCommand}` });
}

export const endingOf =
  <R extends AnyRun>({ isSuccess }: Pick<RunKind<R>, 'isSuccess'>) =>
  (run: R): 'ok' | 'refused' =>
    isOver(run) && !isSuccess(run) ? 'refused' : 'ok';

type Watch = { readonly runId: string; readonly everySeconds: number; readonly show: OutputMode };

/** Follows a run until it ends: a full-screen dashboard, or line output without a terminal. */
export async function watchRun<R extends AnyRun, I>(
  kind: RunKind<R, I>,
  context: CommandContext,
  { runId, everySeconds, show }: Watch,
): Promise<R> {
  const client = await context.session();
  const everyMs = everySeconds * 1000;
  if (show === 'people' && claimScreen(context)) {
    const { watchRunOnScreen } = await import('./dashboard/run-screen.ts');
    const drawing = await kind.loadDrawing();
    return watchRunOnScreen({ kind, drawing, client, waits: context.waits, runId, everyMs });
  }
  return followRun<R>({
    ...{ everyMs, show, doneOf, isOver, toLine: kind.toLine },
    read: signal => client.call(kind.endpoints.get, { params: { runId }, signal }),
    goesOn: `the run continues; watch it again with: recordproof ${kind.topic} watch`,
  });
}

type Change<R extends AnyRun> = {
  readonly endpoint: RunEndpoints<R>['pause'];
  readonly summary: string;
  readonly description?: string;
  readonly examples: readonly Example[];
};

/** A command that changes a run at once. */
export const changeCommand = <R extends AnyRun, I>(
  kind: RunKind<R, I>,
  { endpoint, ...help }: Change<R>,
): CommandClass =>
  command({
    ...help,
    args: runArgument,
    async run({ args, context }) {
      const client = await context.session();
      return client.call(endpoint, { params: { runId: await findRunId(kind, client, args.run) } });
    },
    text: kind.toText,
    note: changeNote,
  });

/** Cancels a run after a question. */
export const cancelCommand = <R extends AnyRun, I>(
  kind: RunKind<R, I>,
  { endpoint, description }: { readonly endpoint: RunEndpoints<R>['pause']; readonly description: string },
): CommandClass =>
  command({
    summary: 'Cancel a run for good',
    description,
    examples: [
      { command: `${kind.topic} cancel`, description: 'The newest run; asks before it does' },
      { command: `${kind.topic} cancel 7 --yes`, description: 'For scripts: does not ask' },
    ],
    args: runArgument,
    flags: { yes: yesFlag },
    async run({ flags, args, context }) {
      const client = await context.session();
      const runId = await findRunId(kind, client, args.run);
      if (!flags.yes) await confirm(context, `Cancel run ${runId}? It cannot be resumed.`, 'nothing was cancelled');
      return client.call(endpoint, { params: { runId } });
    },
    text: kind.toText,
    note: changeNote,
  });

const changeNote = ({ runId, status }: AnyRun): string => `run ${runId} is ${status} now`;

export const runCommands = <R extends AnyRun, I>(kind: RunKind<R, I>) => ({
  list: listCommand(kind),
  status: statusCommand(kind),
  items: itemsCommand(kind),
  pause: changeCommand(kind, {
    endpoint: kind.endpoints.pause,
    summary: 'Pause a run',
    description: 'Work that is under way is finished; nothing is lost.',
    examples: [{ command: `${kind.topic} pause`, description: 'The newest run' }],
  }),
  resume: changeCommand(kind, {
    endpoint: kind.endpoints.resume,
    summary: 'Resume a paused run',
    examples: [{ command: `${kind.topic} resume 7`, description: 'Run 7' }],
  }),
  watch: watchCommand(kind),
});

const listCommand = <R extends AnyRun, I>({ topic, endpoints, toTable }: RunKind<R, I>): CommandClass =>
  command({
    summary: 'List the runs, newest first',
    examples: [
      { command: `${topic} list`, description: 'The newest 50' },
      { command: `${topic} list --after 120`, description: 'Those before run 120' },
    ],
    flags: sliceFlags,
    run: async ({ flags, context }) => (await context.session()).call(endpoints.list, { query: toSliceQuery(flags) }),
    text: ({ records }) => toTable(records),
    note: slice => sliceNote(slice, 'runs'),
  });

const statusCommand = <R extends AnyRun, I>(kind: RunKind<R, I>): CommandClass =>
  command({
    summary: 'Show a run and its progress',
    examples: [
      { command: `${kind.topic} status`, description: 'The newest run' },
      { command: `${kind.topic} status 7 --json`, description: 'For scripts' },
    ],
    args: runArgument,
    async run({ args, context }) {
      const client = await context.session();
      return client.call(kind.endpoints.get, { params: { runId: await findRunId(kind, client, args.run) } });
    },
    text: kind.toText,
  });

const itemsCommand = <R extends AnyRun, I>(kind: RunKind<R, I>): CommandClass =>
  command({
    summary: 'List the items of a run, and the outcome of each',
    examples: [{ command: `${kind.topic} items`, description: 'Of the newest run' }, ...kind.itemExamples],
    args: runArgument,
    flags: { ...sliceFlags, ...kind.itemFlags },
    async run({ flags, args, context }) {
      const client = await context.session();
      const params = { runId: await findRunId(kind, client, args.run) };
      const query = { ...toSliceQuery(flags), ...kind.toItemQuery?.(flags) };
      return client.call(kind.endpoints.items, { params, query });
    },
    text: ({ records }) => kind.toItemTable(records),
    note: slice => sliceNote(slice, 'items'),
  });

const watchCommand = <R extends AnyRun, I>(kind: RunKind<R, I>): CommandClass =>
  command({
    summary: 'Watch a run until it is over',
    description: [
      `On a terminal a screen with ${kind.screenText}; p pauses the run, r resumes it, q leaves it alone.`,
      'Elsewhere a line for every change, with --json one JSON document each. An outage of the server is waited out.',
      `Ends with exit code 1 ${kind.failureText}.`,
    ].join(' '),
    examples: [
      { command: `${kind.topic} watch`, description: 'The newest run' },
      { command: `${kind.topic} watch 7 | tee runs.log`, description: 'As lines' },
    ],
    args: runArgument,
    flags: { every: watchFlags.every },
    writesAsItGoes: true,
    async run({ flags, args, context }) {
      const runId = await findRunId(kind, await context.session(), args.run);
      return watchRun(kind, context, { runId, everySeconds: flags.every, show: flags.json ? 'json' : 'people' });
    },
    ending: endingOf(kind),
  });
