// Transfer queue: uploads and downloads that wait, run, are paused or are over. A state machine over ports: a runner
// moves the bytes, a storage keeps the list. At most `mostAtOnce` run. A transfer that is stopped keeps its slot until
// the runner reports its end, so that it never runs twice at a time.

import type { TransportFailure } from '@recordproof/shared/api/client.ts';
import type { ErrorKind } from '@recordproof/shared/api/errors.ts';
import type { Progress } from '@recordproof/shared/transfer/progress.ts';
import { TransferError, type TransferFailure } from '@recordproof/shared/transfer/transfer-error.ts';
import type { Failure, Outcome, TransferState } from '../bridge/bridge.ts';
import type { StopMode } from './runner.ts';

export type RestState = Exclude<TransferState, { kind: 'running' }>;

/** Not changed in place. `state`: what it is when it does not run. */
export type Transfer<Task> = {
  readonly id: string;
  readonly account: string;
  readonly task: Task;
  readonly state: RestState;
  /** Every byte of a download matched its record. */
  readonly verified: boolean;
  readonly progress: Progress | null;
};

/** The rest of a set, null for nothing, and a task of its own for each rejected member. */
export type SplitTask<Task> = { readonly rest: Task | null; readonly apart: readonly (Task | undefined)[] };

export type TransferPorts<Task> = {
  readonly mostAtOnce: number;
  readonly mostListed: number;
  readonly runner: {
    /** Its end is reported by `end`, once. */
    start(transfer: Transfer<Task>): void;
    stop(id: string, mode: StopMode): void;
  };
  readonly storage: {
    add(transfers: readonly Transfer<Task>[]): Promise<void>;
    change(transfer: Transfer<Task>): Promise<void>;
    remove(transfers: readonly Transfer<Task>[]): Promise<void>;
  };
  mayRun(transfer: Transfer<Task>): boolean;
  split(task: Task, rejected: readonly number[]): SplitTask<Task>;
  onChange(): void;
};

export const openTransfer = <Task>(account: string, task: Task, state: RestState = { kind: 'waiting' }) =>
  ({ id: crypto.randomUUID(), account, task, state, verified: false, progress: null }) satisfies Transfer<Task>;

export class TransferQueue<Task> {
  readonly #ports: TransferPorts<Task>;
  readonly #runs = new Map<string, 'running' | 'stopping'>();
  readonly #cancelled = new Set<string>();
  /** Done, and not yet stored as done: after a crash these would run again, so they are not shown as done. */
  readonly #storing = new Set<string>();
  #list: readonly Transfer<Task>[];
  #isClosed = false;
  #isStarting = false;

  constructor(ports: TransferPorts<Task>, list: readonly Transfer<Task>[] = []) {
    this.#ports = ports;
    this.#list = list;
  }

  list = (): readonly Transfer<Task>[] => this.#list;
  find = (id: string): Transfer<Task> | undefined => this.#list.find(one => one.id === id);
  isRunning = ({ id }: Transfer<Task>): boolean => this.#runs.get(id) === 'running';
  shownState = (one: Transfer<Task>): TransferState =>
    this.isRunning(one) || this.#storing.has(one.id) ? { kind: 'running' } : one.state;

