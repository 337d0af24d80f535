// Lease of a claim: renewed by a heartbeat while the work runs and the database answers, until it is disposed; and
// bounded parallel work on claimed rows.
import type { Clock } from '../clock.ts';
import { inParallel } from '../in-parallel.ts';
import { type Claim, type FencedTable, type Held, LeaseLost, renewClaim } from './claim.ts';
import type { Engine } from './open-db.ts';
import type { Db, Time } from './tables.ts';

type Leasing = {
  readonly db: Db;
  readonly engine: Engine;
  readonly clock: Clock;
  readonly leaseMs: number;
  /** Once aborted, the lease is no longer renewed: work that continues loses it at its end. */
  readonly signal?: AbortSignal;
};

export class Lease implements Disposable {
  readonly #options: Leasing;
  readonly #held: Held;
  readonly #over = new AbortController();
  readonly #heartbeat: NodeJS.Timeout;
  readonly #end = () => clearInterval(this.#heartbeat);
  #heldUntil: Time;

  /** For a new claim. */
  constructor(options: Leasing, held: Held) {
    this.#options = options;
    this.#held = held;
    this.#heldUntil = options.clock.now() + options.leaseMs;
    this.#heartbeat = setInterval(() => void this.#beat(), options.leaseMs / 3).unref();
    options.signal?.addEventListener('abort', this.#end);
    if (options.signal?.aborted) this.#end();
  }

  /** Aborted with a `LeaseLost` when another server has taken over or may have. */
  get lost(): AbortSignal {
    return this.#over.signal;
  }

  /** Renews the full lease now; throws `LeaseLost` if the claim has ended or another server has it. */
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
      // The database is unreachable: the lease is valid until its last known end.
      const isOver = this.#options.clock.now() >= this.#heldUntil;
      if (isOver) this.#over.abort(new LeaseLost('a lease was not renewed in time', { cause }));
    }
  }

  [Symbol.dispose](): void {
    this.#end();
    this.#options.signal?.removeEventListener('abort', this.#end);
  }
}

type Claimed<Row> = Leasing & {
  readonly table: FencedTable;
  /** Freshly claimed. */
  readonly rows: readonly Row[];
  readonly atOnce: number;
};

/** The lease of each row ends with its own work. `lost` is aborted when another server has taken over the row, or may have. */
export async function workClaimed<Row extends Claim>(
  { table, rows, atOnce, ...leasing }: Claimed<Row>,
  work: (row: Row, lost: AbortSignal) => Promise<void>,
): Promise<void> {
  using leases = new DisposableStack();
  const held = rows.map(row => ({ row, lease: leases.use(new Lease(leasing, { table, claim: row })) }));
  const workOne = async ({ row, lease }: (typeof held)[number]) => {
    using _ended = lease;
    await work(row, lease.lost);
  };
  await inParallel(held, workOne, atOnce);
}
