// Uploads of this window, through the engine that the command line has too, a few at a time. After a reload the list is there
// again; each goes on by itself where the browser may still read its files, else when the person has shown them once more.
import { abortDirectUpload } from '@recordproof/shared/api/uploads.ts';
import type { Server } from '@recordproof/shared/transfer/ports.ts';
import { TransferError } from '@recordproof/shared/transfer/transfer-error.ts';
import { groupSmall } from '@recordproof/shared/transfer/upload-set.ts';
import type { ChosenFile, FeedState, TransferState, Upload, UploadsBridge, Watched } from '../bridge.ts';
import { waitsForServer } from '../goes-on.ts';
import { openWatched } from '../watched.ts';
import { digestBeside } from './hash-beside.ts';
import { forgetJournal, openJournal } from './journal.ts';
import { findAgain, findKeptFiles, forgetFiles, type HeldFile, keepFiles, reopen, sweepFiles } from './kept-files.ts';
import { type Refused, send } from './send.ts';
import type { BrowserSession } from './session.ts';
import { toFailure } from './transfer-failure.ts';
import { toFound, toListed, toUpload } from './upload-entries.ts';
import { changeUploads, type ListedUpload, readUploads } from './upload-list.ts';

const runningAtOnce = 3;

class Stopped extends Error {}

type Running = { readonly stop: AbortController; readonly ended: Promise<void> };

export function openUploads(session: BrowserSession, server: Server, feed: Watched<FeedState>): UploadsBridge {
  const uploads = new Uploads(session, server);
  session.bridge.state.watch(() => uploads.adjust());
  feed.watch(() => feed.get() === 'live' && uploads.goOn());
  return {
    list: uploads.list,
    add: (chosen, wish) => uploads.add(chosen, wish?.targetFileId ?? null),
    pause: id => uploads.pause(id),
    resume: id => uploads.resume(id),
    cancel: id => uploads.cancel(id),
    supply: (id, chosen) => uploads.supply(id, chosen),
    async clear() {
      uploads.list.set(uploads.list.get().filter(({ state }) => state.kind !== 'done'));
    },
  };
}

class Uploads {
  readonly list = openWatched<readonly Upload[]>([]);
  readonly #session: BrowserSession;
  readonly #server: Server;
  readonly #held = new Map<string, readonly HeldFile[]>();
  readonly #running = new Map<string, Running>();
  /** What an earlier page has left: another window may have finished it by now. */
  readonly #found = new Set<string>();
  /** By it windows tell each other which uploads are over. */
  readonly #over = new BroadcastChannel('recordproof-uploads');
  #owner: string | undefined;
  /** Whose files are still at hand: a session that ended may begin again. */
  #heldOf: string | undefined;

  constructor(session: BrowserSession, server: Server) {
    this.#session = session;
    this.#server = server;
    this.#over.onmessage = ({ data }) => this.#follow(String(data));
  }

