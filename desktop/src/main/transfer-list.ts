// What is uploaded and downloaded, kept through the end of the program. Starts a few at a time in the process that moves
// files; what was under way when the program or a session ended goes on by itself, and only for the person who began it.
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Progress } from '@recordproof/shared/transfer/progress.ts';
import { TransferError } from '@recordproof/shared/transfer/transfer-error.ts';
import { z } from 'zod';
import type { Download, Upload } from '../bridge/bridge.ts';
import { isOfTheServer } from '../bridge/goes-on.ts';
import { fromEngine, type Job, type Outcome } from '../transfers/messages.ts';
import type { EnginePort } from './engine-port.ts';
import { openPrivateJson, type PrivateJson } from './private-json.ts';
import {
  fromKept,
  type Item,
  isDownload,
  isUpload,
  kept,
  setApart,
  settle,
  toDownload,
  toItem,
  toKept,
  toUpload,
} from './transfer-items.ts';

const maxRunning = 3;
const maxListed = 10_000;
/** Before a process that ended by itself is started anew. */
const restartMs = 1000;

type Parts = {
  readonly path: string;
  readonly startEngine: (hear: (message: unknown) => void, gone: () => void) => EnginePort;
  readonly tokenOf: (account: string) => Promise<string | undefined>;
  readonly hasLogin: (account: string) => boolean;
  /** Who is, or was last, signed in there. */
  readonly personOf: (account: string) => string | null;
  readonly addressOf: (account: string) => string | undefined;
  readonly onChange: () => void;
};

export async function openTransferList(parts: Parts): Promise<TransferList> {
  const file = await openPrivateJson({ path: parts.path, shape: z.array(kept), first: [] });
  return new TransferList(parts, file);
}

export class TransferList {
  readonly #parts: Parts;
  readonly #file: PrivateJson<z.infer<typeof kept>[]>;
  readonly #cancelled = new Set<string>();
  /** Stopped until their person is signed in again. */
  readonly #held = new Set<string>();
  #items: Item[];
  #engine: EnginePort | undefined;
  #isClosed = false;

  constructor(parts: Parts, file: PrivateJson<z.infer<typeof kept>[]>) {
    this.#parts = parts;
    this.#file = file;
    this.#items = file.get().map(fromKept);
  }

  uploads = (): Upload[] => this.#shown().filter(isUpload).map(toUpload);
  downloads = (): Download[] => this.#shown().filter(isDownload).map(toDownload);

  /** Where a finished download lies. */
  targetOf(id: string): string | undefined {
    const item = this.#find(id);
    return item?.job.kind === 'download' && item.state === 'done' ? item.job.target : undefined;
  }

  /** Share of what is under way that is done, from 0 to 1; null where nothing is. */
  overall(): number | null {
    const busy = this.#items.filter(item => item.state === 'waiting' && this.#mayRun(item));
    const total = busy.reduce((sum, { size }) => sum + size, 0);
    const moved = busy.reduce((sum, { progress }) => sum + (progress?.bytesMoved ?? 0), 0);
    return busy.length === 0 ? null : Math.min(1, moved / Math.max(1, total));
  }

