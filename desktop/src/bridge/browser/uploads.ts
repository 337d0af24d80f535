// Uploads of a browser tab. After a reload the list is restored; an upload continues by itself if the browser may read
// its files again, otherwise once the user has chosen them again.
import { abortDirectUpload } from '@recordproof/shared/api/direct-uploads.ts';
import { commonFolder } from '@recordproof/shared/file-path.ts';
import { hasThumbnail } from '@recordproof/shared/preview-kinds.ts';
import type { Server } from '@recordproof/shared/transfer/ports.ts';
import type { OnProgress } from '@recordproof/shared/transfer/progress.ts';
import { TransferError } from '@recordproof/shared/transfer/transfer-error.ts';
import { Runner } from '../../engine/runner.ts';
import type { Session } from '../../engine/session.ts';
import { openTransfer, type SplitTask, type Transfer, TransferQueue } from '../../engine/transfer-queue.ts';
import * as shape from '../../ipc/shapes.ts';
import type { ChosenFile, FeedState, Outcome, ThumbnailsBridge, Upload, UploadsBridge, Watched } from '../bridge.ts';
import { openWatched } from '../watched.ts';
import { forgetJournal, openJournal } from './journal.ts';
import { findAgain, findKeptFiles, forgetFiles, keepFiles, reopen, sweepFiles } from './kept-files.ts';
import { withOtherTabs } from './other-tabs.ts';
import {
  addUploads,
  type HeldFile,
  readUploads,
  removeUpload,
  replaceUpload,
  toTransfer,
  type UploadTask,
} from './upload-list.ts';

type UploadTransfer = Transfer<UploadTask>;

type Ports = {
  readonly session: Session;
  readonly server: Server;
  readonly thumbnails: Pick<ThumbnailsBridge, 'offer'>;
};

export function openUploads(ports: Ports, feed: Watched<FeedState>): UploadsBridge {
  const { session } = ports;
  const uploads = new Uploads(ports);
  session.state.watch(() => uploads.adjust());
  feed.watch(() => feed.get() === 'live' && uploads.retryAfterOutage());
  return {
    list: withOtherTabs({ name: 'uploads', item: shape.upload, own: uploads.list, owner: uploads.owner }),
    add: (chosen, options) => uploads.add(chosen, options?.targetFileId ?? null),
    pause: async id => uploads.queue.pause(id),
    resume: id => uploads.resume(id),
    cancel: async id => uploads.cancel(id),
    supply: (id, chosen) => uploads.supply(id, chosen),
    clear: async () => uploads.queue.clear(() => true),
  };
}

const toTask = (held: readonly HeldFile[], targetFileId: string | null): UploadTask => ({
  fileName: held[0]?.file.name ?? '',
  folder: commonFolder(held.map(({ folder }) => folder)),
  files: held.length,
  size: held.reduce((sum, { file }) => sum + file.size, 0),
  targetFileId,
  held,
});

function split({ held, ...task }: UploadTask, rejected: readonly number[]): SplitTask<UploadTask> {
  const apart = rejected.map(at => held?.slice(at, at + 1)).map(one => one && toTask(one, null));
  const files = task.files - rejected.length;
  const size = apart.reduce((sum, one) => sum - (one?.size ?? 0), task.size);
  return { rest: files === 0 ? null : { ...task, held, files, size }, apart };
}

class Uploads {
  readonly list = openWatched<readonly Upload[]>([]);
  readonly #session: Session;
  readonly #server: Server;
  readonly #thumbnails: Ports['thumbnails'];
  /** Listed by an earlier page: another tab may have finished it by now. */
  readonly #earlier = new Set<string>();
  /** Tabs tell each other which uploads are over. */
  readonly #over = new BroadcastChannel('recordproof-uploads');
  readonly #runner = new Runner((id, outcome) => this.queue.end(id, outcome));
  #owner: string | undefined;

