// What is uploaded and downloaded, kept through the end of the program. Starts a few at a time in the process that moves
// files; what was under way when the program ended goes on by itself.
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Progress } from '@recordproof/shared/transfer/progress.ts';
import { TransferError } from '@recordproof/shared/transfer/transfer-error.ts';
import { z } from 'zod';
import type { Download, TransferState, Upload } from '../bridge/bridge.ts';
import { toKeptFailure } from '../ipc/failures.ts';
import { fromEngine, type Job, job, type Outcome } from '../transfers/messages.ts';
import type { EnginePort } from './engine-port.ts';
import { openPrivateJson } from './private-json.ts';

const kept = z.object({
  id: z.string(),
  account: z.string(),
  job,
  fileName: z.string(),
  size: z.number(),
  /** What runs is noted as waiting. */
  state: z.enum(['waiting', 'paused', 'done', 'failed']),
  reason: z.object({ code: z.string(), message: z.string() }).optional(),
  fileHash: z.string().nullable(),
  verified: z.boolean(),
});
type Kept = z.infer<typeof kept>;

const maxRunning = 3;
const maxListed = 10_000;

type Item = Kept & { isRunning: boolean; progress: Progress | null };

export type TransferList = AsyncDisposable & {
  uploads(): Upload[];
  downloads(): Download[];
  add(account: string, jobs: readonly Job[]): Promise<void>;
  pause(id: string): Promise<void>;
  resume(id: string): Promise<void>;
  cancel(id: string): Promise<void>;
  /** Another place of the same file, for an upload that has lost it. */
  supply(id: string, path: string): Promise<void>;
  clear(kind: Job['kind']): Promise<void>;
  targetOf(id: string): string | undefined;
  /** Share of what is under way that is done, from 0 to 1; null where nothing is. */
  overall(): number | null;
};

type Parts = {
  readonly path: string;
  readonly startEngine: (hear: (message: unknown) => void, gone: () => void) => EnginePort;
  readonly tokenOf: (account: string) => Promise<string | undefined>;
  readonly addressOf: (account: string) => string | undefined;
  readonly onChange: (kind: Job['kind']) => void;
};

function toState({ state, isRunning, reason, fileHash }: Item): TransferState {
  if (isRunning) return { kind: 'running' };
  if (state === 'done') return { kind: 'done', fileHash };
  if (state === 'failed') return { kind: 'failed', reason: reason ?? { code: 'broken', message: '' } };
  return { kind: state };
}

const toUpload = (item: Item & { job: Extract<Job, { kind: 'upload' }> }): Upload => ({
  id: item.id,
  fileName: item.fileName,
  folder: item.job.folder,
  size: item.size,
  targetFileId: item.job.targetFileId,
  state: toState(item),
  progress: item.progress,
});

const toDownload = (item: Item & { job: Extract<Job, { kind: 'download' }> }): Download => ({
  id: item.id,
  wanted: item.job.wanted,
  state: toState(item),
  progress: item.progress,
  verified: item.verified,
});

const isUpload = (item: Item): item is Item & { job: Extract<Job, { kind: 'upload' }> } => item.job.kind === 'upload';
const isDownload = (item: Item): item is Item & { job: Extract<Job, { kind: 'download' }> } =>
  item.job.kind === 'download';

async function toItem(account: string, given: Job): Promise<Item> {
  const isFile = given.kind === 'upload';
  const size = isFile ? (await stat(given.path)).size : given.wanted.kind === 'proof' ? 0 : given.wanted.size;
  const fileName = isFile ? basename(given.path) : given.wanted.fileName;
  const fresh = { state: 'waiting', fileHash: null, verified: false, isRunning: false, progress: null } as const;
  return { id: crypto.randomUUID(), account, job: given, fileName, size, ...fresh };
}

function settle(item: Item, outcome: Outcome): void {
  item.isRunning = false;
  delete item.reason;
  switch (outcome.kind) {
    case 'done':
      item.state = 'done';
      item.fileHash = outcome.fileHash;
      item.verified = outcome.verified;
      break;
    case 'failed':
      item.state = 'failed';
      item.reason = toKeptFailure(outcome.failure);
      break;
    default:
      item.state = 'paused';
  }
}

