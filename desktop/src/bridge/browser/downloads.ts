// Downloads of this window: every chunk is checked against the manifest, the whole against the record, and only then is
// the browser given the file. A pause keeps what has arrived for as long as the window is there, and the end of a session
// until somebody else signs in.

import { exportProof } from '@recordproof/shared/api/proofs.ts';
import { toSavedName } from '@recordproof/shared/shown-name.ts';
import { downloadFile } from '@recordproof/shared/transfer/download.ts';
import { ownFile } from '@recordproof/shared/transfer/download-source.ts';
import type { Server } from '@recordproof/shared/transfer/ports.ts';
import { TransferError } from '@recordproof/shared/transfer/transfer-error.ts';
import type { Download, DownloadsBridge, FeedState, Wanted, Watched } from '../bridge.ts';
import { waitsForServer } from '../goes-on.ts';
import { readPicture } from '../read-picture.ts';
import { findWantedSource, type WantedFile } from '../wanted-source.ts';
import { openWatched } from '../watched.ts';
import { browserHttp } from './http.ts';
import type { BrowserSession } from './session.ts';
import { openSink, type Pieces } from './sink.ts';
import { toFailure } from './transfer-failure.ts';

/** Whatever it is: saved, never shown, so that nothing of it runs where this page is. */
function save(blob: Blob, fileName: string): void {
  const url = URL.createObjectURL(new Blob([blob], { type: 'application/octet-stream' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = toSavedName(fileName);
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** A browser that has no room for what has arrived says so when it is read, and never finds it again. */
const isLost = (error: unknown): boolean => error instanceof TransferError && error.failure === 'no-room';

class Stopped extends Error {}

export function openDownloads(session: BrowserSession, server: Server, feed: Watched<FeedState>): DownloadsBridge {
  const downloads = new Downloads(session, server);
  session.bridge.state.watch(() => downloads.adjust());
  feed.watch(() => feed.get() === 'live' && downloads.goOn());
  return {
    list: downloads.list,
    start: wanted => downloads.start(wanted),
    pause: id => downloads.pause(id),
    resume: id => downloads.resume(id),
    cancel: id => downloads.cancel(id),
    async clear() {
      downloads.list.set(downloads.list.get().filter(({ state }) => state.kind !== 'done'));
    },
    read: (wanted, signal) => readChecked(server, wanted, signal),
    readPicture: (path, signal) => readPicture(server.client, path, signal),
  };
}

class Downloads {
  readonly list = openWatched<readonly Download[]>([]);
  readonly #session: BrowserSession;
  readonly #server: Server;
  readonly #running = new Map<string, AbortController>();
  readonly #pieces = new Map<string, Pieces>();
  #owner: string | undefined;
  /** By whoever's session has ended. */
  #left: { readonly by: string; readonly list: readonly Download[] } | undefined;

  constructor(session: BrowserSession, server: Server) {
    this.#session = session;
    this.#server = server;
  }

  /** To who is signed in now. */
  adjust(): void {
    const state = this.#session.bridge.state.get();
    const who = state.kind === 'signed-in' ? state.account.externalId : undefined;
    if (who === this.#owner || state.kind === 'restoring') return;
    if (this.#owner !== undefined) this.#leave(this.#owner, state.kind !== 'signed-out' || state.ended);
    this.#owner = who;
    if (who !== undefined) this.#arrive(who);
  }

  /** The server answers again: what failed for want of it is tried again. */
  goOn(): void {
    for (const download of this.list.get()) if (waitsForServer(download.state)) void this.#run(download);
  }

  async start(wanted: Wanted): Promise<void> {
    const fresh = { state: { kind: 'waiting' }, progress: null, verified: false } as const;
    const download: Download = { id: crypto.randomUUID(), wanted, ...fresh };
    this.list.set([...this.list.get(), download]);
    await this.#run(download);
  }

  async pause(id: string): Promise<void> {
    this.#running.get(id)?.abort(new Stopped());
    this.#change(id, { state: { kind: 'paused' } });
  }

  async resume(id: string): Promise<void> {
    const download = this.list.get().find(one => one.id === id);
    if (download && !this.#running.has(id)) await this.#run(download);
  }

  async cancel(id: string): Promise<void> {
    this.#running.get(id)?.abort(new Stopped());
    this.#pieces.delete(id);
    this.list.set(this.list.get().filter(download => download.id !== id));
  }

  #change(id: string, part: Partial<Download>): void {
    this.list.set(this.list.get().map(download => (download.id === id ? { ...download, ...part } : download)));
  }

  #leave(by: string, isEnded: boolean): void {
    this.#left = isEnded ? { by, list: this.list.get() } : undefined;
    if (!this.#left) this.#pieces.clear();
    for (const stop of this.#running.values()) stop.abort(new Stopped());
    this.#running.clear();
    this.list.set([]);
  }

  #arrive(who: string): void {
    const back = this.#left?.by === who ? this.#left.list : [];
    this.#left = undefined;
    if (back.length === 0) this.#pieces.clear();
    this.list.set(back);
    for (const download of back) if (download.state.kind === 'running') void this.#run(download);
  }

  async #run({ id, wanted }: Download): Promise<void> {
    const stop = new AbortController();
    this.#running.set(id, stop);
    this.#change(id, { state: { kind: 'running' } });
    try {
      if (wanted.kind === 'proof') await this.#fetchProof(wanted.fileId, wanted.fileName, stop.signal);
      else await this.#fetchFile(id, wanted, stop.signal);
      this.#pieces.delete(id);
      this.#change(id, { state: { kind: 'done', fileHash: null } });
    } catch (error) {
      if (isLost(error)) this.#pieces.delete(id);
      if (!stop.signal.aborted) this.#change(id, { state: { kind: 'failed', reason: toFailure(error) } });
    } finally {
      if (this.#running.get(id) === stop) this.#running.delete(id);
    }
  }

  async #fetchProof(fileId: string, fileName: string, signal: AbortSignal): Promise<void> {
    const response = await this.#session.client.open(exportProof, { params: { id: fileId }, signal });
    save(await response.blob(), fileName);
  }

  async #fetchFile(id: string, wanted: WantedFile, signal: AbortSignal): Promise<void> {
    const kept = this.#pieces.get(id) ?? { blob: new Blob() };
    this.#pieces.set(id, kept);
    await downloadFile(
      {
        source: await findWantedSource(this.#session.client, wanted, signal),
        openSink: async () => openSink(kept, whole => save(whole, wanted.fileName)),
        signal,
        onProgress: () => progress => this.#change(id, { progress }),
      },
      { server: this.#server, http: browserHttp },
    );
    this.#change(id, { verified: true });
  }
}

type SmallFile = Parameters<DownloadsBridge['read']>[0];

async function readChecked(server: Server, { fileHash, maxBytes }: SmallFile, signal?: AbortSignal) {
  const kept: Pieces = { blob: new Blob() };
  const openChecked: Parameters<typeof downloadFile>[0]['openSink'] = async file => {
    if (file.fileSize <= maxBytes) return openSink(kept, () => undefined);
    throw new TransferError('part-refused', `the file has more than ${maxBytes} bytes`);
  };
  const download = { source: ownFile(fileHash), openSink: openChecked, ...(signal && { signal }) };
  await downloadFile(download, { server, http: browserHttp });
  return new Uint8Array(await kept.blob.arrayBuffer());
}
