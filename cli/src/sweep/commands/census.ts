import { boolean } from '@oclif/core/flags';
import { type Census, getCensus, takeCensus } from '@recordproof/shared/api/sweep.ts';
import { command } from '../../platform/command.ts';
import { follow, lostText } from '../../platform/dashboard/follow.ts';
import { listenForInterrupts } from '../../platform/interrupts.ts';
import { say } from '../../platform/output.ts';
import { censusNote, censusText } from '../tables.ts';

const lookEveryMs = 500;

export default command({
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
    using interrupts = listenForInterrupts('the census goes on; see: recordproof admin sweep status');
    const params = { censusId: begun.censusId };
    const read = (signal: AbortSignal) => client.call(getCensus, { params, signal });
    for await (const look of follow({ read, everyMs: lookEveryMs, signal: interrupts.signal })) {
      if (look.kind === 'lost') say(lostText(look));
      else if (look.value.state !== 'RUNNING') return look.value;
    }
    return begun;
  },
  ending: ({ state }) => (state === 'FAILED' ? 'refused' : 'ok'),
  text: censusText,
  note: censusNote,
});