export async function openTransferList(parts: Parts): Promise<TransferList> {
  const file = await openPrivateJson({ path: parts.path, shape: z.array(kept), first: [] });
  let items: Item[] = file.get().map(one => ({ ...one, isRunning: false, progress: null }));
  const cancelled = new Set<string>();
  let engine: EnginePort | undefined;
  let isClosed = false;

  const keep = (): Promise<void> => file.set(items.map(({ isRunning: _runs, progress: _progress, ...one }) => one));
  const find = (id: string): Item | undefined => items.find(one => one.id === id);
  const remove = (gone: (item: Item) => boolean): void => {
    items = items.filter(item => !gone(item));
  };

  function hear(given: unknown): void {
    const message = fromEngine.parse(given);
    if (message.kind === 'token') {
      const { question, account } = message;
      const answer = (token: string | undefined) => engine?.send({ kind: 'token', question, token });
      parts.tokenOf(account).then(answer, () => answer(undefined));
      return;
    }
    const item = find(message.id);
    if (!item) return;
    if (message.kind === 'progress') {
      item.progress = message.progress;
      parts.onChange(item.job.kind);
      return;
    }
    // Stopped because the program ends: it goes on with the next start.
    if (isClosed && message.outcome.kind === 'paused') return;
    settle(item, message.outcome);
    if (cancelled.delete(item.id)) remove(one => one.id === item.id);
    changed(item.job.kind);
    startMore();
  }

  function changed(kind: Job['kind']): void {
    parts.onChange(kind);
    keep().catch(() => undefined);
  }

  /** What it did is noted as far as it came: it goes on in the next one. */
  function lose(): void {
    engine = undefined;
    for (const item of items) item.isRunning = false;
    if (isClosed) return;
    parts.onChange('upload');
    parts.onChange('download');
    setTimeout(startMore, 1000).unref();
  }

  function startMore(): void {
    if (isClosed) return;
    const free = maxRunning - items.filter(item => item.isRunning).length;
    const next = items.filter(item => item.state === 'waiting' && !item.isRunning).slice(0, Math.max(0, free));
    for (const item of next) start(item);
  }

  function start(item: Item): void {
    const baseUrl = parts.addressOf(item.account);
    if (baseUrl === undefined) {
      const message = 'its server was taken out of the list';
      settle(item, { kind: 'failed', failure: { kind: 'broken', message } });
      changed(item.job.kind);
      return;
    }
    engine ??= parts.startEngine(hear, lose);
    item.isRunning = true;
    engine.send({ kind: 'start', id: item.id, account: item.account, baseUrl, job: item.job });
    parts.onChange(item.job.kind);
  }

  setImmediate(startMore);
  return {
    uploads: () => items.filter(isUpload).map(toUpload),
    downloads: () => items.filter(isDownload).map(toDownload),
    async add(account, jobs) {
      if (items.length + jobs.length > maxListed)
        throw new TransferError('gave-up', `no more than ${maxListed} transfers fit into the list: clear it first`);
      const added: Item[] = [];
      for (const given of jobs) added.push(await toItem(account, given));
      items = [...items, ...added];
      await keep();
      for (const kind of new Set(jobs.map(one => one.kind))) parts.onChange(kind);
      startMore();
    },
    async pause(id) {
      const item = find(id);
      if (item?.state !== 'waiting') return;
      if (item.isRunning) return engine?.send({ kind: 'stop', id, how: 'pause' });
      item.state = 'paused';
      changed(item.job.kind);
    },
    async resume(id) {
      const item = find(id);
      if (!item || item.isRunning || !['paused', 'failed'].includes(item.state)) return;
      item.state = 'waiting';
      delete item.reason;
      changed(item.job.kind);
      startMore();
    },
    async cancel(id) {
      const item = find(id);
      if (!item) return;
      if (item.state === 'done') remove(one => one.id === id);
      else {
        // Only the process that moves files can take back what it did.
        cancelled.add(id);
        item.state = 'paused';
        if (!item.isRunning) start(item);
        engine?.send({ kind: 'stop', id, how: 'cancel' });
      }
      changed(item.job.kind);
    },
    async supply(id, path) {
      const item = find(id);
      if (item?.job.kind !== 'upload' || item.isRunning) return;
      if ((await stat(path)).size !== item.size)
        throw new TransferError('source-changed', `${basename(path)} is not the file that was begun`);
      item.job = { ...item.job, path };
      item.state = 'waiting';
      changed('upload');
      startMore();
    },
    async clear(kind) {
      remove(item => item.job.kind === kind && item.state === 'done');
      changed(kind);
    },
    targetOf: id => {
      const item = find(id);
      return item?.job.kind === 'download' && item.state === 'done' ? item.job.target : undefined;
    },
    overall() {
      const busy = items.filter(item => item.state === 'waiting');
      const total = busy.reduce((sum, { size }) => sum + size, 0);
      const moved = busy.reduce((sum, { progress }) => sum + (progress?.bytesMoved ?? 0), 0);
      return busy.length === 0 ? null : Math.min(1, moved / Math.max(1, total));
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      await engine?.end();
      await keep();
    },
  };
}
