// The loop of a watch: each round finishes started calls, scans the folder, sends files that are stable, and fetches
// proofs. An error that may pass is reported once and retried without end.
import { getLiveness } from '@recordproof/shared/api/monitor.ts';
import { systemClock } from '@recordproof/shared/transfer/ports.ts';
import { toFailure } from '../platform/failure.ts';
import { writeMessage } from '../platform/output.ts';
import { findFileProblem } from '../platform/system-error.ts';
import type { WatchEvent } from './events.ts';
import type { Memory } from './memory.ts';
import { planCall, toSets } from './plan.ts';
import { Rejections } from './rejections.ts';
import { type Seen, StableFiles, scanFolder } from './scan-folder.ts';
import { sendCall } from './send.ts';
import type { Watching } from './watching.ts';
import { noteMissingArchives, writeProofs } from './write-proofs.ts';

type Pace = {
  readonly restSeconds: number;
  readonly everySeconds: number;
  /** Ends as soon as all files are proven. */
  readonly isOnce: boolean;
};

const longestWaitMs = 60_000;

/** The number of files that the server rejected. */
type Ended = { readonly refused: number };

export async function runWatch(watching: Watching, pace: Pace, isOwn: (path: string) => boolean): Promise<Ended> {
  const rounds = new Rounds(watching, pace, isOwn);
  await noteMissingArchives(watching);
  for (let failures = 0; ; ) {
    let pauseMs = pace.everySeconds * 1000;
    try {
      const ended = await rounds.next();
      failures = 0;
      if (watching.memory.waitingFor !== undefined) await watching.note({ event: 'going-on' });
      if (ended === 'all done' && pace.isOnce) return { refused: rounds.rejected };
      if (ended === 'more to do') pauseMs = 0;
    } catch (error) {
      watching.transfers.signal.throwIfAborted();
      failures += 1;
      pauseMs = Math.min(longestWaitMs, 1000 * 2 ** Math.min(failures - 1, 10));
      await noteWaiting(watching, error);
    }
    await systemClock.sleep(pauseMs, watching.transfers.signal);
  }
}

/** A bug ends the watch; the service manager restarts it. */
async function noteWaiting({ memory, note }: Watching, error: unknown): Promise<void> {
  const { kind, ending, message, tryThis } = toFailure(error, 'recordproof watch');
  if (kind === 'BUG' || ending === 'config') throw error;
  const why = ending === 'denied' && tryThis ? `${message}: ${tryThis}` : message;
  if (memory.waitingFor !== why) await note({ event: 'waiting', why }).catch(cause => writeUnnoted(why, cause));
}

/** The wait may be caused by a full disk, to which the log cannot be written either. */
function writeUnnoted(why: string, cause: unknown): void {
  if (findFileProblem(cause) === undefined) throw cause;
  writeMessage(`waiting   ${why}`);
}

class Rounds {
  readonly #watching: Watching;
  readonly #isOwn: (path: string) => boolean;
  readonly #stableFiles: StableFiles;
  readonly #rejections = new Rejections();
  #proofsAt = 0;

  constructor(watching: Watching, { restSeconds }: Pace, isOwn: (path: string) => boolean) {
    this.#watching = watching;
    this.#isOwn = isOwn;
    this.#stableFiles = new StableFiles(restSeconds * 1000);
  }

  get rejected(): number {
    return this.#rejections.count;
  }

  async next(): Promise<'all done' | 'more to do' | 'nothing now'> {
    const { transfers, memory } = this.#watching;
    // Renews the session in time, also where there is nothing to send for days.
    await transfers.server.token();
    // Checks whether the server is back, where no other call would.
    if (memory.waitingFor !== undefined) await transfers.server.client.call(getLiveness, { signal: transfers.signal });
    for (const requestId of [...memory.calls.keys()]) await sendCall(this.#watching, requestId, true);
    const { files } = await this.#scan();
    const open = files.filter(seen => this.#isOpen(seen));
    const stableFiles = this.#stableFiles.choose(open, performance.now());
    const sets = toSets(stableFiles);
    const findOldPath = sets.length === 0 ? () => undefined : openOldPaths(memory);
    for (const set of sets) await this.#send(set, findOldPath);
    const proofsLeft = await this.#writeProofs();
    if (sets.flat().length < stableFiles.length || proofsLeft === 'more') return 'more to do';
    return this.#stableFiles.count === 0 && memory.unproved.size === 0 && memory.calls.size === 0
      ? 'all done'
      : 'nothing now';
  }

  async #scan() {
    const { folder, memory, note } = this.#watching;
    const scan = await scanFolder(folder, this.#isOwn);
    const seen = new Set(scan.files.map(({ path }) => path));
    const events: WatchEvent[] = [];
    for (const { path, revision, leftOut } of scan.files) {
      const remembered = memory.files.get(path);
      if (leftOut !== undefined && (remembered?.revision !== revision || remembered.isGone))
        events.push({ event: 'left-out', path, revision, why: leftOut });
    }
    const isHidden = (path: string) => scan.unreadable.some(folder => path.startsWith(`${folder}/`));
    for (const [path, { isGone }] of memory.files)
      if (!isGone && !seen.has(path) && !isHidden(path)) events.push({ event: 'gone', path });
    await note(...events);
    return scan;
  }

  #isOpen({ path, revision, leftOut }: Seen): boolean {
    const remembered = this.#watching.memory.files.get(path);
    if (leftOut !== undefined || (remembered?.revision === revision && !remembered.isGone)) return false;
    return !this.#rejections.holds({ path, revision }, performance.now());
  }

  async #send(set: readonly Seen[], findOldPath: (seen: Seen) => string | undefined): Promise<void> {
    const requestId = await planCall(this.#watching, set, findOldPath);
    if (requestId === undefined) return;
    const rejected = await sendCall(this.#watching, requestId, false);
    this.#rejections.note(set, rejected, performance.now());
  }

  async #writeProofs(): Promise<'more' | 'none now'> {
    const { memory } = this.#watching;
    if (memory.unproved.size === 0 || performance.now() < this.#proofsAt) return 'none now';
    const pauseSeconds = await writeProofs(this.#watching);
    this.#proofsAt = performance.now() + pauseSeconds * 1000;
    return pauseSeconds === 0 && memory.unproved.size > 0 ? 'more' : 'none now';
  }
}

const toIdentity = (revision: string): string => revision.slice(0, revision.lastIndexOf('-'));

/** The previous path of a missing file, by metadata that a rename does not change. */
function openOldPaths(memory: Memory): (seen: Seen) => string | undefined {
  const gone = new Map<string, string>();
  for (const [path, { isGone, revision }] of memory.files) if (isGone) gone.set(toIdentity(revision), path);
  return ({ identity }) => gone.get(identity);
}
