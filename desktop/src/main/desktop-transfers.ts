// Transfers of the desktop program: the queue is stored in a file, a process of its own moves the bytes, and a transfer
// runs only in the session of the user who started it. Transfers that ran at the end of the program or of a session
// continue by themselves.
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { TransferError } from '@recordproof/shared/transfer/transfer-error.ts';
import { z } from 'zod';
import type { DownloadRequest } from '../bridge/bridge.ts';
import { isUnfinished } from '../bridge/download-request.ts';
import { openTransfer, type Transfer, type TransferPorts, TransferQueue } from '../engine/transfer-queue.ts';
import { fromWorker, type Job } from '../transfers/messages.ts';
import { openPrivateJson } from './private-json.ts';
import type { TransferProcessPort } from './system.ts';
import {
  fromStored,
  splitSet,
  storedTransfer,
  type Task,
  toDownload,
  toStored,
  toTask,
  toUpload,
} from './transfer-tasks.ts';

/** Before a process that ended by itself is started again. */
const restartMs = 1000;

type Parts = {
  readonly path: string;
  readonly startTransferProcess: (hear: (message: unknown) => void, gone: () => void) => TransferProcessPort;
  readonly findToken: (account: string) => Promise<string | undefined>;
  readonly hasToken: (account: string) => boolean;
  /** The user who is, or was last, signed in there. */
  readonly personOf: (account: string) => string | null;
  readonly addressOf: (account: string) => string | undefined;
  readonly onChange: () => void;
};

export type DesktopTransfers = Awaited<ReturnType<typeof openDesktopTransfers>>;

export async function openDesktopTransfers(parts: Parts) {
  const { personOf } = parts;
  const file = await openPrivateJson({ path: parts.path, shape: z.array(storedTransfer), first: [] });
  const write = () => file.set(transfers.list().map(toStored));
  const isTheirs = ({ account, task }: Transfer<Task>): boolean => personOf(account) === task.person;
  const mayRun = (transfer: Transfer<Task>): boolean => isTheirs(transfer) && parts.hasToken(transfer.account);
  const transferProcess = openTransferProcess(parts, () => transfers);
  const ports: TransferPorts<Task> = {
    ...{ mostAtOnce: 3, mostListed: 10_000 },
    ...{ runner: transferProcess, storage: { add: write, change: write, remove: write } },
    ...{ mayRun, split: splitSet, onChange: parts.onChange },
  };
  const transfers = new TransferQueue(ports, file.get().map(fromStored));
  const shown = () => transfers.list().filter(isTheirs);

  return {
    queue: transfers,
    uploads: () => shown().flatMap(one => toUpload(one, transfers.shownState(one))),
    downloads: () => shown().flatMap(one => toDownload(one, transfers.shownState(one))),
    /** Where a finished download is. */
    targetOf(id: string): string | undefined {
      const { task, state } = transfers.find(id) ?? {};
      return task?.job.kind === 'download' && state?.kind === 'done' ? task.job.target : undefined;
    },
    /** The done share of the waiting and running transfers, from 0 to 1; null without any. */
    overall(): number | null {
      const busy = transfers.list().filter(one => one.state.kind === 'waiting' && mayRun(one));
      const total = busy.reduce((sum, { task }) => sum + task.size, 0);
      const moved = busy.reduce((sum, { progress }) => sum + (progress?.bytesMoved ?? 0), 0);
      return busy.length === 0 ? null : Math.min(1, moved / Math.max(1, total));
    },
    /** Continues an unfinished download of the same; false where there is none. */
    resumeDownload(account: string, request: DownloadRequest): boolean {
      const same = transfers.list().find(({ account: its, task: { job }, ...one }) => {
        const isTheirOwn = its === account && job.kind === 'download';
        return isTheirOwn && isUnfinished({ task: job.wanted, state: one.state }, request);
      });
      if (same) transfers.resume(same.id);
      return same !== undefined;
    },
    async add(account: string, jobs: readonly Job[]): Promise<void> {
      const added: Transfer<Task>[] = [];
      for (const job of jobs) added.push(openTransfer(account, await toTask(personOf(account), job)));
      await transfers.add(added);
    },
    /** The same file at another path. */
    async supply(id: string, path: string): Promise<void> {
      const { task } = transfers.find(id) ?? {};
      if (task?.job.kind !== 'upload') return;
      const { size } = await stat(path);
      if (size !== task.size)
        throw new TransferError(
          'source-changed',
          `${basename(path)} has ${size} bytes, and this upload began with ${task.size}: choose the unchanged file`,
        );
      transfers.resume(id, { ...task, job: { ...task.job, path } });
    },
    clear: (kind: 'upload' | 'download') =>
      transfers.clear(one => isTheirs(one) && (one.task.job.kind === 'download') === (kind === 'download')),
    async [Symbol.asyncDispose]() {
      transfers.close();
      await transferProcess.end();
      await write();
    },
  };
}

/** Runs transfers in the process, which is started with the first of them. */
function openTransferProcess(parts: Parts, transfers: () => TransferQueue<Task>) {
  let port: TransferProcessPort | undefined;
  let isClosed = false;

  function hear(data: unknown): void {
    const message = fromWorker.parse(data);
    if (message.kind === 'progress') transfers().progress(message.id, message.progress);
    else if (message.kind === 'ended') transfers().end(message.id, message.outcome);
    else {
      const { question, account } = message;
      const answer = (token: string | undefined) => port?.send({ kind: 'token', question, token });
      parts.findToken(account).then(answer, () => answer(undefined));
    }
  }

  function restart(): void {
    port = undefined;
    transfers().loseRunner();
    if (!isClosed) setTimeout(() => transfers().adjust(), restartMs).unref();
  }

  return {
    start({ id, account, task: { job } }: Transfer<Task>): void {
      const baseUrl = parts.addressOf(account);
      if (baseUrl === undefined) {
        const message = 'its server was removed from the list';
        transfers().end(id, { kind: 'failed', failure: { code: 'broken', message } });
        return;
      }
      port ??= parts.startTransferProcess(hear, restart);
      port.send({ kind: 'start', id, account, baseUrl, job });
    },
    stop: (id: string, mode: 'pause' | 'cancel') => port?.send({ kind: 'stop', id, mode }),
    async end() {
      isClosed = true;
      await port?.end();
    },
  };
}
