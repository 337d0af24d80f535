// The context of a transfer: the server, the connections for bulk bytes, the hashing threads, and the journals of
// unfinished work. Ctrl-C stops a transfer cleanly and keeps its progress.
import { join } from 'node:path';
import { me } from '@recordproof/shared/api/auth.ts';
import type { Client } from '@recordproof/shared/api/client.ts';
import { type HashPool, openHashPool } from '@recordproof/shared/node/hash-pool.ts';
import { type Bandwidth, openBandwidth, unlimited } from '@recordproof/shared/transfer/bandwidth.ts';
import { type Http, type Server, systemClock } from '@recordproof/shared/transfer/ports.ts';
import type { OnWait } from '@recordproof/shared/transfer/wait.ts';
import type { CommandContext } from './command-context.ts';
import { findSession } from './credentials-file.ts';
import { stateFolder } from './folders.ts';
import { listenForInterrupts } from './interrupts.ts';
import { openProgressLine, type ProgressLine } from './progress-line.ts';
import type { Fitting } from './table.ts';
import { parseRate } from './units.ts';

export type Transfers = AsyncDisposable & {
  readonly server: Server;
  readonly http: Http;
  readonly pool: HashPool;
  readonly bandwidth: Bandwidth;
  readonly line: ProgressLine;
  /** A line for each file that is finished. */
  readonly print: (lines: Fitting) => void;
  readonly signal: AbortSignal;
  readonly onWait: OnWait;
  /** The account of the journals. */
  readonly account: string;
  readonly folders: { readonly uploads: string; readonly downloads: string; readonly spool: string };
};

export const toFolders = (): Transfers['folders'] => ({
  uploads: join(stateFolder(), 'uploads'),
  downloads: join(stateFolder(), 'downloads'),
  spool: join(stateFolder(), 'spool'),
});

async function findAccount(context: CommandContext): Promise<string> {
  if (context.environmentToken === undefined) {
    const saved = await findSession(context.paths, await context.sessionKey());
    if (saved) return saved.username;
  }
  return (await (await context.session()).call(me)).username;
}

type Caller = { readonly client: Client; readonly token: () => Promise<string | undefined>; readonly account: string };

async function openOwnCaller(context: CommandContext): Promise<Caller> {
  const client = await context.session();
  return { client, token: client.token, account: await findAccount(context) };
}

/** `caller` for calls without a login. */
export async function openTransfers(
  context: CommandContext,
  limitRate: string | undefined,
  caller?: Caller,
): Promise<Transfers> {
  const bandwidth = limitRate === undefined ? unlimited : openBandwidth(parseRate(limitRate), systemClock);
  const { client, token, account } = caller ?? (await openOwnCaller(context));
  const { server, timeout } = await context.settings();
  const http = await (await context.network()).openBulk({ idleSeconds: Math.max(60, timeout.value) });
  const pool = openHashPool();
  const line = openProgressLine(context.waits);
  const interrupts = listenForInterrupts('run the same command again to continue');
  return {
    server: { client, baseUrl: server.value, token },
    http,
    pool,
    bandwidth,
    line,
    print: lines => {
      line.clear();
      context.print(lines);
    },
    account,
    signal: interrupts.signal,
    onWait: context.waits.tell,
    folders: toFolders(),
    async [Symbol.asyncDispose]() {
      interrupts[Symbol.dispose]();
      line[Symbol.dispose]();
      http[Symbol.dispose]();
      await pool[Symbol.asyncDispose]();
    },
  };
}
