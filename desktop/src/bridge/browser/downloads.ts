// Downloads of a browser tab. Every chunk is checked against the manifest and the whole against the record before the
// browser gets the file. A paused download keeps its bytes until the tab closes or another person signs in.
import type { Server } from '@recordproof/shared/transfer/ports.ts';
import type { Progress } from '@recordproof/shared/transfer/progress.ts';
import { TransferError } from '@recordproof/shared/transfer/transfer-error.ts';
import { Runner } from '../../engine/runner.ts';
import type { Session } from '../../engine/session.ts';
import { openTransfer, type Transfer, TransferQueue } from '../../engine/transfer-queue.ts';
import * as shape from '../../ipc/shapes.ts';
import type { Download, DownloadRequest, DownloadsBridge, FeedState, Outcome, Watched } from '../bridge.ts';
import { isFile, isUnfinished } from '../download-request.ts';
import { openWatched } from '../watched.ts';
import { withOtherTabs } from './other-tabs.ts';
import type { Pieces } from './transfer-work.ts';

const loadWork = () => import('./transfer-work.ts');

/** Without disk space the browser fails when the blob is read, and the blob is lost. */
const isLost = (error: unknown): boolean => error instanceof TransferError && error.failure === 'no-room';

export function openDownloads(session: Session, server: Server, feed: Watched<FeedState>): DownloadsBridge {
  const downloads = new Downloads(session, server);
  const { queue } = downloads;
  session.state.watch(() => downloads.adjust());
  feed.watch(() => feed.get() === 'live' && downloads.retryAfterOutage());
  return {
    list: withOtherTabs({ name: 'downloads', item: shape.download, own: downloads.list, owner: downloads.owner }),
    start: request => downloads.start(request),
    pause: async id => queue.pause(id),
    resume: async id => queue.resume(id),
    cancel: async id => queue.cancel(id),
    clear: async () => queue.clear(() => true),
    read: async (request, signal) => (await loadWork()).readChecked(server, request, signal),
    readProof: async (fileId, signal) => (await loadWork()).readProof(server, fileId, signal),
    readPicture: async (path, signal) => (await loadWork()).readPicture(server.client, path, signal),
  };
}

/** Kept for the person whose session has ended, until another signs in. */
class Downloads {
  readonly list = openWatched<readonly Download[]>([]);
  readonly #session: Session;
  readonly #server: Server;
  readonly #pieces = new Map<string, Pieces>();
  readonly #runner = new Runner((id, outcome) => this.queue.end(id, outcome));
  #owner: string | undefined;

  readonly queue = new TransferQueue<DownloadRequest>({
    mostAtOnce: Number.POSITIVE_INFINITY,
    mostListed: Number.POSITIVE_INFINITY,
    runner: {
      start: ({ id, task }) =>
        this.#runner.start(id, {
          run: signal => this.#run(id, task, signal),
          undo: async () => void this.#pieces.delete(id),
        }),
      stop: (id, mode) => this.#runner.stop(id, mode),
    },
    storage: { add: async () => undefined, change: async () => undefined, remove: async () => undefined },
    mayRun: ({ account }) => account === this.#owner,
    split: task => ({ rest: task, apart: [] }),
    onChange: () => this.list.set(this.queue.list().flatMap(this.#toShown)),
  });

  constructor(session: Session, server: Server) {
    this.#session = session;
    this.#server = server;
  }

  /** After a change of the signed-in person. */
  adjust(): void {
    const state = this.#session.state.get();
    if (state.kind === 'restoring') return;
    const owner = state.kind === 'signed-in' ? state.account.externalId : undefined;
    const hasSignedOut = state.kind === 'signed-out' && !state.ended;
    if (owner === this.#owner && !hasSignedOut) return;
    this.#owner = owner;
    if (owner !== undefined) this.#keepOnly(one => one.account === owner);
    else if (hasSignedOut) this.#keepOnly(() => false);
    else this.queue.adjust();
  }

  retryAfterOutage(): void {
    if (this.#owner !== undefined) this.queue.retryAfterOutage(this.#owner);
  }

  owner = (): string | undefined => this.#owner;

  /** Resolves at the end of its first run, so that several are fetched one after the other. */
  async start(request: DownloadRequest): Promise<void> {
    const same = this.queue.list().find(one => one.account === this.#owner && isUnfinished(one, request));
    if (same) {
      this.queue.resume(same.id);
      return this.#runner.whenEnded(same.id);
    }
    const download = openTransfer(this.#owner ?? '', request);
    await this.queue.add([download]);
    await this.#runner.whenEnded(download.id);
  }

  #keepOnly(isMeant: (download: Transfer<DownloadRequest>) => boolean): void {
    const left = this.queue.list().filter(isMeant);
    const ids = new Set(left.map(({ id }) => id));
    for (const id of [...this.#pieces.keys()]) if (!ids.has(id)) this.#pieces.delete(id);
    this.queue.load(left);
  }

  #toShown = (download: Transfer<DownloadRequest>): Download[] => {
    const { id, account, task: wanted, progress, verified } = download;
    return account === this.#owner ? [{ id, wanted, state: this.queue.shownState(download), progress, verified }] : [];
  };

  async #run(id: string, request: DownloadRequest, signal: AbortSignal): Promise<Outcome> {
    try {
      const isHandedOver = await this.#fetch(id, request, signal);
      this.#pieces.delete(id);
      return { kind: 'done', fileHash: null, verified: isFile(request), rejected: [], isHandedOver };
    } catch (error) {
      if (isLost(error)) this.#pieces.delete(id);
      throw error;
    }
  }

  /** Whether the browser itself continues the download. */
  async #fetch(id: string, request: DownloadRequest, signal: AbortSignal): Promise<boolean> {
    const work = await loadWork();
    if (request.kind === 'proof') {
      await work.fetchProof(this.#server, request, signal);
      return false;
    }
    const kept = (isFile(request) && this.#pieces.get(id)) || { blob: new Blob() };
    this.#pieces.set(id, kept);
    const running = { kept, signal, onProgress: (progress: Progress) => this.queue.progress(id, progress) };
    if (request.kind === 'zip') return work.fetchZip(this.#server, request, running);
    await work.fetchFile(this.#server, request, running);
    return false;
  }
}
