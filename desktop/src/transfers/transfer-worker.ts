// Transfer worker: runs the transfers of the desktop program in a process of its own, reports their progress and end, and
// asks for tokens. It outlives the window.
import { openClient } from '@recordproof/shared/api/client.ts';
import type { BulkHttp } from '@recordproof/shared/node/bulk-http.ts';
import { type HashPool, openHashPool } from '@recordproof/shared/node/hash-pool.ts';
import { type Network, openNetwork } from '@recordproof/shared/node/network.ts';
import type { Proxies } from '@recordproof/shared/node/proxies.ts';
import type { ThreadCode } from '@recordproof/shared/node/threads.ts';
import { limitSends } from '@recordproof/shared/transfer/limit-sends.ts';
import type { Http } from '@recordproof/shared/transfer/ports.ts';
import type { z } from 'zod';
import { Runner, type Work } from '../engine/runner.ts';
import { type FromWorker, toWorker } from './messages.ts';
import { type Running, runJob, undoJob } from './run-job.ts';

type TransferWorker = { receive(message: unknown): void; [Symbol.asyncDispose](): Promise<void> };

type Resources = {
  readonly network: Network;
  readonly http: BulkHttp;
  /** `http` with a limit of concurrent requests. */
  readonly sending: Http;
  readonly pool: HashPool;
  readonly notes: string;
  readonly userAgent: string;
};

/** The same as the command line has for one file. */
const mostSends = 4;

type Start = Extract<z.output<typeof toWorker>, { kind: 'start' }>;

export function openTransferWorker(post: (message: FromWorker) => void, hashThread?: ThreadCode): TransferWorker {
  const questions = new Map<number, (token: string | undefined) => void>();
  const runner = new Runner((id, outcome) => post({ kind: 'ended', id, outcome }));
  let resources: Promise<Resources> | undefined;
  let lastQuestion = 0;

  const askToken = (account: string): Promise<string | undefined> =>
    new Promise(resolve => {
      lastQuestion += 1;
      questions.set(lastQuestion, resolve);
      post({ kind: 'token', question: lastQuestion, account });
    });

  async function toRun({ id, account, baseUrl }: Start, signal: AbortSignal): Promise<Running> {
    if (!resources) throw new Error(`transfer ${id} was started before the worker was opened`);
    const { network, userAgent, sending, ...rest } = await resources;
    const token = () => askToken(account);
    const client = openClient({ baseUrl, fetch: network.fetch, token, userAgent });
    const onProgress: Running['onProgress'] = progress => post({ kind: 'progress', id, progress });
    return { ...rest, http: sending, server: { client, baseUrl, token }, account, signal, onProgress };
  }

  const toWork = (start: Start): Work => ({
    run: async signal => runJob(await toRun(start, signal), start.id, start.job),
    undo: async () => undoJob(await toRun(start, new AbortController().signal), start.job),
  });

  return {
    receive(received) {
      const message = toWorker.parse(received);
      switch (message.kind) {
        case 'open':
          resources ??= openResources(message, hashThread);
          break;
        case 'start':
          runner.start(message.id, toWork(message));
          break;
        case 'stop':
          runner.stop(message.id, message.mode);
          break;
        case 'token':
          questions.get(message.question)?.(message.token);
          questions.delete(message.question);
      }
    },
    async [Symbol.asyncDispose]() {
      const ended = runner.pauseAll();
      for (const answer of questions.values()) answer(undefined);
      await ended;
      const opened = await resources;
      opened?.http[Symbol.dispose]();
      opened?.network[Symbol.dispose]();
      await opened?.pool[Symbol.asyncDispose]();
    },
  };
}

type Opening = Pick<Resources, 'notes' | 'userAgent'> & { readonly proxies: Proxies };

async function openResources(
  { proxies, notes, userAgent }: Opening,
  hashThread: ThreadCode | undefined,
): Promise<Resources> {
  const network = openNetwork({ proxies, userAgent });
  const pool = openHashPool(hashThread === undefined ? {} : { code: hashThread });
  const http = await network.openBulk();
  return { network, http, sending: limitSends(http, mostSends), pool, notes, userAgent };
}
