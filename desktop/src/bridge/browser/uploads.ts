// Uploads of this window, through the engine that the command line has too: straight to the object store, a few files at a
// time. After a reload the list is there again, and each goes on when the person has shown its file once more.
import { abortDirectUpload } from '@recordproof/shared/api/uploads.ts';
import type { Server } from '@recordproof/shared/transfer/ports.ts';
import { TransferError } from '@recordproof/shared/transfer/transfer-error.ts';
import { uploadFile } from '@recordproof/shared/transfer/upload.ts';
import type { ChosenFile, TransferState, Upload, UploadsBridge } from '../bridge.ts';
import { openWatched } from '../watched.ts';
import { digestBlob } from './digest.ts';
import { browserHttp } from './http.ts';
import { forgetJournal, openJournal } from './journal.ts';
import type { BrowserSession } from './session.ts';
import { toSource } from './source.ts';
import { toFailure } from './transfer-failure.ts';
import { changeUploads, type ListedUpload, readUploads } from './upload-list.ts';

const filesAtOnce = 3;

class Stopped extends Error {}

type Running = { readonly stop: AbortController; readonly ended: Promise<void> };

export function openUploads(session: BrowserSession, server: Server): UploadsBridge {
  const list = openWatched<readonly Upload[]>([]);
  const files = new Map<string, File>();
  const running = new Map<string, Running>();
  let owner: string | undefined;

  const find = (id: string): Upload | undefined => list.get().find(upload => upload.id === id);
  const change = (id: string, part: Partial<Upload>): void =>
    list.set(list.get().map(upload => (upload.id === id ? { ...upload, ...part } : upload)));
  const enter = (id: string, state: TransferState): void => change(id, { state });
  const forget = (id: string): void => {
    if (owner !== undefined) changeUploads(owner, kept => kept.filter(entry => entry.id !== id));
  };

  async function run(upload: Upload, file: File, signal: AbortSignal): Promise<void> {
    const { id, folder, targetFileId } = upload;
    await using journal = openJournal(id);
    const { fileHash } = await uploadFile(
      {
        source: toSource(file),
        mode: 'direct',
        ...(file.type !== '' && { contentType: file.type }),
        ...(folder !== null && { folder }),
        ...(targetFileId !== null && { targetFileId }),
        signal,
        onProgress: progress => change(id, { progress }),
      },
      { server, http: browserHttp, journal },
    );
    enter(id, { kind: 'done', fileHash });
    files.delete(id);
    forget(id);
  }

  function start(upload: Upload, file: File): void {
    const { id } = upload;
    const stop = new AbortController();
    enter(id, { kind: 'running' });
    const ended = whileHeld(id, () => run(upload, file, stop.signal))
      .catch(error => {
        if (!stop.signal.aborted) enter(id, { kind: 'failed', reason: toFailure(error) });
      })
      .finally(() => {
        running.delete(id);
        startNext();
      });
    running.set(id, { stop, ended });
  }

  function startNext(): void {
    for (const upload of list.get()) {
      if (running.size >= filesAtOnce) return;
      const file = files.get(upload.id);
      if (upload.state.kind === 'waiting' && file && !running.has(upload.id)) start(upload, file);
    }
  }

  async function stopRun(id: string): Promise<void> {
    running.get(id)?.stop.abort(new Stopped());
    await running.get(id)?.ended;
  }

  function adjust(): void {
    const state = session.bridge.state.get();
    const who = state.kind === 'signed-in' ? state.account.externalId : undefined;
    if (who === owner || state.kind === 'restoring') return;
    for (const { stop } of running.values()) stop.abort(new Stopped());
    files.clear();
    owner = who;
    list.set(who === undefined ? [] : readUploads(who).map(toFound));
  }
  session.bridge.state.watch(adjust);

  return {
    list,
    async add(chosen, wish) {
      const made = chosen.map(one => toUpload(one, wish?.targetFileId ?? null));
      for (const [index, { id }] of made.entries()) {
        const file = chosen[index]?.file;
        if (file) files.set(id, file);
      }
      list.set([...list.get(), ...made]);
      if (owner !== undefined)
        changeUploads(owner, kept => [...kept, ...made.map((one, at) => toListed(one, chosen[at]))]);
      startNext();
    },
    async pause(id) {
      const upload = find(id);
      if (upload?.state.kind !== 'running' && upload?.state.kind !== 'waiting') return;
      enter(id, { kind: 'paused' });
      await stopRun(id);
      enter(id, { kind: 'paused' });
    },
    async resume(id) {
      enter(id, files.has(id) ? { kind: 'waiting' } : { kind: 'needs-file' });
      startNext();
    },
    async cancel(id) {
      await stopRun(id);
      const plan = openJournal(id).find()?.plan;
      list.set(list.get().filter(upload => upload.id !== id));
      files.delete(id);
      forgetJournal(id);
      forget(id);
      // What the server has of it goes by itself in time; this only makes it sooner.
      if (plan) await session.client.call(abortDirectUpload, { params: { clientId: plan.clientId } }).catch(() => null);
    },
    async supply(id, { file }) {
      const upload = find(id);
      if (!upload) return;
      await assertSame(upload, file);
      files.set(id, file);
      enter(id, { kind: 'waiting' });
      startNext();
    },
    async clear() {
      list.set(list.get().filter(({ state }) => state.kind !== 'done'));
    },
  };
}

const toUpload = ({ file, folder }: ChosenFile, targetFileId: string | null): Upload => ({
  id: crypto.randomUUID(),
  fileName: file.name,
  folder,
  size: file.size,
  targetFileId,
  state: { kind: 'waiting' },
  progress: null,
});

const toListed = ({ state: _, progress: __, ...upload }: Upload, chosen: ChosenFile | undefined): ListedUpload => ({
  ...upload,
  lastModified: chosen?.file.lastModified ?? 0,
});

const toFound = ({ lastModified: _, ...entry }: ListedUpload): Upload => ({
  ...entry,
  state: { kind: 'needs-file' },
  progress: null,
});

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
  if ((await digestBlob(slice)) !== hash) isOther();
}

/** One window at a time goes on with an upload. */
async function whileHeld(id: string, work: () => Promise<void>): Promise<void> {
  if (navigator.locks === undefined) return work();
  await navigator.locks.request(`recordproof-upload-${id}`, { ifAvailable: true }, async lock => {
    if (lock === null) throw new TransferError('paused', 'this upload runs in another window');
    await work();
  });
}
