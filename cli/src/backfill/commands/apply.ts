import { boolean } from '@oclif/core/flags';
import type { BackfillRun } from '@recordproof/shared/api/backfill.ts';
import { command } from '../../platform/command.ts';
import { confirm } from '../../platform/confirm.ts';
import { beginRun } from '../begin-run.ts';
import { endingOf, findScan, scanArgument } from '../find-run.ts';
import { watchFlags } from '../flags.ts';
import { toCount } from '../run-texts.ts';
import { runText } from '../tables.ts';

const provenIn = ({ reasons }: BackfillRun): number =>
  reasons.find(({ classification }) => classification === 'BACKFILLABLE')?.count ?? 0;

export default command({
  summary: 'Give manifests to what a scan says can be backfilled',
  description:
    'Each record is looked at once more, and left alone where it is not as the scan saw it. The server has to allow it (backfill.apply.enabled).',
  examples: [
    { command: 'admin backfill apply --watch', description: 'Of the newest scan; asks before it does' },
    { command: 'admin backfill apply 7 --yes', description: 'For scripts: does not ask' },
  ],
  args: scanArgument,
  flags: { yes: boolean({ char: 'y', summary: 'Do not ask.' }), ...watchFlags },
  async run({ flags, args, context }) {
    const scan = await findScan(await context.session(), args.scan);
    const question = `Write manifests for up to ${toCount(provenIn(scan))} records of scan ${scan.runId}? They go on the ledger for good.`;
    if (!flags.yes) await confirm(context, question, 'nothing was started');
    return beginRun(context, { mode: 'APPLY', snapshotRunId: scan.runId }, flags);
  },
  ending: endingOf,
  text: runText,
});
