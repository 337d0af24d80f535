// Execution of jobs in sets: per kind one set at a time on this server, which claims the next by itself. Failed sets
// are retried when their lease ends.
import { toErrorText } from '../telemetry/error-text.ts';
import type { Log } from '../telemetry/log.ts';
import { continueTraces } from '../telemetry/traced.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import type { SetHandler } from './jobs.ts';
import type { Claimed } from './queries.ts';
import { isOf, type Kinds } from './wake-ups.ts';

export const setSize = 64;

type LanesOptions = {
  readonly log: Log;
  readonly tracing?: Tracing | undefined;
  readonly stopping: AbortSignal;
  /** Claims due jobs of this kind, at most one set. */
  readonly claim: (handler: SetHandler) => Promise<readonly Claimed[]>;
  /** Called whenever a lane begins or ends. */
  readonly onMove: () => void;
};

/** A kind whose sets are running. `again`: more jobs may have arrived since the last claim. */
type Lane = { ended: Promise<void>; again: boolean; readonly claimed: Claimed[] };

export class Lanes {
  readonly #options: LanesOptions;
  readonly #lanes = new Map<string, Lane>();

  constructor(options: LanesOptions) {
    this.#options = options;
  }

  has(kind: string): boolean {
    return this.#lanes.has(kind);
  }

  ends(): Promise<void>[] {
    return [...this.#lanes.values()].map(({ ended }) => ended);
  }

  /** Running lanes of these kinds claim once more before they end. */
  wake(kinds: Kinds): void {
    for (const [kind, lane] of this.#lanes) lane.again ||= isOf(kinds, kind);
  }

  begin(handler: SetHandler, jobs: readonly Claimed[], again: boolean): void {
    const existing = this.#lanes.get(handler.kind);
    if (existing) return void existing.claimed.push(...jobs); // from two concurrent claims
    const lane: Lane = { ended: Promise.resolve(), again, claimed: [...jobs] };
    this.#options.onMove();
    this.#lanes.set(handler.kind, lane);
    lane.ended = this.#run(handler, lane);
  }

  async #run(handler: SetHandler, lane: Lane): Promise<void> {
    const { claim, log, onMove, stopping } = this.#options;
    try {
      for (;;) {
        const jobs = lane.claimed.splice(0);
        if (jobs.length > 0) await this.#runSet(handler, jobs);
        if (lane.claimed.length > 0) continue;
        if (stopping.aborted || !(lane.again || jobs.length >= setSize)) return;
        lane.again = false;
        lane.claimed.push(...(await claim(handler)));
      }
    } catch (error) {
      const level = stopping.aborted ? 'warn' : 'error';
      log[level]({ kind: handler.kind, error: toErrorText(error) }, 'a set of jobs was left to its lease');
    } finally {
      onMove();
      this.#lanes.delete(handler.kind);
    }
  }

  #runSet(handler: SetHandler, jobs: readonly Claimed[]): Promise<void> {
    const { stopping, tracing } = this.#options;
    const kept = jobs.map(({ trace }) => trace);
    return continueTraces(tracing, `jobs ${handler.kind}`, kept, () => handler.runSet(jobs, stopping));
  }
}