  /** To who is signed in now. */
  adjust(): void {
    const state = this.#session.bridge.state.get();
    const who = state.kind === 'signed-in' ? state.account.externalId : undefined;
    if (who === this.#owner || state.kind === 'restoring') return;
    for (const { stop } of this.#running.values()) stop.abort(new Stopped());
    this.#owner = who;
    this.list.set([]);
    if (who === undefined) return;
    if (who !== this.#heldOf) this.#held.clear();
    this.#heldOf = who;
    const listed = readUploads(who);
    for (const { id } of listed) this.#found.add(id);
    this.list.set(listed.map(entry => toFound(entry, this.#held.has(entry.id))));
    this.#startNext();
    void this.#takeUp(this.list.get());
  }

  /** The server answers again: what failed for want of it is tried again. */
  goOn(): void {
    for (const { id, state } of this.list.get())
      if (waitsForServer(state) && this.#held.has(id)) this.#enter(id, { kind: 'waiting' });
    this.#startNext();
  }

  /** What another window has cancelled or finished is over in this one, too. */
  async #follow(id: string): Promise<void> {
    if (!this.#find(id)) return;
    await this.#stopRun(id);
    this.#held.delete(id);
    this.list.set(this.list.get().filter(upload => upload.id !== id));
    forgetJournal(id);
  }

  async add(chosen: readonly ChosenFile[], targetFileId: string | null): Promise<void> {
    const groups = targetFileId === null ? groupSmall(chosen, ({ file }) => file) : chosen.map(one => [one]);
    const made = groups.map(group => ({ group, upload: toUpload(group, targetFileId) }));
    for (const { group, upload } of made) this.#held.set(upload.id, group);
    this.#list(made.map(({ upload }) => upload));
    this.#startNext();
    for (const { group, upload } of made) if (this.#find(upload.id)) await keepFiles(upload.id, group);
  }

  async pause(id: string): Promise<void> {
    const kind = this.#find(id)?.state.kind;
    if (kind !== 'running' && kind !== 'waiting') return;
    this.#note(id, { isPaused: true });
    this.#enter(id, { kind: 'paused' });
    await this.#stopRun(id);
    this.#enter(id, { kind: 'paused' });
  }

  async resume(id: string): Promise<void> {
    this.#note(id, { isPaused: false });
    if (!this.#held.has(id)) {
      const kept = await findKeptFiles(id);
      const held = await reopen(kept, 'ask');
      if (!held) return this.#enter(id, { kind: 'needs-file', mayAsk: false });
      this.#held.set(id, held);
    }
    this.#enter(id, { kind: 'waiting' });
    this.#startNext();
  }

  async cancel(id: string): Promise<void> {
    await this.#stopRun(id);
    const plan = openJournal(id).find()?.plan;
    this.#drop(id);
    forgetJournal(id);
    // What the server has of it goes by itself in time; this only makes it sooner.
    if (plan)
      await this.#session.client.call(abortDirectUpload, { params: { clientId: plan.clientId } }).catch(() => null);
  }

  async supply(id: string, chosen: readonly ChosenFile[]): Promise<void> {
    const upload = this.#find(id);
    const [first] = chosen;
    if (!upload || !first) return;
    if (upload.files === 1) await assertSame(upload, first.file);
    const one = [{ file: first.file, folder: upload.folder }];
    const held = upload.files === 1 ? one : findAgain(await findKeptFiles(id), chosen);
    if (!held) throw new TransferError('source-changed', 'not all files are there that this upload was begun with');
    this.#held.set(id, held);
    this.#enter(id, { kind: 'waiting' });
    this.#startNext();
  }

  #find = (id: string): Upload | undefined => this.list.get().find(upload => upload.id === id);

  #change(id: string, part: Partial<Upload>): void {
    this.list.set(this.list.get().map(upload => (upload.id === id ? { ...upload, ...part } : upload)));
  }

  #enter = (id: string, state: TransferState): void => this.#change(id, { state });

  #list(made: readonly Upload[]): void {
    this.list.set([...this.list.get(), ...made]);
    if (this.#owner !== undefined) changeUploads(this.#owner, kept => [...kept, ...made.map(toListed)]);
  }

  #note(id: string, part: Partial<ListedUpload>): void {
    if (this.#owner !== undefined)
      changeUploads(this.#owner, kept => kept.map(entry => (entry.id === id ? { ...entry, ...part } : entry)));
  }

  #forget(id: string): void {
    this.#held.delete(id);
    if (this.#owner !== undefined) changeUploads(this.#owner, kept => kept.filter(entry => entry.id !== id));
    this.#over.postMessage(id);
    void forgetFiles(id);
  }

  #drop(id: string): void {
    this.list.set(this.list.get().filter(upload => upload.id !== id));
    this.#forget(id);
  }

  /** What an earlier page has left goes on where nobody has to be asked. */
  async #takeUp(found: readonly Upload[]): Promise<void> {
    for (const { id, state } of found) {
      if (state.kind === 'waiting') continue;
      const kept = await findKeptFiles(id);
      const held = await reopen(kept, 'look');
      if (this.#find(id)?.state !== state) continue;
      if (held) this.#held.set(id, held);
      if (state.kind === 'paused') continue;
      const mayAsk = kept.length > 0 && kept.every(({ handle }) => handle !== null);
      this.#enter(id, held ? { kind: 'waiting' } : { kind: 'needs-file', mayAsk });
      this.#startNext();
    }
    await sweepFiles();
  }

  #startNext(): void {
    for (const upload of this.list.get()) {
      if (this.#running.size >= runningAtOnce) return;
      const held = this.#held.get(upload.id);
      if (upload.state.kind === 'waiting' && held && !this.#running.has(upload.id)) this.#start(upload, held);
    }
  }

  #start(upload: Upload, held: readonly HeldFile[]): void {
    const { id } = upload;
    const stop = new AbortController();
    this.#enter(id, { kind: 'running' });
    const ended = whileHeld(id, () => this.#run(upload, held, stop.signal))
      .catch(error => {
        if (!stop.signal.aborted) this.#enter(id, { kind: 'failed', reason: toFailure(error) });
      })
      .finally(() => {
        this.#running.delete(id);
        this.#startNext();
      });
    this.#running.set(id, { stop, ended });
  }

  async #run(upload: Upload, held: readonly HeldFile[], signal: AbortSignal): Promise<void> {
    const { id } = upload;
    if (this.#isDoneElsewhere(id)) return this.#drop(id);
    const sending = {
      upload,
      held,
      signal,
      onProgress: (progress: Upload['progress']) => this.#change(id, { progress }),
    };
    const { fileHash, refused } = await send(sending, this.#server);
    if (refused.length > 0) this.#setApart(upload, refused);
    if (refused.length === held.length) return this.#drop(id);
    this.#enter(id, { kind: 'done', fileHash });
    this.#forget(id);
  }

  #isDoneElsewhere(id: string): boolean {
    const listed = this.#owner === undefined ? [] : readUploads(this.#owner);
    return this.#found.has(id) && !listed.some(entry => entry.id === id);
  }

  /** Each of them is an upload of its own from now on, and says itself why it failed. */
  #setApart({ id, files, size }: Upload, refused: readonly Refused[]): void {
    const made = refused.map(({ held, error }) => {
      const upload: Upload = { ...toUpload([held], null), state: { kind: 'failed', reason: toFailure(error) } };
      this.#held.set(upload.id, [held]);
      return upload;
    });
    const left = refused.reduce((sum, { held }) => sum + held.file.size, 0);
    this.#change(id, { files: files - refused.length, size: size - left });
    this.#list(made);
  }

  async #stopRun(id: string): Promise<void> {
    this.#running.get(id)?.stop.abort(new Stopped());
    await this.#running.get(id)?.ended;
  }
}

/** By its size, and by the bytes of what was sent first: names and times alone are no reason to go on. */
async function assertSame(upload: Upload, file: File): Promise<void> {
  const entry = openJournal(upload.id).find();
  const isOther = () => {
    throw new TransferError('source-changed', `${file.name} is not the file that this upload was begun with`);
  };
  if (file.size !== upload.size || file.name !== upload.fileName) isOther();
  const [index, hash] = entry?.hashes.entries().next().value ?? [];
  if (!entry || index === undefined) return;
  const start = index * entry.plan.chunkSize;
  const slice = file.slice(start, Math.min(file.size, start + entry.plan.chunkSize));
  if ((await digestBeside(slice)) !== hash) isOther();
}

/** One window at a time goes on with an upload. */
async function whileHeld(id: string, work: () => Promise<void>): Promise<void> {
  if (navigator.locks === undefined) return work();
  await navigator.locks.request(`recordproof-upload-${id}`, { ifAvailable: true }, async lock => {
    if (lock === null) throw new TransferError('paused', 'this upload runs in another window');
    await work();
  });
}