  /** In place of the list, without a change of the storage: as it was stored, perhaps by another account. */
  load(transfers: readonly Transfer<Task>[]): void {
    for (const id of this.#runs.keys()) this.#stop(id, 'pause');
    this.#list = transfers;
    this.adjust();
  }

  /** Stops what may no longer run, and starts what may. */
  adjust(): void {
    for (const transfer of this.#list)
      if (this.isRunning(transfer) && !this.#ports.mayRun(transfer)) this.#stop(transfer.id, 'pause');
    this.#ports.onChange();
    this.#startMore();
  }

  /** Stored when it resolves. */
  async add(transfers: readonly Transfer<Task>[]): Promise<void> {
    const { mostListed } = this.#ports;
    if (this.#list.length + transfers.length > mostListed)
      throw new TransferError('list-full', `the list holds at most ${mostListed} transfers: clear finished transfers`);
    this.#list = [...this.#list, ...transfers];
    this.#ports.onChange();
    await this.#ports.storage.add(transfers);
    this.#startMore();
  }

  pause(id: string): void {
    if (this.find(id)?.state.kind !== 'waiting') return;
    void this.#enter(id, { state: { kind: 'paused' } });
    this.#stop(id, 'pause');
  }

  /** Continues or retries, with `task` where its files were supplied again. */
  resume(id: string, task?: Task): void {
    const transfer = this.find(id);
    if (!transfer || ['waiting', 'done'].includes(transfer.state.kind) || this.#cancelled.has(id)) return;
    void this.#enter(id, { state: { kind: 'waiting' }, task: task ?? transfer.task });
    this.#startMore();
  }

  /** Waits for the person to supply its file, or to allow that it is read. */
  needFile(id: string, mayAsk: boolean): void {
    void this.#enter(id, { state: { kind: 'needs-file', mayAsk } });
  }

  /** The runner undoes its effects, here and at the server. */
  cancel(id: string): void {
    const transfer = this.find(id);
    if (!transfer) return;
    if (transfer.state.kind === 'done') {
      this.#remove(one => one === transfer);
      return;
    }
    this.#cancelled.add(id);
    void this.#enter(id, { state: { kind: 'paused' } });
    if (this.#runs.has(id)) this.#stop(id, 'cancel');
    else this.#startMore();
  }

  /** Ended in another tab, which has changed the storage. */
  drop(id: string): void {
    this.#stop(id, 'pause');
    this.#list = this.#list.filter(one => one.id !== id);
    this.#ports.onChange();
  }

  /** Removes the transfers of an account, and cancels those that run. */
  forget(account: string): void {
    this.#remove(one => one.account === account && !this.#runs.has(one.id));
    for (const { id } of this.#list.filter(one => one.account === account)) this.cancel(id);
  }

  /** Removes those that are done. */
  clear(isMeant: (transfer: Transfer<Task>) => boolean): void {
    this.#remove(one => one.state.kind === 'done' && isMeant(one));
  }

  /** The server is reachable and the session valid: retries transfers that failed without one of them. */
  retryAfterOutage(account: string): void {
    for (const { id, account: owner, state } of this.#list)
      if (owner === account && state.kind === 'failed' && isServerFailure(state.reason)) this.resume(id);
  }

  progress(id: string, progress: Progress): void {
    this.#change(id, { progress });
  }

  /** Reported by the runner. */
  end(id: string, outcome: Outcome): void {
    const isStopped = this.#runs.get(id) === 'stopping';
    if (!this.#runs.delete(id)) return;
    if (this.#cancelled.delete(id) || outcome.kind === 'cancelled') this.#remove(one => one.id === id);
    else if (outcome.kind === 'done') this.#finish(id, outcome);
    else if (outcome.kind === 'failed' && !isStopped)
      void this.#enter(id, { state: { kind: 'failed', reason: outcome.failure } });
    this.#ports.onChange();
    this.#startMore();
  }

  /** The runner has ended with all its transfers. `adjust` starts them again. */
  loseRunner(): void {
    this.#runs.clear();
    this.#ports.onChange();
  }

  /** Starts nothing more: transfers that are stopped from now on continue at the next start. */
  close(): void {
    this.#isClosed = true;
  }

  #change(id: string, part: Partial<Transfer<Task>>): void {
    this.#list = this.#list.map(one => (one.id === id ? { ...one, ...part } : one));
    this.#ports.onChange();
  }

  /** A storage that fails costs work after the next start, and nothing now. */
  async #enter(id: string, part: Partial<Transfer<Task>>): Promise<void> {
    this.#change(id, part);
    const transfer = this.find(id);
    if (transfer) await this.#ports.storage.change(transfer).catch(() => undefined);
  }

  async #enterDone(id: string, part: Partial<Transfer<Task>>): Promise<void> {
    this.#storing.add(id);
    await this.#enter(id, part);
    this.#storing.delete(id);
    this.#ports.onChange();
  }

  #remove(isMeant: (transfer: Transfer<Task>) => boolean): void {
    const removed = this.#list.filter(isMeant);
    if (removed.length === 0) return;
    this.#list = this.#list.filter(one => !isMeant(one));
    this.#ports.onChange();
    this.#ports.storage.remove(removed).catch(() => undefined);
  }

  #finish(id: string, { fileHash, verified, rejected, isHandedOver }: Extract<Outcome, { kind: 'done' }>): void {
    const transfer = this.find(id);
    if (!transfer) return;
    const state = { kind: 'done', fileHash, ...(isHandedOver && { isHandedOver }) } as const;
    const failures = rejected.map(({ at }) => at);
    const whole = { rest: transfer.task, apart: [] };
    const { rest, apart } = failures.length === 0 ? whole : this.#ports.split(transfer.task, failures);
    const failed = rejected.flatMap(({ failure: reason }, at) => {
      const task = apart[at];
      return task === undefined ? [] : [openTransfer(transfer.account, task, { kind: 'failed', reason })];
    });
    this.#list = [...this.#list, ...failed];
    if (failed.length > 0) this.#ports.storage.add(failed).catch(() => undefined);
    if (rest === null) this.#remove(one => one.id === id);
    else void this.#enterDone(id, { state, verified, task: rest });
  }

  #stop(id: string, mode: StopMode): void {
    if (!this.#runs.has(id)) return;
    this.#runs.set(id, 'stopping');
    this.#ports.runner.stop(id, mode);
    this.#ports.onChange();
  }

  #startMore(): void {
    if (this.#isStarting) return; // a start that fails at once reports its end in here
    this.#isStarting = true;
    for (const id of this.#cancelled) if (!this.#runs.has(id) && this.#begin(this.find(id))) this.#stop(id, 'cancel');
    while (this.#runs.size < this.#ports.mostAtOnce && this.#begin(this.#list.find(this.#mayBegin)));
    this.#isStarting = false;
  }

  #mayBegin = (transfer: Transfer<Task>): boolean =>
    transfer.state.kind === 'waiting' && !this.#runs.has(transfer.id) && this.#ports.mayRun(transfer);

  #begin(transfer: Transfer<Task> | undefined): boolean {
    if (!transfer || this.#isClosed) return false;
    this.#runs.set(transfer.id, 'running');
    this.#ports.runner.start(transfer);
    this.#ports.onChange();
    return true;
  }
}

const ofServer: readonly (ErrorKind | TransferFailure | TransportFailure)[] = [
  'unreachable',
  'timed-out',
  'gave-up',
  'SYSTEM_BUSY',
  'UNAVAILABLE',
  'SERVICE_UNAVAILABLE',
  'SERVICE_TIMEOUT',
  'UNAUTHORIZED',
  'USER_NOT_LOGGED_IN',
  'PERMISSION_UNAUTHENTICATED',
  'PERMISSION_TOKEN_EXPIRED',
  'PERMISSION_TOKEN_INVALID',
];
const codes: ReadonlySet<string> = new Set(ofServer);

const isServerFailure = ({ code }: Failure): boolean => codes.has(code);
