import { command } from '../../platform/command.ts';
import { beginRun } from '../begin-run.ts';
import { endingOf } from '../find-run.ts';
import { watchFlags } from '../flags.ts';
import { runText } from '../tables.ts';

export default command({
  summary: 'Look at every record, and say what each needs',
  description:
    'Reads every byte of the records that have no manifest, and changes nothing. What it found is a snapshot with a digest, the same for whoever looks again.',
  examples: [
    { command: 'admin backfill scan --watch', description: 'Begins, and shows how far it is' },
    { command: 'admin backfill scan --json', description: 'For scripts: begins, and answers the run' },
  ],
  flags: watchFlags,
  run: ({ flags, context }) => beginRun(context, { mode: 'SCAN' }, flags),
  ending: endingOf,
  text: runText,
});