  /** To who is signed in where, now: begins what may run, and stops what may not. */
  adjust(): void {
    for (const item of this.#items) {
      if (!item.isRunning || this.#mayRun(item) || this.#held.has(item.id)) continue;
      this.#held.add(item.id);
      this.#engine?.send({ kind: 'stop', id: item.id, how: 'pause' });
    }
    this.#parts.onChange();
    this.#startMore();
  }

  /** The server answers, and knows the person: what failed for want of that is tried again. */
  goOn(account: string): void {
    for (const item of this.#items)
      if (item.account === account && item.state === 'failed' && item.reason && isOfTheServer(item.reason))
        this.#queue(item);
  }

  /** Noted for good when it resolves. */
  async add(account: string, jobs: readonly Job[]): Promise<void> {
    if (this.#items.length + jobs.length > maxListed)
      throw new TransferError('gave-up', `no more than ${maxListed} transfers fit into the list: clear it first`);
    const added: Item[] = [];
    const owner = { account, person: this.#parts.personOf(account) };
    for (const job of jobs) added.push(await toItem(owner, job));
    this.#items = [...this.#items, ...added];
    await this.#keep();
    this.#parts.onChange();
    this.#startMore();
  }

  async pause(id: string): Promise<void> {
    const item = this.#find(id);
    if (item?.state !== 'waiting') return;
    if (item.isRunning) return this.#engine?.send({ kind: 'stop', id, how: 'pause' });
    item.state = 'paused';
    this.#changed();
  }

  async resume(id: string): Promise<void> {
    const item = this.#find(id);
    if (!item || item.isRunning || !['paused', 'failed'].includes(item.state)) return;
    this.#queue(item);
  }

  /** What is not done is taken back, here and at the server, by the process that did it. */
  async cancel(id: string): Promise<void> {
    const item = this.#find(id);
    if (!item) return;
    if (item.state === 'done') this.#remove(item);
    else {
      this.#cancelled.add(id);
      item.state = 'paused';
      if (!item.isRunning) this.#begin(item);
      this.#engine?.send({ kind: 'stop', id, how: 'cancel' });
    }
    this.#changed();
  }

  /** All that was begun with an account that is taken out of the list. */
  forget(account: string): void {
    for (const item of this.#items.filter(one => one.account === account)) {
      if (!item.isRunning) this.#remove(item);
      else {
        this.#cancelled.add(item.id);
        this.#engine?.send({ kind: 'stop', id: item.id, how: 'cancel' });
      }
    }
    this.#changed();
  }

  /** Another place of the same file, for an upload that has lost it. */
  async supply(id: string, path: string): Promise<void> {
    const item = this.#find(id);
    if (item?.job.kind !== 'upload' || item.isRunning) return;
    if ((await stat(path)).size !== item.size)
      throw new TransferError('source-changed', `${basename(path)} is not the file that was begun`);
    item.job = { ...item.job, path };
    this.#queue(item);
  }

  async clear(kind: 'upload' | 'download'): Promise<void> {
    const isMeant = kind === 'upload' ? isUpload : isDownload;
    this.#items = this.#items.filter(item => !isMeant(item) || item.state !== 'done' || !this.#isTheirs(item));
    this.#changed();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await this.#engine?.end();
    await this.#keep();
  }

  #isTheirs = ({ account, person }: Item): boolean => this.#parts.personOf(account) === person;
  #mayRun = (item: Item): boolean => this.#isTheirs(item) && this.#parts.hasLogin(item.account);
  #shown = (): Item[] => this.#items.filter(this.#isTheirs);
  #find = (id: string): Item | undefined => this.#items.find(one => one.id === id);
  #keep = (): Promise<void> => this.#file.set(this.#items.map(toKept));

  #remove(gone: Item): void {
    this.#items = this.#items.filter(item => item !== gone);
  }

  #changed(): void {
    this.#parts.onChange();
    // A disk that takes no note costs work after the next start, and nothing now.
    this.#keep().catch(() => undefined);
  }

  #queue(item: Item): void {
    item.state = 'waiting';
    delete item.reason;
    this.#changed();
    this.#startMore();
  }

  #startMore(): void {
    if (this.#isClosed) return;
    const free = maxRunning - this.#items.filter(item => item.isRunning).length;
    const mayBegin = (item: Item) => item.state === 'waiting' && !item.isRunning && this.#mayRun(item);
    const next = this.#items.filter(mayBegin).slice(0, Math.max(0, free));
    for (const item of next) this.#begin(item);
  }

  #begin(item: Item): void {
    const baseUrl = this.#parts.addressOf(item.account);
    if (baseUrl === undefined) {
      const message = 'its server was taken out of the list';
      this.#end(item, { kind: 'failed', failure: { kind: 'broken', message } });
      return;
    }
    this.#engine ??= this.#parts.startEngine(
      message => this.#hear(message),
      () => this.#lose(),
    );
    item.isRunning = true;
    this.#engine.send({ kind: 'start', id: item.id, account: item.account, baseUrl, job: item.job });
    this.#parts.onChange();
  }

  #end(item: Item, outcome: Outcome): void {
    settle(item, outcome);
    if (this.#held.delete(item.id) && item.state === 'paused') item.state = 'waiting';
    if (this.#cancelled.delete(item.id)) this.#remove(item);
    this.#changed();
  }

  #hear(given: unknown): void {
    const message = fromEngine.parse(given);
    if (message.kind === 'token') this.#answerToken(message.question, message.account);
    else if (message.kind === 'progress') this.#tellProgress(message.id, message.progress);
    else this.#takeOutcome(message.id, message.outcome);
  }

  #tellProgress(id: string, progress: Progress): void {
    const item = this.#find(id);
    if (item) item.progress = progress;
    this.#parts.onChange();
  }

  #takeOutcome(id: string, outcome: Outcome): void {
    const item = this.#find(id);
    // Stopped because the program ends: it goes on with the next start.
    if (!item || (this.#isClosed && outcome.kind === 'paused')) return;
    const apart = setApart(item, outcome);
    this.#items = [...this.#items, ...apart];
    this.#end(item, outcome);
    if (item.job.kind === 'upload-set' && item.job.files.length === 0) this.#remove(item);
    this.#startMore();
  }

  #answerToken(question: number, account: string): void {
    const answer = (token: string | undefined) => this.#engine?.send({ kind: 'token', question, token });
    this.#parts.tokenOf(account).then(answer, () => answer(undefined));
  }

  /** What it did is noted as far as it came, and goes on in the next one. */
  #lose(): void {
    this.#engine = undefined;
    for (const item of this.#items) item.isRunning = false;
    if (this.#isClosed) return;
    this.#parts.onChange();
    setTimeout(() => this.#startMore(), restartMs).unref();
  }
}
