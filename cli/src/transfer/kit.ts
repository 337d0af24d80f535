// What every transfer has in its hands: the server, the connections for bulk bytes, the hashing threads, and where
// unfinished work is noted. Ctrl-C ends a transfer in order: what was reached stays.
import { join } from 'node:path';
import { me } from '@recordproof/shared/api/auth.ts';
import type { Client } from '@recordproof/shared/api/client.ts';
import { openBulkHttp } from '@recordproof/shared/node/bulk-http.ts';
import { type HashPool, openHashPool } from '@recordproof/shared/node/hash-pool.ts';
import { type Bandwidth, openBandwidth, unlimited } from '@recordproof/shared/transfer/bandwidth.ts';
import { type Http, type Server, systemClock } from '@recordproof/shared/transfer/ports.ts';
import { findSession } from '../credentials-file.ts';
import { stateFolder } from '../folders.ts';
import { listenForInterrupts } from '../interrupts.ts';
import { type Program, userAgent } from '../program.ts';
import { openProgressLine, type ProgressLine } from './progress-line.ts';
import { parseRate } from './units.ts';

export type TransferKit = AsyncDisposable & {
  readonly server: Server;
  readonly http: Http;
  readonly pool: HashPool;
  readonly bandwidth: Bandwidth;
  readonly line: ProgressLine;
  readonly signal: AbortSignal;
  /** Which account the notes belong to. */
  readonly account: string;
  readonly folders: { readonly uploads: string; readonly downloads: string; readonly spool: string };
};

export const toFolders = (): TransferKit['folders'] => ({
  uploads: join(stateFolder(), 'uploads'),
  downloads: join(stateFolder(), 'downloads'),
  spool: join(stateFolder(), 'spool'),
});

async function findAccount(program: Program): Promise<string> {
  if (program.environmentToken === undefined) {
    const saved = await findSession(program.paths, await program.sessionKey());
    if (saved) return saved.username;
  }
  return (await (await program.session()).call(me)).username;
}

type Caller = { readonly client: Client; readonly token: () => Promise<string | undefined>; readonly account: string };

async function openOwnCaller(program: Program): Promise<Caller> {
  const client = await program.session();
  return { client, token: client.token, account: await findAccount(program) };
}

/** `caller` for whoever need not be logged in. */
export async function openTransferKit(
  program: Program,
  limitRate: string | undefined,
  caller?: Caller,
): Promise<TransferKit> {
  const bandwidth = limitRate === undefined ? unlimited : openBandwidth(parseRate(limitRate), systemClock);
  const { client, token, account } = caller ?? (await openOwnCaller(program));
  const { server, timeout } = await program.settings();
  const http = openBulkHttp({ idleSeconds: Math.max(60, timeout.value), userAgent });
  const pool = openHashPool();
  const line = openProgressLine();
  const interrupts = listenForInterrupts('the same command goes on from here');
  return {
    server: { client, baseUrl: server.value, token },
    http,
    pool,
    bandwidth,
    line,
    account,
    signal: interrupts.signal,
    folders: toFolders(),
    async [Symbol.asyncDispose]() {
      interrupts[Symbol.dispose]();
      line[Symbol.dispose]();
      http[Symbol.dispose]();
      await pool[Symbol.asyncDispose]();
    },
  };
}
