// The time for which a claim is ours: renewed while the work goes on and this server is heard of. It ends with the work.
import type { Clock } from '../clock.ts';
import { type Held, LeaseLost, renewClaim } from './claim.ts';
import type { Engine } from './open-db.ts';
import type { Db, Time } from './tables.ts';

export type Leasing = {
  readonly db: Db;
  readonly engine: Engine;
  readonly clock: Clock;
  readonly leaseMs: number;
  /** Once aborted, nothing is renewed: work that goes on all the same loses the lease at its end. */
  readonly signal?: AbortSignal;
};

export class Lease implements Disposable {
  readonly #options: Leasing;
  readonly #held: Held;
  readonly #over = new AbortController();
  readonly #heartbeat: NodeJS.Timeout;
  readonly #end = () => clearInterval(this.#heartbeat);
  #heldUntil: Time;

  /** For a claim that was made just now. */
  constructor(options: Leasing, held: Held) {
    this.#options = options;
    this.#held = held;
    this.#heldUntil = options.clock.now() + options.leaseMs;
    this.#heartbeat = setInterval(() => void this.#beat(), options.leaseMs / 3).unref();
    options.signal?.addEventListener('abort', this.#end);
    if (options.signal?.aborted) this.#end();
  }

  /** Aborted, with a `LeaseLost`, when somebody else has taken over or may have. */
  get lost(): AbortSignal {
    return this.#over.signal;
  }

  /** Asks for the full lease again, now; throws `LeaseLost` when the claim has ended or somebody else has it. */
  async renew(): Promise<void> {
    const { db, engine, clock, leaseMs } = this.#options;
    const until = clock.now() + leaseMs;
    if (await renewClaim(db, engine, this.#held, until)) {
      this.#heldUntil = until;
      return;
    }
    const { table, claim } = this.#held;
    const lost = new LeaseLost(`the ${table} ${'token' in claim ? claim.token : claim.id} was taken over`);
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
    this.#end();
    this.#options.signal?.removeEventListener('abort', this.#end);
  }
}