  readonly queue = new TransferQueue<UploadTask>({
    mostAtOnce: 3,
    mostListed: Number.POSITIVE_INFINITY,
    runner: {
      start: upload =>
        this.#runner.start(upload.id, {
          run: signal => whileLocked(upload.id, () => this.#run(upload, signal)),
          undo: async () => this.#undo(upload.id),
        }),
      stop: (id, mode) => this.#runner.stop(id, mode),
    },
    storage: {
      add: async uploads => addUploads(uploads),
      change: async upload => (upload.state.kind === 'done' ? this.#forget(upload) : replaceUpload(upload)),
      remove: async uploads => uploads.forEach(this.#forget),
    },
    mayRun: ({ account, task }) => account === this.#owner && task.held !== null,
    split,
    onChange: () => this.list.set(this.queue.list().flatMap(this.#toShown)),
  });

  constructor({ session, server, thumbnails }: Ports) {
    this.#session = session;
    this.#server = server;
    this.#thumbnails = thumbnails;
    this.#over.onmessage = ({ data }) => this.#drop(String(data));
  }

  /** After a change of the signed-in person. */
  adjust(): void {
    const state = this.#session.state.get();
    const owner = state.kind === 'signed-in' ? state.account.externalId : undefined;
    if (owner === this.#owner || state.kind === 'restoring') return;
    this.#owner = owner;
    if (owner === undefined) {
      this.queue.adjust();
      return;
    }
    const listed = readUploads(owner);
    for (const { id } of listed) this.#earlier.add(id);
    this.queue.load(listed.map(one => toTransfer(owner, one, this.queue.find(one.id)?.task.held ?? null)));
    void this.#reopenAll();
  }

  retryAfterOutage(): void {
    if (this.#owner !== undefined) this.queue.retryAfterOutage(this.#owner);
  }

  async add(chosen: readonly ChosenFile[], targetFileId: string | null): Promise<void> {
    const { groupSmall } = await import('./transfer-work.ts');
    const groups = targetFileId === null ? groupSmall(chosen, ({ file }) => file) : chosen.map(one => [one]);
    const added = groups.map(group => ({
      group,
      upload: openTransfer(this.#owner ?? '', toTask(group, targetFileId)),
    }));
    await this.queue.add(added.map(({ upload }) => upload));
    for (const { group, upload } of added) if (this.queue.find(upload.id)) await keepFiles(upload.id, group);
  }

  owner = (): string | undefined => this.#owner;

  /** Here or in the tab that holds it. */
  cancel(id: string): void {
    if (this.queue.find(id)) {
      this.queue.cancel(id);
      return;
    }
    removeUpload({ id, account: this.#owner ?? '' });
    this.#undo(id);
  }

  async resume(id: string): Promise<void> {
    const { task } = this.queue.find(id) ?? {};
    if (!task) return;
    const held = task.held ?? (await reopen(await findKeptFiles(id), 'ask'));
    if (held) this.queue.resume(id, { ...task, held });
    else this.queue.needFile(id, false);
  }

  async supply(id: string, chosen: readonly ChosenFile[]): Promise<void> {
    const { task } = this.queue.find(id) ?? {};
    const [first] = chosen;
    if (!task || !first) return;
    if (task.files === 1) await (await import('./transfer-work.ts')).assertSame(id, task, first.file);
    const one = [{ file: first.file, folder: task.folder }];
    const held = task.files === 1 ? one : findAgain(await findKeptFiles(id), chosen);
    if (!held)
      throw new TransferError('source-changed', `files of this upload are missing: choose all ${task.files} again`);
    this.queue.resume(id, { ...task, held });
  }

  #toShown = (upload: UploadTransfer): Upload[] => {
    const { id, account, progress } = upload;
    const { held: _, ...task } = upload.task;
    return account === this.#owner ? [{ id, ...task, state: this.queue.shownState(upload), progress }] : [];
  };

  #forget = (upload: UploadTransfer): void => {
    removeUpload(upload);
    this.#over.postMessage(upload.id);
    void forgetFiles(upload.id);
  };

  /** Cancelled or finished in another tab. */
  async #drop(id: string): Promise<void> {
    if (!this.queue.find(id)) return;
    this.queue.drop(id);
    await this.#runner.whenEnded(id);
    forgetJournal(id);
  }

  /** Continues the uploads of an earlier page, where no permission has to be requested. */
  async #reopenAll(): Promise<void> {
    for (const { id, state } of this.queue.list()) {
      if (state.kind !== 'needs-file') continue;
      const kept = await findKeptFiles(id);
      const held = await reopen(kept, 'query');
      const upload = this.queue.find(id);
      if (upload?.state !== state) continue;
      const mayAsk = kept.length > 0 && kept.every(({ handle }) => handle !== null);
      if (held) this.queue.resume(id, { ...upload.task, held });
      else this.queue.needFile(id, mayAsk);
    }
    await sweepFiles();
  }

  async #run(upload: UploadTransfer, signal: AbortSignal): Promise<Outcome> {
    const { id, account, task } = upload;
    if (this.#earlier.has(id) && !readUploads(account).some(one => one.id === id)) return { kind: 'cancelled' };
    const onProgress: OnProgress = progress => this.queue.progress(id, progress);
    const { sendFiles } = await import('./transfer-work.ts');
    const onStored = (file: File, fileHash: string) => {
      const { type: contentType, size: fileSize } = file;
      if (hasThumbnail({ contentType, fileSize })) this.#thumbnails.offer(fileHash, file);
    };
    return sendFiles({ id, task, signal, onProgress, onStored }, this.#server);
  }

  #undo(id: string): void {
    const plan = openJournal(id).find()?.plan;
    forgetJournal(id);
    this.#over.postMessage(id);
    // The server removes its part after a time; this is only sooner.
    if (plan)
      void this.#session.client.call(abortDirectUpload, { params: { clientId: plan.clientId } }).catch(() => null);
  }
}

/** One tab at a time runs an upload. */
async function whileLocked(id: string, run: () => Promise<Outcome>): Promise<Outcome> {
  if (navigator.locks === undefined) return run();
  return navigator.locks.request(`recordproof-upload-${id}`, { ifAvailable: true }, async lock => {
    if (lock === null) throw new TransferError('paused', `upload ${id} runs in another tab: continue it there`);
    return run();
  });
}
