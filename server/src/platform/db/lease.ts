// The time for which a claim is ours: renewed while the work goes on and this server is heard of.
import type { Clock } from '../clock.ts';
import { type Claim, type FencedTable, LeaseLost, renewClaim } from './claim.ts';
import type { Db, Time } from './tables.ts';

export type LeaseOptions = {
  readonly db: Db;
  readonly clock: Clock;
  readonly table: FencedTable;
  readonly claim: Claim;
  readonly leaseMs: number;
};

export class Lease implements Disposable {
  readonly #options: LeaseOptions;
  readonly #over = new AbortController();
  readonly #heartbeat: NodeJS.Timeout;
  #heldUntil: Time;

  /** For a claim that was made just now. */
  constructor(options: LeaseOptions) {
    this.#options = options;
    this.#heldUntil = options.clock.now() + options.leaseMs;
    this.#heartbeat = setInterval(() => void this.#beat(), options.leaseMs / 3).unref();
  }

  /** Aborted, with a `LeaseLost`, when somebody else has taken over or may have. */
  get lost(): AbortSignal {
    return this.#over.signal;
  }

  /** Asks for the full lease again, now; throws `LeaseLost` when somebody else has it. */
  async renew(): Promise<void> {
    const { db, clock, table, claim, leaseMs } = this.#options;
    const until = clock.now() + leaseMs;
    if (await renewClaim(db, table, claim, until)) {
      this.#heldUntil = until;
      return;
    }
    const lost = new LeaseLost(`the ${table} ${claim.id} was taken over`);
    this.#over.abort(lost);
    throw lost;
  }

  async #beat(): Promise<void> {
    try {
      await this.renew();
    } catch (cause) {
      // The database does not answer: the lease is ours until the end that we know of.
      const isOver = this.#options.clock.now() >= this.#heldUntil;
      if (isOver) this.#over.abort(new LeaseLost('a lease was not renewed in time', { cause }));
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#heartbeat);
  }
}
