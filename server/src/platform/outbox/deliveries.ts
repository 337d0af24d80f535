// What arrives for one consumer and tenant while a transaction is under way shares the next one, in the order of its
// arrival: a burst of events costs a few commits. Where one event fails, each of its company gets a transaction of its own.
import type { Db, Tx } from '../db/tables.ts';
import type { OutboxEvent } from './transport.ts';

const mostTogether = 64;

type Waiting = { readonly event: OutboxEvent; resolve(): void; reject(error: unknown): void };

export class Deliveries {
  readonly #db: Db;
  readonly #handle: (tx: Tx, event: OutboxEvent) => Promise<void>;
  /** By tenant, so that one transaction takes the locks of one tenant. */
  readonly #waiting = new Map<string, Waiting[]>();

  constructor(db: Db, handle: (tx: Tx, event: OutboxEvent) => Promise<void>) {
    this.#db = db;
    this.#handle = handle;
  }

  /** Committed when it resolves; nothing of it has happened when it rejects. */
  deliver(event: OutboxEvent): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting = { event, resolve, reject };
      const queue = this.#waiting.get(event.tenantId);
      if (queue) queue.push(waiting);
      else void this.#work(event.tenantId, [waiting]);
    });
  }

  /** Never rejects. */
  async #work(tenantId: string, queue: Waiting[]): Promise<void> {
    this.#waiting.set(tenantId, queue);
    await Promise.resolve(); // those who call in the same moment travel together
    while (queue.length > 0) await this.#handleAll(queue.splice(0, mostTogether));
    this.#waiting.delete(tenantId);
  }

  async #handleAll(together: readonly Waiting[]): Promise<void> {
    try {
      await this.#db.transaction().execute(async tx => {
        for (const { event } of together) await this.#handle(tx, event);
      });
      for (const { resolve } of together) resolve();
    } catch (error) {
      if (together.length === 1) for (const { reject } of together) reject(error);
      else for (const one of together) await this.#handleAll([one]);
    }
  }
}
