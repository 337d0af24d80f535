// Rings when a transaction that left work behind is committed, so that whoever does the work starts within milliseconds
// instead of at the next poll. Only a hint: the rows are the truth, a lost ring costs one poll.
import type { DatabaseConnection } from 'kysely';
import type { Tx } from './tables.ts';

const leftWork = new WeakMap<DatabaseConnection, Set<string>>();

/** Called by whoever writes such a row; nothing rings when the transaction is rolled back. */
export async function announceWork(tx: Tx, kind: string): Promise<void> {
  await tx.getExecutor().provideConnection(async connection => {
    leftWork.set(connection, (leftWork.get(connection) ?? new Set()).add(kind));
  });
}

/** Hears of which kinds work was left. Must neither throw nor wait. */
type Listener = (kinds: ReadonlySet<string>) => void;

export class WorkBell {
  readonly #listeners = new Set<Listener>();

  /** Returns the function that ends the listening. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  committed(connection: DatabaseConnection): void {
    const kinds = leftWork.get(connection);
    if (!kinds) return;
    leftWork.delete(connection);
    for (const listener of this.#listeners) queueMicrotask(() => listener(kinds));
  }

  rolledBack(connection: DatabaseConnection): void {
    leftWork.delete(connection);
  }
}
