// Downloads of this window: every chunk is checked against the manifest, the whole against the record, and only then is
// the browser given the file. A pause keeps what has arrived for as long as the window is there, and the end of a session
// until somebody else signs in.

import { exportProof } from '@recordproof/shared/api/proofs.ts';
import { toShownName } from '@recordproof/shared/shown-name.ts';
import { downloadFile } from '@recordproof/shared/transfer/download.ts';
import { ownFile } from '@recordproof/shared/transfer/download-source.ts';
import type { Server } from '@recordproof/shared/transfer/ports.ts';
import { TransferError } from '@recordproof/shared/transfer/transfer-error.ts';
import type { Download, DownloadsBridge, FeedState, Watched } from '../bridge.ts';
import { waitsForServer } from '../goes-on.ts';
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
  link.download = toShownName(fileName, '_');
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** A browser that has no room for what has arrived says so when it is read, and never finds it again. */
const isLost = (error: unknown): boolean => error instanceof TransferError && error.failure === 'no-room';

class Stopped extends Error {}

type Left = { readonly by: string; readonly list: readonly Download[] };

export function openDownloads(session: BrowserSession, server: Server, feed: Watched<FeedState>): DownloadsBridge {
  const list = openWatched<readonly Download[]>([]);
  const running = new Map<string, AbortController>();
  const pieces = new Map<string, Pieces>();
  const change = (id: string, part: Partial<Download>): void =>
    list.set(list.get().map(download => (download.id === id ? { ...download, ...part } : download)));

  async function fetchProof(fileId: string, fileName: string, signal: AbortSignal): Promise<void> {
    const response = await session.client.open(exportProof, { params: { id: fileId }, signal });
    save(await response.blob(), fileName);
  }

  async function fetchFile(id: string, wanted: WantedFile, signal: AbortSignal): Promise<void> {
    const kept = pieces.get(id) ?? { blob: new Blob() };
    pieces.set(id, kept);
    await downloadFile(
      {
        source: await findWantedSource(session.client, wanted, signal),
        openSink: async () => openSink(kept, whole => save(whole, wanted.fileName)),
        signal,
        onProgress: () => progress => change(id, { progress }),
      },
      { server, http: browserHttp },
    );
    change(id, { verified: true });
  }

  async function run({ id, wanted }: Download): Promise<void> {
    const stop = new AbortController();
    running.set(id, stop);
    change(id, { state: { kind: 'running' } });
    try {
      if (wanted.kind === 'proof') await fetchProof(wanted.fileId, wanted.fileName, stop.signal);
      else await fetchFile(id, wanted, stop.signal);
      pieces.delete(id);
      change(id, { state: { kind: 'done', fileHash: null } });
    } catch (error) {
      if (isLost(error)) pieces.delete(id);
      if (!stop.signal.aborted) change(id, { state: { kind: 'failed', reason: toFailure(error) } });
    } finally {
      if (running.get(id) === stop) running.delete(id);
    }
  }

  let owner: string | undefined;
  let left: Left | undefined;

  function leave(by: string, isEnded: boolean): void {
    left = isEnded ? { by, list: list.get() } : undefined;
    if (!left) pieces.clear();
    for (const stop of running.values()) stop.abort(new Stopped());
    running.clear();
    list.set([]);
  }

  function arrive(who: string): void {
    const back = left?.by === who ? left.list : [];
    left = undefined;
    if (back.length === 0) pieces.clear();
    list.set(back);
    for (const download of back) if (download.state.kind === 'running') void run(download);
  }

  session.bridge.state.watch(() => {
    const state = session.bridge.state.get();
    const who = state.kind === 'signed-in' ? state.account.externalId : undefined;
    if (who === owner || state.kind === 'restoring') return;
    if (owner !== undefined) leave(owner, state.kind !== 'signed-out' || state.ended);
    owner = who;
    if (who !== undefined) arrive(who);
  });
  feed.watch(() => {
    if (feed.get() !== 'live') return;
    for (const download of list.get()) if (waitsForServer(download.state)) void run(download);
  });

  return {
    list,
    async start(wanted) {
      const download: Download = {
        id: crypto.randomUUID(),
        wanted,
        state: { kind: 'waiting' },
        progress: null,
        verified: false,
      };
      list.set([...list.get(), download]);
      await run(download);
    },
    async pause(id) {
      running.get(id)?.abort(new Stopped());
      change(id, { state: { kind: 'paused' } });
    },
    async resume(id) {
      const download = list.get().find(one => one.id === id);
      if (download && !running.has(id)) await run(download);
    },
    async cancel(id) {
      running.get(id)?.abort(new Stopped());
      pieces.delete(id);
      list.set(list.get().filter(download => download.id !== id));
    },
    async clear() {
      list.set(list.get().filter(({ state }) => state.kind !== 'done'));
    },
    async read(fileHash, { maxBytes, signal }) {
      const kept: Pieces = { blob: new Blob() };
      const openChecked: Parameters<typeof downloadFile>[0]['openSink'] = async file => {
        if (file.fileSize <= maxBytes) return openSink(kept, () => undefined);
        throw new TransferError('part-refused', `the file has more than ${maxBytes} bytes`);
      };
      const wish = { source: ownFile(fileHash), openSink: openChecked, ...(signal && { signal }) };
      await downloadFile(wish, { server, http: browserHttp });
      return new Uint8Array(await kept.blob.arrayBuffer());
    },
  };
}
