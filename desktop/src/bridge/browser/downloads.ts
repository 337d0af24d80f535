// Downloads of a browser tab. Every chunk is checked against the manifest and the whole against the record before the browser
// gets the file. A paused download keeps its bytes until the tab closes or another person signs in.
import { issueStreamToken } from '@recordproof/shared/api/auth.ts';
import { downloadFolder } from '@recordproof/shared/api/folders.ts';
import { writeEvidenceArchive } from '@recordproof/shared/evidence/evidence-archive.ts';
import { toVoucherName, voucherNames } from '@recordproof/shared/evidence/voucher-names.ts';
import { toSavedName } from '@recordproof/shared/shown-name.ts';
import { downloadFile } from '@recordproof/shared/transfer/download.ts';
import { downloadZip } from '@recordproof/shared/transfer/download-zip.ts';
import { fetchEvidence, fetchEvidenceBytes } from '@recordproof/shared/transfer/fetch-evidence.ts';
import type { Server } from '@recordproof/shared/transfer/ports.ts';
import type { OnProgress } from '@recordproof/shared/transfer/progress.ts';
import { TransferError } from '@recordproof/shared/transfer/transfer-error.ts';
import { Runner } from '../../engine/runner.ts';
import type { Session } from '../../engine/session.ts';
import { openTransfer, type Transfer, Transfers } from '../../engine/transfers.ts';
import * as shape from '../../ipc/shapes.ts';
import type { Download, DownloadsBridge, FeedState, Outcome, Wanted, Watched } from '../bridge.ts';
import { readPicture } from '../read-picture.ts';
import {
  findWantedSource,
  isFile,
  isUnfinished,
  type WantedFile,
  type WantedProof,
  type WantedZip,
} from '../wanted-source.ts';
import { openWatched } from '../watched.ts';
import { browserHttp } from './http.ts';
import { withOtherTabs } from './other-tabs.ts';
import { openSink, type Pieces } from './sink.ts';

/** Saved, never opened, so that nothing of it runs at the origin of this page. */
function save(blob: Blob, fileName: string): void {
  const url = URL.createObjectURL(new Blob([blob], { type: 'application/octet-stream' }));
  saveFrom(url, fileName);
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

function saveFrom(url: string, fileName: string): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = toSavedName(fileName);
  link.click();
}

const saveBytes = (bytes: Uint8Array, fileName: string): void => save(new Blob([new Uint8Array(bytes)]), fileName);

/** A browser without disk space fails when the blob is read, and has lost it. */
const isLost = (error: unknown): boolean => error instanceof TransferError && error.failure === 'no-room';

