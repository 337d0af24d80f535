// Commands of backfills: those of every kind of runs, and its own.
import { string as argument } from '@oclif/core/args';
import {
  type BackfillMode,
  type BackfillRun,
  getBackfill,
  listBackfills,
  retryBackfillItem,
  startBackfill,
} from '@recordproof/shared/api/backfill.ts';
import type { Client } from '@recordproof/shared/api/client.ts';
import { recordId } from '@recordproof/shared/api/common.ts';
import { command } from '../platform/command.ts';
import type { CommandContext } from '../platform/command-context.ts';
import { CommandError } from '../platform/command-error.ts';
import { confirm, yesFlag } from '../platform/confirm.ts';
import { parseField } from '../platform/fields.ts';
import { writeMessage } from '../platform/output.ts';
import { endingOf, runCommands, watchFlags, watchRun } from '../platform/run-commands.ts';
import { toCount } from '../platform/units.ts';
import { backfills } from './backfills.ts';
import { itemsTable, runText } from './tables.ts';

export const common = runCommands(backfills);

type Input = { readonly mode: BackfillMode; readonly snapshotRunId?: string };
type Watching = { readonly watch: boolean; readonly every: number; readonly json: boolean | undefined };

async function start(context: CommandContext, body: Input, { watch, every, json }: Watching): Promise<BackfillRun> {
  const client = await context.session();
  const run = await client.call(startBackfill, { body });
  if (!run.workerEnabled)
    writeMessage('this server does not work on such runs (backfill.worker.enabled): another one has to');
  if (!watch) return run;
  return watchRun(backfills, context, { runId: run.runId, everySeconds: every, show: json ? 'nothing' : 'people' });
}

const scanArgument = {
  scan: argument({ description: 'Number of the scan; the newest that is ready without it.' }),
};

async function findScan(client: Client, input: string | undefined): Promise<BackfillRun> {
  if (input !== undefined) return client.call(getBackfill, { params: { runId: parseField('Scan', recordId, input) } });
  const { records } = await client.call(listBackfills, { query: { limit: '100' } });
  const scan = records.find(({ status }) => status === 'SNAPSHOT_READY');
  if (scan !== undefined) return scan;
  throw new CommandError('refused', 'no backfill run is in SNAPSHOT_READY', {
    try: 'recordproof admin backfill scan --watch',
  });
}

export const scan = command({
  summary: 'Examine every record, and say what each needs',
  description:
    'Reads every byte of the records that have no manifest, and changes nothing. The result is a snapshot with a digest, which is the same whenever the same records are scanned.',
  examples: [
    { command: 'admin backfill scan --watch', description: 'Begins, and shows how far it is' },
    { command: 'admin backfill scan --json', description: 'For scripts: begins, and answers the run' },
  ],
  flags: watchFlags,
  run: ({ flags, context }) => start(context, { mode: 'SCAN' }, flags),
  ending: endingOf(backfills),
  text: runText,
});

export const dryRun = command({
  summary: 'Examine again what a scan says can be backfilled',
  description: 'All of apply except for writing. A record that has changed since the scan fails.',
  examples: [
    { command: 'admin backfill dry-run --watch', description: 'Of the newest scan' },
    { command: 'admin backfill dry-run 7', description: 'Of scan 7' },
  ],
  args: scanArgument,
  flags: watchFlags,
  async run({ flags, args, context }) {
    const { runId: snapshotRunId } = await findScan(await context.session(), args.scan);
    return start(context, { mode: 'DRY_RUN', snapshotRunId }, flags);
  },
  ending: endingOf(backfills),
  text: runText,
});

const provenIn = ({ reasons }: BackfillRun): number =>
  reasons.find(({ classification }) => classification === 'BACKFILLABLE')?.count ?? 0;

export const apply = command({
  summary: 'Give manifests to what a scan says can be backfilled',
  description:
    'Each record is examined once more, and left alone where it has changed since the scan. The server has to allow it (backfill.apply.enabled).',
  examples: [
    { command: 'admin backfill apply --watch', description: 'Of the newest scan; asks before it does' },
    { command: 'admin backfill apply 7 --yes', description: 'For scripts: does not ask' },
  ],
  args: scanArgument,
  flags: { yes: yesFlag, ...watchFlags },
  async run({ flags, args, context }) {
    const scan = await findScan(await context.session(), args.scan);
    const question = `Write manifests for up to ${toCount(provenIn(scan))} records of scan ${scan.runId}? They go on the ledger for good.`;
    if (!flags.yes) await confirm(context, question, 'nothing was started');
    return start(context, { mode: 'APPLY', snapshotRunId: scan.runId }, flags);
  },
  ending: endingOf(backfills),
  text: runText,
});

export const retry = command({
  summary: 'Retry an item that failed',
  description:
    'Only where another attempt may help: the object store or the chain was unavailable. The run continues with it.',
  examples: [{ command: 'admin backfill retry 7 120', description: 'Item 120 of run 7' }],
  args: {
    run: argument({ description: 'Number of the run.', required: true }),
    item: argument({ description: 'Number of the item.', required: true }),
  },
  async run({ args, context }) {
    const params = { runId: parseField('Run', recordId, args.run), itemId: parseField('Item', recordId, args.item) };
    return (await context.session()).call(retryBackfillItem, { params });
  },
  text: item => itemsTable([item]),
});
