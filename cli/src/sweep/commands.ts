// Commands of census and sweep.
import { string as text } from '@oclif/core/args';
import { boolean, option } from '@oclif/core/flags';
import type { Client } from '@recordproof/shared/api/client.ts';
import {
  type Census,
  getCensus,
  getInstallationSweep,
  getSweepStatus,
  listCandidates,
  listMarks,
  listUnknownHolds,
  markObject,
  markStates,
  type SweepCandidate,
  type SweepMark,
  takeAllCensuses,
  takeCensus,
} from '@recordproof/shared/api/sweep.ts';
import { command } from '../platform/command.ts';
import { CommandError } from '../platform/command-error.ts';
import { confirm, yesFlag } from '../platform/confirm.ts';
import { follow, lostText } from '../platform/dashboard/follow.ts';
import { everyFlag, watchChanges } from '../platform/dashboard/follow-lines.ts';
import { listenForInterrupts } from '../platform/interrupts.ts';
import { writeMessage } from '../platform/output.ts';
import { sliceFlags, sliceNote, toSliceQuery } from '../platform/pages.ts';
import {
  candidatesTable,
  censusNote,
  censusText,
  installationTable,
  marksTable,
  statusLine,
  statusText,
  unknownHoldsTable,
} from './tables.ts';

export const status = command({
  summary: 'Show the switches, the newest census and the marks',
  examples: [{ command: 'admin sweep status', description: 'How it stands' }],
  run: async ({ context }) => (await context.session()).call(getSweepStatus),
  text: statusText,
  note: ({ census }) => (census === null ? '' : censusNote(census)),
});

export const installation = command({
  summary: 'Show the newest census and the marks of every tenant, for installation administrators',
  examples: [
    { command: 'admin sweep installation', description: 'Counts; no names of files' },
    { command: 'admin sweep installation --census', description: 'Begin a census of every tenant' },
  ],
  flags: { census: boolean({ summary: 'Begin a census of every tenant first.' }) },
  run: async ({ flags, context }) =>
    (await context.session()).call(flags.census ? takeAllCensuses : getInstallationSweep),
  text: installationTable,
});

const pollEveryMs = 500;

export const census = command({
  summary: 'Take a census of what is stored and what refers to it',
  description:
    'Runs on the server and survives its restarts. Waits for the end, unless told not to. Nothing is changed by it. Ends with exit code 1 when the census failed.',
  examples: [
    { command: 'admin sweep census', description: 'Take one and wait for it' },
    { command: 'admin sweep census --no-wait', description: 'Only begin' },
  ],
  flags: { wait: boolean({ allowNo: true, default: true, summary: 'Wait until it is over.' }) },
  async run({ flags, context }): Promise<Census> {
    const client = await context.session();
    const begun = await client.call(takeCensus);
    if (!flags.wait) return begun;
    using interrupts = listenForInterrupts('the census continues; see: recordproof admin sweep status');
    const params = { censusId: begun.censusId };
    const read = (signal: AbortSignal) => client.call(getCensus, { params, signal });
    for await (const poll of follow({ read, everyMs: pollEveryMs, signal: interrupts.signal })) {
      if (poll.kind === 'lost') writeMessage(lostText(poll));
      else if (poll.value.state !== 'RUNNING') return poll.value;
    }
    return begun;
  },
  ending: ({ state }) => (state === 'FAILED' ? 'refused' : 'ok'),
  text: censusText,
  note: censusNote,
});

/** Lists and marks refer to the newest completed census. */
async function newestCensusId(client: Client): Promise<string> {
  const { census } = await client.call(getSweepStatus);
  if (census?.state !== 'COMPLETED')
    throw new CommandError('refused', 'there is no completed census; take one with: recordproof admin sweep census');
  return census.censusId;
}

export const candidates = command({
  summary: 'List what the newest census found nothing to refer to',
  examples: [
    { command: 'admin sweep candidates', description: 'The first fifty' },
    { command: 'admin sweep candidates --wide', description: 'With their hashes' },
  ],
  flags: sliceFlags,
  async run({ flags, context }) {
    const client = await context.session();
    const params = { censusId: await newestCensusId(client) };
    return client.call(listCandidates, { params, query: toSliceQuery(flags) });
  },
  text: candidatesTable,
  note: slice => sliceNote(slice, 'unreferenced objects'),
});

