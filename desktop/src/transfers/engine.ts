// The process that moves files: starts and stops what it is told, and tells how far each is. It goes on whatever becomes of
// the window.

import { openClient } from '@recordproof/shared/api/client.ts';
import type { BulkHttp } from '@recordproof/shared/node/bulk-http.ts';
import { type HashPool, openHashPool } from '@recordproof/shared/node/hash-pool.ts';
import { type Network, openNetwork } from '@recordproof/shared/node/network.ts';
import type { Proxies } from '@recordproof/shared/node/proxies.ts';
import type { ThreadCode } from '@recordproof/shared/node/threads.ts';
import { limitSends } from '@recordproof/shared/transfer/limit-sends.ts';
import type { Http, Server } from '@recordproof/shared/transfer/ports.ts';
import { toSentFailure } from '../ipc/failures.ts';
import { type FromEngine, type Job, type Outcome, toEngine } from './messages.ts';
import { type Running, runJob, takeBack } from './run-job.ts';

type Engine = { hear(message: unknown): void; [Symbol.asyncDispose](): Promise<void> };

type Hands = {
  readonly network: Network;
  readonly http: BulkHttp;
  /** Through `http`, so many at a time. */
  readonly sending: Http;
  readonly pool: HashPool;
  readonly notes: string;
  readonly userAgent: string;
};

/** As the command line has them for one file. */
const mostSends = 4;

class Stopped extends Error {
  readonly how: 'pause' | 'cancel';
  constructor(how: 'pause' | 'cancel') {
    super(`stopped: ${how}`);
    this.how = how;
  }
}

type Started = { readonly id: string; readonly account: string; readonly baseUrl: string; readonly job: Job };

export function openEngine(tell: (message: FromEngine) => void, hashThread?: ThreadCode): Engine {
  const questions = new Map<number, (token: string | undefined) => void>();
  const running = new Map<string, AbortController>();
  const ended = new Set<Promise<void>>();
  let hands: Promise<Hands> | undefined;
  let lastQuestion = 0;

  const askToken = (account: string): Promise<string | undefined> =>
    new Promise(resolve => {
      lastQuestion += 1;
      questions.set(lastQuestion, resolve);
      tell({ kind: 'token', question: lastQuestion, account });
    });

  async function run({ id, account, baseUrl, job }: Started, stopping: AbortController): Promise<Outcome> {
    if (!hands) throw new Error('nothing was opened yet');
    const { network, userAgent, sending, ...rest } = await hands;
    const token = () => askToken(account);
    const server: Server = {
      client: openClient({ baseUrl, fetch: network.fetch, token, userAgent }),
      baseUrl,
      token,
    };
    const onProgress: Running['onProgress'] = progress => tell({ kind: 'progress', id, progress });
    const task: Running = { ...rest, http: sending, server, account, signal: stopping.signal, onProgress };
    try {
      return await runJob(task, id, job);
    } catch (failure) {
      // What failed because it was stopped was stopped.
      const error: unknown = stopping.signal.aborted ? stopping.signal.reason : failure;
      if (!(error instanceof Stopped)) return { kind: 'failed', failure: toSentFailure(error) };
      if (error.how === 'pause') return { kind: 'paused' };
      await takeBack(task, job).catch(() => undefined);
      return { kind: 'cancelled' };
    }
  }

  async function start(wish: Started): Promise<void> {
    if (running.has(wish.id)) return;
    const stopping = new AbortController();
    running.set(wish.id, stopping);
    const outcome = await run(wish, stopping).catch(
      (error): Outcome => ({ kind: 'failed', failure: toSentFailure(error) }),
    );
    running.delete(wish.id);
    tell({ kind: 'ended', id: wish.id, outcome });
  }

  return {
    hear(given) {
      const message = toEngine.parse(given);
      switch (message.kind) {
        case 'open':
          hands ??= openHands(message, hashThread);
          break;
        case 'start': {
          const work = start(message).finally(() => ended.delete(work));
          ended.add(work);
          break;
        }
        case 'stop':
          running.get(message.id)?.abort(new Stopped(message.how));
          break;
        case 'token':
          questions.get(message.question)?.(message.token);
          questions.delete(message.question);
      }
    },
    async [Symbol.asyncDispose]() {
      for (const stopping of running.values()) stopping.abort(new Stopped('pause'));
      for (const answer of questions.values()) answer(undefined);
      await Promise.all(ended);
      const opened = await hands;
      opened?.http[Symbol.dispose]();
      opened?.network[Symbol.dispose]();
      await opened?.pool[Symbol.asyncDispose]();
    },
  };
}

type Opening = Pick<Hands, 'notes' | 'userAgent'> & { readonly proxies: Proxies };

async function openHands({ proxies, notes, userAgent }: Opening, hashThread: ThreadCode | undefined): Promise<Hands> {
  const network = openNetwork({ proxies, userAgent });
  const pool = openHashPool(hashThread === undefined ? {} : { code: hashThread });
  const http = await network.openBulk();
  return { network, http, sending: limitSends(http, mostSends), pool, notes, userAgent };
}
