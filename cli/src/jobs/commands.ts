// Commands under `admin jobs` and `admin outbox`: the same four subcommands for dead jobs and for dead events.
import { string as argument } from '@oclif/core/args';
import { boolean, string } from '@oclif/core/flags';
import type { Client } from '@recordproof/shared/api/client.ts';
import { recordId } from '@recordproof/shared/api/common.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import {
  type DeadJob,
  type deadJobTypes,
  dropDeadJob,
  getDeadJob,
  listDeadJobs,
  reviveDeadJob,
} from '@recordproof/shared/api/jobs.ts';
import { many } from '../platform/arguments.ts';
import { command } from '../platform/command.ts';
import type { CommandContext } from '../platform/command-context.ts';
import { CommandError } from '../platform/command-error.ts';
import { confirm, yesFlag } from '../platform/confirm.ts';
import { parseField } from '../platform/fields.ts';
import { printable, writeMessage } from '../platform/output.ts';
import { pagesOf, walkPages } from '../platform/pages.ts';
import { changeEach, outcomeOf } from '../platform/report.ts';
import { deadJobLine, deadJobsTable, deadJobText } from './tables.ts';

type Type = (typeof deadJobTypes)[number];

type Subject = { readonly type: Type; readonly topic: string; readonly one: string; readonly many: string };

const jobs: Subject = { type: 'JOB', topic: 'admin jobs', one: 'job', many: 'jobs' };
const events: Subject = { type: 'EVENT', topic: 'admin outbox', one: 'event', many: 'events' };

async function findJob(client: Client, id: string): Promise<DeadJob | null> {
  try {
    return await client.call(getDeadJob, { params: { id } });
  } catch (error) {
    if (error instanceof ApiError && error.kind === 'RESULT_DATA_NONE') return null;
    throw error;
  }
}

/** Jobs and events share one sequence of numbers: a number of the other kind is more likely a mistake. */
async function readJob(client: Client, { type, topic, one }: Subject, text: string): Promise<DeadJob> {
  const id = parseField('Id', recordId, text);
  const job = await findJob(client, id);
  if (job?.type === type) return job;
  const other = type === 'JOB' ? events : jobs;
  if (job)
    throw new CommandError('refused', `${id} is one of the ${other.many}`, {
      try: `recordproof ${other.topic} show ${id}`,
    });
  throw new CommandError('refused', `there is no dead ${one} ${id}`, { try: `recordproof ${topic} list` });
}

function listCommand({ type, topic, one, many: plural }: Subject) {
  const pages = pagesOf(one, plural, []);
  const { sort: _sort, ...pageFlags } = pages.flags; // the newest are always first
  return command({
    summary: `List the dead ${plural}, the newest first`,
    description: 'Where the installation has several tenants, those of your own.',
    examples: [{ command: `${topic} list --wide`, description: 'With the ids that each is about' }],
    flags: { ...pageFlags, kind: string({ helpValue: '<kind>', summary: 'Only those of this kind.' }) },
    async run({ flags, context }) {
      const query = { ...pages.toQuery(flags), type, ...(flags.kind !== undefined && { kind: flags.kind }) };
      return (await context.session()).call(listDeadJobs, { query });
    },
    text: deadJobsTable,
    note: pages.note,
  });
}

const showCommand = (subject: Subject) =>
  command({
    summary: `Show one dead ${subject.one}`,
    examples: [{ command: `${subject.topic} show 42`, description: 'Its kind, its error, and the ids it is about' }],
    args: { id: argument({ required: true, description: `Number of the ${subject.one}.` }) },
    run: async ({ args, context }) => readJob(await context.session(), subject, args.id),
    text: deadJobText,
  });

const changeInput = ({ one, many: plural }: Subject) => ({
  args: { ids: many({ description: `Numbers of ${plural}.` }) },
  flags: {
    all: boolean({ summary: `Every ${one} that there is.` }),
    yes: yesFlag,
  },
});

const mostAtOnce = 100;

const findAll = (client: Client, type: Type): Promise<DeadJob[]> =>
  Array.fromAsync(walkPages(page => client.call(listDeadJobs, { query: { type, page, size: mostAtOnce } })));

type Selection = { readonly ids: readonly string[]; readonly all: boolean | undefined };

async function findSelected(client: Client, subject: Subject, { ids, all }: Selection): Promise<DeadJob[]> {
  if (ids.length > 0 === (all === true))
    throw new CommandError('usage', `give the ids of ${subject.many}, or --all, but not both`);
  if (all) return findAll(client, subject.type);
  const selected = [];
  for (const id of new Set(ids)) selected.push(await readJob(client, subject, id));
  return selected;
}

type Action = { readonly endpoint: typeof reviveDeadJob | typeof dropDeadJob; readonly done: string };

function changeAll(client: Client, selected: readonly DeadJob[], { endpoint, done }: Action, commandLine: string) {
  const change = ({ id }: DeadJob) => client.call(endpoint, { params: { id } });
  return changeEach(selected, ({ id }) => id, commandLine, { done, change });
}

const reviveCommand = (subject: Subject) =>
  command({
    summary: `Try ${subject.many} again, at once, with all their attempts`,
    examples: [
      { command: `${subject.topic} revive 42 43`, description: 'These two' },
      { command: `${subject.topic} revive --all`, description: 'After an outage is over; asks' },
    ],
    ...changeInput(subject),
    async run({ flags, args, context }) {
      const client = await context.session();
      const selected = await findSelected(client, subject, { ids: args.ids, all: flags.all });
      if (flags.all && !flags.yes) await ask(context, selected, subject, 'Try', 'nothing was revived');
      return changeAll(client, selected, { endpoint: reviveDeadJob, done: 'revived' }, `recordproof ${subject.topic}`);
    },
    ...outcomeOf('revived'),
  });

const dropCommand = (subject: Subject) =>
  command({
    summary: `Drop dead ${subject.many}: their work is never done`,
    examples: [
      { command: `${subject.topic} drop 42`, description: 'Shows it, and asks' },
      { command: `${subject.topic} drop 42 43 --yes`, description: 'For scripts: does not ask' },
    ],
    ...changeInput(subject),
    async run({ flags, args, context }) {
      const client = await context.session();
      const selected = await findSelected(client, subject, { ids: args.ids, all: flags.all });
      if (!flags.yes) await ask(context, selected, subject, 'Drop', 'nothing was dropped');
      return changeAll(client, selected, { endpoint: dropDeadJob, done: 'dropped' }, `recordproof ${subject.topic}`);
    },
    ...outcomeOf('dropped'),
  });

const mostShown = 20;

async function ask(
  context: CommandContext,
  selected: readonly DeadJob[],
  { one, many: plural }: Subject,
  verb: string,
  undone: string,
): Promise<void> {
  if (selected.length === 0) return;
  for (const job of selected.slice(0, mostShown)) writeMessage(printable(deadJobLine(job)));
  if (selected.length > mostShown) writeMessage(`… and ${selected.length - mostShown} more`);
  const what = selected.length === 1 ? `this ${one}` : `these ${selected.length} ${plural}`;
  await confirm(context, `${verb} ${what}${verb === 'Try' ? ' again' : ''}?`, undone);
}

const commandsFor = (subject: Subject) => ({
  list: listCommand(subject),
  show: showCommand(subject),
  revive: reviveCommand(subject),
  drop: dropCommand(subject),
});

export const jobCommands = commandsFor(jobs);
export const eventCommands = commandsFor(events);
