// Rings when a transaction that left work behind (a job, an event) is committed, so that whoever does the work starts
// within milliseconds instead of at the next poll. Only a hint: the rows are the truth, a lost ring costs one poll.
import type { DatabaseConnection } from 'kysely';
import type { Tx } from './tables.ts';

const leftWork = new WeakSet<DatabaseConnection>();

/** Called by whoever writes such a row; nothing rings when the transaction is rolled back. */
export async function announceWork(tx: Tx): Promise<void> {
  await tx.getExecutor().provideConnection(async connection => {
    leftWork.add(connection);
  });
}

export class WorkBell {
  readonly #listeners = new Set<() => void>();

  /** Returns the function that ends the listening. Listeners must neither throw nor wait. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  committed(connection: DatabaseConnection): void {
    if (!leftWork.delete(connection)) return;
    for (const listener of this.#listeners) queueMicrotask(listener);
  }

  rolledBack(connection: DatabaseConnection): void {
    leftWork.delete(connection);
  }
}