export const unknownHolds = command({
  summary: 'List the files of which the newest census could not tell what they keep, and what to do about each',
  description: 'As long as there is one, nothing can be marked and nothing is deleted.',
  examples: [{ command: 'admin sweep unknown-holds', description: 'Which files these are, and why' }],
  flags: sliceFlags,
  async run({ flags, context }) {
    const client = await context.session();
    const params = { censusId: await newestCensusId(client) };
    return client.call(listUnknownHolds, { params, query: toSliceQuery(flags) });
  },
  text: unknownHoldsTable,
  note: slice => sliceNote(slice, 'unknown holds'),
});

export const mark = command({
  summary: 'Mark unreferenced objects for deletion',
  description:
    'Only what the newest census calls unreferenced. A marked object stays for the protection window, and goes only when another census agrees then.',
  examples: [
    { command: 'admin sweep mark tenant-1/ab/abcd.0123', description: 'One object' },
    { command: 'admin sweep mark --all --yes', description: 'Everything that the census found, without asking' },
  ],
  args: { path: text({ description: 'Where the object lies, as the candidates say.' }) },
  flags: { all: boolean({ summary: 'All candidates of the newest census.' }), yes: yesFlag },
  async run({ flags, args, context }) {
    const { path } = args;
    if ((path === undefined) === !flags.all) throw new CommandError('usage', 'name one object, or use --all');
    const client = await context.session();
    const question = flags.all ? 'Mark all candidates for deletion?' : `Mark ${path} for deletion?`;
    if (!flags.yes) await confirm(context, question, 'nothing was marked');
    const records: SweepMark[] = [];
    for await (const { storagePath, cipherHash } of walkCandidates(client)) {
      if (path !== undefined && storagePath !== path) continue;
      records.push(await client.call(markObject, { body: { storagePath, cipherHash } }));
      if (path !== undefined) break;
    }
    if (path !== undefined && records.length === 0)
      throw new CommandError('refused', `${path} is not a candidate of the newest census`, {
        try: 'recordproof admin sweep candidates lists the candidates',
      });
    return { records, nextCursor: null };
  },
  text: marksTable,
  note: ({ records }) => (records.length === 0 ? 'nothing to mark' : ''),
});

async function* walkCandidates(client: Client): AsyncGenerator<SweepCandidate> {
  const params = { censusId: await newestCensusId(client) };
  let cursor: string | null = '0';
  while (cursor !== null) {
    const slice: { records: SweepCandidate[]; nextCursor: string | null } = await client.call(listCandidates, {
      params,
      query: { limit: '100', ...(cursor !== '0' && { cursor }) },
    });
    yield* slice.records;
    cursor = slice.nextCursor;
  }
}

export const marks = command({
  summary: 'List what is marked and what became of it, the newest first',
  examples: [
    { command: 'admin sweep marks', description: 'The newest fifty' },
    { command: 'admin sweep marks --state RETAINED', description: 'What was left alone after all' },
  ],
  flags: { ...sliceFlags, state: option({ options: markStates, summary: 'Only those in this state.' })() },
  async run({ flags, context }) {
    const state = flags.state === undefined ? {} : { state: flags.state };
    return (await context.session()).call(listMarks, { query: { ...toSliceQuery(flags), ...state } });
  },
  text: marksTable,
  note: slice => sliceNote(slice, 'marks'),
});

export const watch = command({
  summary: 'Watch census and marks',
  description:
    'On a terminal a screen: c takes a census, q leaves. Elsewhere a line for every change, with --json one JSON document each. An outage of the server is waited out.',
  examples: [
    { command: 'admin sweep watch', description: 'How far the census is, and what is deleted' },
    { command: 'admin sweep watch --json >> sweep.ndjson', description: 'For another program' },
  ],
  flags: { every: everyFlag(5) },
  writesAsItGoes: true,
  async run({ flags, context }) {
    const client = await context.session();
    return watchChanges(context, flags, {
      read: signal => client.call(getSweepStatus, { signal }),
      toText: status => `${new Date().toISOString()}  ${statusLine(status)}`,
      async onScreen(everyMs) {
        const { watchOnScreen } = await import('./watch-screen.ts');
        return watchOnScreen({ client, waits: context.waits, everyMs });
      },
    });
  },
});
