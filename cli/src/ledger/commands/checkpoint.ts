import { command } from '../../platform/command.ts';
import { alignRows } from '../../platform/table.ts';
import { keyFlag } from '../key-flag.ts';
import { openWitness, type Sighting } from '../witness.ts';

export default command({
  summary: 'Look at the newest checkpoint of the ledger',
  description: 'It must be signed, and must continue the last one that this machine has seen. Then it is remembered.',
  examples: [
    { command: 'ledger checkpoint', description: 'How far is the ledger, and is it still the same one?' },
    { command: 'ledger checkpoint --json', description: 'The same for a script' },
  ],
  flags: keyFlag,
  run: async ({ flags, context }): Promise<Sighting> => (await (await openWitness(context, flags.key)).look()).sighting,
  text: ({ name, size, root, key }) =>
    alignRows([
      ['ledger', name],
      ['entries', String(size)],
      ['root', root],
      ['key', key],
    ]),
  note: ({ added }) =>
    added === null
      ? 'first look: remembered, so that a rewritten ledger shows the next time'
      : `continues what was seen before: ${added} ${added === 1 ? 'entry' : 'entries'} more`,
});
