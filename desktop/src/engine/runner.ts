// Runner of transfers: moves the bytes of each until it ends or is stopped, and reports once how it ended.

import type { Outcome } from '../bridge/bridge.ts';
import { toFailure } from '../ipc/failures.ts';

/** `cancel` also undoes what has been done, here and at the server. */
export type StopMode = 'pause' | 'cancel';

class Stopped extends Error {
  readonly mode: StopMode;
  constructor(mode: StopMode) {
    super(`stopped: ${mode}`);
    this.mode = mode;
  }
}

type OnEnd = (id: string, outcome: Outcome) => void;

export type Work = {
  run(signal: AbortSignal): Promise<Outcome>;
  undo(): Promise<void>;
};

type Running = { readonly stop: AbortController; readonly ended: Promise<void> };

export class Runner {
  readonly #onEnd: OnEnd;
  readonly #running = new Map<string, Running>();

  constructor(onEnd: OnEnd) {
    this.#onEnd = onEnd;
  }

  /** Does nothing while this transfer runs. */
  start(id: string, work: Work): void {
    if (this.#running.has(id)) return;
    const stop = new AbortController();
    const ended = this.#run(work, stop.signal).then(outcome => {
      this.#running.delete(id);
      this.#onEnd(id, outcome);
    });
    this.#running.set(id, { stop, ended });
  }

  stop(id: string, mode: StopMode): void {
    this.#running.get(id)?.stop.abort(new Stopped(mode));
  }

  /** Resolves when this transfer does not run. */
  async whenEnded(id: string): Promise<void> {
    await this.#running.get(id)?.ended;
  }

  async pauseAll(): Promise<void> {
    for (const { stop } of this.#running.values()) stop.abort(new Stopped('pause'));
    await Promise.all([...this.#running.values()].map(({ ended }) => ended));
  }

  async #run({ run, undo }: Work, signal: AbortSignal): Promise<Outcome> {
    try {
      await null; // a stop in the same tick comes before the first effect
      signal.throwIfAborted();
      return await run(signal);
    } catch (error) {
      // A failure after a stop is caused by the stop.
      const cause: unknown = signal.aborted ? signal.reason : error;
      if (!(cause instanceof Stopped)) return { kind: 'failed', failure: toFailure(cause) };
      if (cause.mode === 'pause') return { kind: 'paused' };
      await undo().catch(() => undefined);
      return { kind: 'cancelled' };
    }
  }
}
