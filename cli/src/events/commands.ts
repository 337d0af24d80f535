// The command `events tail`.
import { string } from '@oclif/core/flags';
import { eventId } from '@recordproof/shared/api/events.ts';
import { followEvents, type ServerEvent, StreamEnded } from '@recordproof/shared/api/sse.ts';
import { command } from '../platform/command.ts';
import { CommandError } from '../platform/command-error.ts';
import { listenForClosedOutput, listenForInterrupts } from '../platform/interrupts.ts';
import { printable, writeData, writeJsonLine, writeMessage } from '../platform/output.ts';
import type { Session } from '../platform/session.ts';

/** Without two spaces in a row: these separate the fields, and no text can pass for another field. */
const toText = (value: unknown): string =>
  printable(typeof value === 'string' ? value : JSON.stringify(value)).replace(/\s+/g, ' ');

function toLine({ id, type, payload, timestamp }: ServerEvent): string {
  const fields = Object.entries(payload).map(([name, value]) => `${name}=${toText(value)}`);
  return printable([timestamp, id === undefined ? '-' : `#${id}`, type, ...fields].join('  '));
}

function show(event: ServerEvent, asJson: boolean): void {
  if (event.type === 'connected' && event.payload.missed)
    writeMessage('some events since that one are no longer kept: read your lists again');
  if (asJson) writeJsonLine(event);
  else if (event.type !== 'connected') writeData(toLine(event));
}

/**
 * Outages are reported and retried. If no connection ever succeeded, the error is thrown: the address is more likely
 * wrong.
 */
function openOutageTeller() {
  let hasBeenConnected = false;
  return {
    connected: () => {
      hasBeenConnected = true;
    },
    onWaiting: (reason: Error, pauseMs: number) => {
      if (!hasBeenConnected) throw reason;
      writeMessage(`${printable(reason.message)}; trying again in ${Math.ceil(pauseMs / 1000)} s`);
    },
  };
}

/** Renews the session in time in a run of days without other calls. */
function keepSession(session: Session): Disposable {
  const timer = setInterval(() => void session.token().catch(() => undefined), 10 * 60_000).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

export const tail = command({
  summary: 'Follow the events of your account as they happen',
  description:
    'Prints a line for every event: messages, friends, shares, tickets, files, proofs. Outages are waited out, and what was missed meanwhile, up to 24 hours, is printed then. With --json each line is one JSON document. Ctrl-C ends it.',
  examples: [
    { command: 'events tail', description: 'Watch' },
    { command: 'events tail --json | jq -r .type', description: 'Let a program watch' },
    { command: 'events tail --since-id 42', description: 'Begin after event 42' },
  ],
  flags: {
    'since-id': string({ helpValue: '<id>', summary: 'Begin after this event, at most 24 hours back.' }),
  },
  writesAsItGoes: true,
  async run({ flags, context }) {
    const lastEventId = flags['since-id'];
    if (lastEventId !== undefined && !eventId.safeParse(lastEventId).success)
      throw new CommandError('usage', `--since-id takes the number of an event, not "${lastEventId}"`);
    using interrupts = listenForInterrupts();
    const signal = AbortSignal.any([interrupts.signal, listenForClosedOutput()]);
    const client = await context.session();
    using _kept = keepSession(client);
    const { connected, onWaiting } = openOutageTeller();
    try {
      for await (const event of followEvents({ client, lastEventId, signal, onWaiting })) {
        if (event.type === 'connected') connected();
        show(event, flags.json === true);
      }
    } catch (error) {
      if (error instanceof StreamEnded) throw new CommandError('refused', error.message, { cause: error });
      throw error;
    }
    return interrupts.signal.aborted ? 'interrupted' : 'ok';
  },
  ending: result => result,
});
