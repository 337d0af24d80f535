// The start of a watch: lock, log, and the server, which is waited for. Each event is shown as it is logged.
import { systemClock } from '@recordproof/shared/transfer/ports.ts';
import { isPassing } from '@recordproof/shared/transfer/retry.ts';
import type { CommandContext } from '../platform/command-context.ts';
import { CommandError } from '../platform/command-error.ts';
import { toFailure } from '../platform/failure.ts';
import { listenForInterrupts } from '../platform/interrupts.ts';
import { printable, writeData, writeMessage } from '../platform/output.ts';
import { openTransfers, type Transfers } from '../platform/transfers.ts';
import { version } from '../platform/version.ts';
import type { LogLine, WatchEvent } from './events.ts';
import { Memory } from './memory.ts';
import { openWatchLog } from './watch-log.ts';
import { acquireLock, findState, type Watching } from './watching.ts';

type WatchOptions = Pick<Watching, 'form' | 'isVouched' | 'proxied'> & {
  readonly proofs: string | undefined;
  readonly limitRate: string | undefined;
  readonly show?: (line: LogLine) => void;
};

type OpenWatching = Watching &
  AsyncDisposable & {
    /** Ctrl-C and a stopped service are the ordinary end of a watch. */
    untilInterrupted<T>(work: () => Promise<T>): Promise<T | { readonly refused: 0 }>;
  };

/** Undefined for what only a later run needs. */
function toText(line: LogLine): string | undefined {
  switch (line.event) {
    case 'started':
      return `watching ${line.folder} for ${line.account} at ${line.server}`;
    case 'stopped':
      return 'stopped';
    case 'stored':
      return `stored    ${line.path} version ${line.version}, file ${line.fileId}`;
    case 'not-stored':
      return `refused   ${line.path}: ${line.why}`;
    case 'continues':
      return `continues ${line.path} after ${line.fileId ?? 'nothing'}: others have changed it at the server`;
    case 'proved':
      return `proved    ${line.path} version ${line.version}: ${line.archive}`;
    case 'no-proof':
      return `no proof  ${line.path} version ${line.version}: ${line.why}`;
    case 'proof-missing':
      return `missing   the proof of ${line.path}; it will be written again`;
    case 'left-out':
      return `left out  ${line.path}: ${line.why}`;
    case 'gone':
      return `gone      ${line.path}`;
    case 'waiting':
      return `waiting   ${line.why}`;
    case 'going-on':
      return 'going on';
    case 'sending':
    case 'same':
      return undefined;
  }
}

const showText = (line: LogLine): void => {
  const text = toText(line);
  if (text !== undefined) writeData(`${line.time.slice(0, 19)}Z  ${printable(text)}`);
};

export async function openWatching(
  context: CommandContext,
  folder: string,
  options: WatchOptions,
): Promise<OpenWatching> {
  const { server } = await context.settings();
  const state = await findState(folder, server.value);
  await using opened = new AsyncDisposableStack();
  const lock = acquireLock(state);
  if (lock === undefined)
    throw new CommandError('later', `${folder} is watched by another run`, {
      try: `recordproof watch status ${folder}`,
    });
  opened.use(lock);
  const memory = new Memory();
  const log = opened.use(await openWatchLog(state.log, line => memory.take(line)));
  const { show = showText } = options;
  const note = async (...events: readonly WatchEvent[]): Promise<void> => {
    if (events.length === 0) return;
    for (const line of await log.append(events)) show(line);
  };
  writeMessage(`the log is ${state.log}`);
  const transfers = opened.use(await awaitTransfers(context, options.limitRate, memory, note));
  await assertAccount(memory, transfers, folder);
  const { proofs = null, form, isVouched, proxied } = options;
  const facts = { folder, server: server.value, account: transfers.account, proofs, program: version };
  await note({ event: 'started', ...facts });
  const all = opened.move();
  return {
    ...{ folder, archives: proofs ?? folder, form, isVouched, proxied, transfers, memory, note },
    async untilInterrupted(work) {
      try {
        return await work();
      } catch (error) {
        if (!transfers.signal.aborted) throw error;
        return { refused: 0 };
      } finally {
        await note({ event: 'stopped' });
      }
    },
    [Symbol.asyncDispose]: () => all[Symbol.asyncDispose](),
  };
}

async function assertAccount(memory: Memory, { account }: Transfers, folder: string): Promise<void> {
  const before = memory.started?.account;
  if (before === undefined || before === account) return;
  throw new CommandError(
    'usage',
    `${folder} is watched for the account ${before}, but you are signed in as ${account}`,
    {
      try: `sign in as ${before}, or use another profile`,
    },
  );
}

const pauseMs = 5000;

/** The account may have to be requested from the server. */
async function awaitTransfers(
  context: CommandContext,
  limitRate: string | undefined,
  memory: Memory,
  note: Watching['note'],
): Promise<Transfers> {
  for (;;) {
    try {
      return await openTransfers(context, limitRate);
    } catch (error) {
      if (!isPassing(error)) throw error;
      const why = toFailure(error, 'recordproof watch').message;
      if (memory.waitingFor !== why) await note({ event: 'waiting', why });
      using interrupts = listenForInterrupts();
      await systemClock.sleep(pauseMs, interrupts.signal);
    }
  }
}