export function openDownloads(session: Session, server: Server, feed: Watched<FeedState>): DownloadsBridge {
  const downloads = new Downloads(session, server);
  const { queue } = downloads;
  session.state.watch(() => downloads.adjust());
  feed.watch(() => feed.get() === 'live' && downloads.retryAfterOutage());
  return {
    list: withOtherTabs({ name: 'downloads', item: shape.download, own: downloads.list, owner: downloads.owner }),
    start: wanted => downloads.start(wanted),
    pause: async id => queue.pause(id),
    resume: async id => queue.resume(id),
    cancel: async id => queue.cancel(id),
    clear: async () => queue.clear(() => true),
    read: (wanted, signal) => readChecked(server, wanted, signal),
    readProof: async (fileId, signal) =>
      new Uint8Array(await fetchEvidenceBytes(server.client, fileId, signal ? { signal } : {})),
    readPicture: (path, signal) => readPicture(server.client, path, signal),
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

  readonly queue = new Transfers<Wanted>({
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
  async start(wanted: Wanted): Promise<void> {
    if (wanted.kind === 'zip' && wanted.content.kind === 'folder') return this.#saveFolder(wanted, wanted.content.path);
    const same = this.queue.list().find(one => one.account === this.#owner && isUnfinished(one, wanted));
    if (same) {
      this.queue.resume(same.id);
      return this.#runner.whenEnded(same.id);
    }
    const download = openTransfer(this.#owner ?? '', wanted);
    await this.queue.add([download]);
    await this.#runner.whenEnded(download.id);
  }

  /** By the browser itself: a folder may be larger than a page can hold. */
  async #saveFolder({ fileName }: WantedZip, path: string): Promise<void> {
    const { sseToken: token } = await this.#session.client.call(issueStreamToken, {});
    const query = new URLSearchParams({ path, proofs: 'true', token });
    saveFrom(`${this.#server.baseUrl}${downloadFolder.path}?${query}`, fileName);
  }

  #keepOnly(isMeant: (download: Transfer<Wanted>) => boolean): void {
    const left = this.queue.list().filter(isMeant);
    const ids = new Set(left.map(({ id }) => id));
    for (const id of [...this.#pieces.keys()]) if (!ids.has(id)) this.#pieces.delete(id);
    this.queue.load(left);
  }

  #toShown = (download: Transfer<Wanted>): Download[] => {
    const { id, account, task: wanted, progress, verified } = download;
    return account === this.#owner ? [{ id, wanted, state: this.queue.shownState(download), progress, verified }] : [];
  };

  async #run(id: string, wanted: Wanted, signal: AbortSignal): Promise<Outcome> {
    try {
      if (wanted.kind === 'proof') await this.#fetchProof(wanted, signal);
      else if (wanted.kind === 'zip') await this.#fetchZip(id, wanted, signal);
      else await this.#fetchFile(id, wanted, signal);
      this.#pieces.delete(id);
      return { kind: 'done', fileHash: null, verified: isFile(wanted), rejected: [] };
    } catch (error) {
      if (isLost(error)) this.#pieces.delete(id);
      throw error;
    }
  }

  async #fetchProof({ fileId, fileName, form }: WantedProof, signal: AbortSignal): Promise<void> {
    const evidence = await fetchEvidence(this.#session.client, fileId, signal);
    if (form === 'evidence') {
      saveBytes(writeEvidenceArchive(evidence), fileName);
      return;
    }
    saveBytes(evidence.archive, fileName);
    for (const name of voucherNames) {
      const bytes = evidence[name];
      if (bytes !== undefined) saveBytes(bytes, toVoucherName(fileName, name));
    }
  }

  async #fetchZip(id: string, { content, size, fileName }: WantedZip, signal: AbortSignal): Promise<void> {
    const kept = { blob: new Blob() };
    this.#pieces.set(id, kept);
    const onProgress: OnProgress = progress => this.queue.progress(id, progress);
    const openPieces = async () => openSink(kept, whole => save(whole, fileName));
    await downloadZip({ content, size, openSink: openPieces, signal, onProgress }, this.#server);
  }

  async #fetchFile(id: string, wanted: WantedFile, signal: AbortSignal): Promise<void> {
    const kept = this.#pieces.get(id) ?? { blob: new Blob() };
    this.#pieces.set(id, kept);
    await downloadFile(
      {
        source: await findWantedSource(this.#session.client, wanted, signal),
        openSink: async () => openSink(kept, whole => save(whole, wanted.fileName)),
        signal,
        onProgress: () => progress => this.queue.progress(id, progress),
      },
      { server: this.#server, http: browserHttp },
    );
  }
}

const openSignal = () => new AbortController().signal;

type SmallFile = Parameters<DownloadsBridge['read']>[0];

async function readChecked(server: Server, { source: wanted, maxBytes }: SmallFile, signal = openSignal()) {
  const kept: Pieces = { blob: new Blob() };
  const openChecked: Parameters<typeof downloadFile>[0]['openSink'] = async file => {
    if (file.fileSize <= maxBytes) return openSink(kept, () => undefined);
    throw new TransferError('part-refused', `the file has more than ${maxBytes} bytes`);
  };
  const source = await findWantedSource(server.client, wanted, signal);
  await downloadFile({ source, openSink: openChecked, signal }, { server, http: browserHttp });
  return new Uint8Array(await kept.blob.arrayBuffer());
}
