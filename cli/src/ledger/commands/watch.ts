import { setTimeout as sleep } from 'node:timers/promises';
import { integer, string } from '@oclif/core/flags';
import { command } from '../../platform/command.ts';
import { Fixable } from '../../platform/fixable.ts';
import { say, writeData } from '../../platform/output.ts';
import { keyFlag } from '../key-flag.ts';
import { compareWith, openWitness, type Sighting, type Witness } from '../witness.ts';

/** An outage is told and waited out; a contradiction ends the watch. */
async function lookOrSay(witness: Witness): Promise<Sighting | null> {
  try {
    return (await witness.look()).sighting;
  } catch (error) {
    if (!(error instanceof Fixable) || error.ending !== 'unreachable') throw error;
    say(error.message);
    return null;
  }
}

/** A timer job that never reaches the ledger must not look like one that found it sound. */
function expectChecked(looks: number, last: Sighting | null) {
  if (last !== null) return { looks, last };
  throw new Fixable('unreachable', 'nothing was checked: the ledger could not be read', {
    try: 'is the server running, and does it show its tiles?',
  });
}

export default command({
  summary: 'Watch the ledger, and end with an error when it contradicts itself',
  description:
    'Prints a line for every new checkpoint: time, entries, root. Each must prove that it continues the one before; the last one is remembered for the next watch. Ctrl-C ends it.',
  examples: [
    { command: 'ledger watch', description: 'Be a witness against rewriting' },
    {
      command: 'ledger watch --looks 1',
      description: 'One look, for a timer job; exit code 65 means rewritten, 69 not checked',
    },
    {
      command: 'ledger watch --compare THEIRS.checkpoints',
      description: 'Was somebody else shown another history?',
    },
  ],
  flags: {
    ...keyFlag,
    every: integer({ helpValue: '<seconds>', min: 1, max: 86_400, default: 60, summary: 'Time between two looks.' }),
    looks: integer({ helpValue: '<n>', min: 1, summary: 'End after so many looks.' }),
    compare: string({
      helpValue: '<file>',
      summary: 'Compare with the checkpoints that somebody else kept, and end.',
      exclusive: ['looks', 'every'],
    }),
  },
  async run({ flags, context }) {
    if (flags.compare !== undefined) return compareWith(context, flags.compare, flags.key);
    const witness = await openWitness(context, flags.key);
    let last: Sighting | null = null;
    for (let look = 1; ; look++) {
      const seen = await lookOrSay(witness);
      if (seen && seen.size !== last?.size && !flags.json)
        writeData(`${new Date().toISOString()}  ${seen.size}  ${seen.root}`);
      last = seen ?? last;
      if (look === flags.looks) return expectChecked(look, last);
      await sleep(flags.every * 1000);
    }
  },
});
