// Wake-up of workers after a commit that enqueued work, so that it starts within milliseconds instead of at the next
// poll. Only a hint: the rows are authoritative, and a lost wake-up costs one poll interval.
import type { DatabaseConnection } from 'kysely';
import type { Tx } from './tables.ts';

/** Kinds of work that a transaction enqueued. `coalesced`: background work that may wait for more of its kind. */
type PendingWork = { readonly now: Set<string>; readonly coalesced: Set<string> };

const pendingWork = new WeakMap<DatabaseConnection, PendingWork>();

/** Call it in the transaction that enqueues; a rollback cancels the wake-up. */
export async function announceWork(tx: Tx, kind: string, isCoalesced = false): Promise<void> {
  await tx.getExecutor().provideConnection(async connection => {
    const pending = pendingWork.get(connection) ?? { now: new Set(), coalesced: new Set() };
    (isCoalesced ? pending.coalesced : pending.now).add(kind);
    pendingWork.set(connection, pending);
  });
}

/** Gets the kinds of enqueued work. Must neither throw nor block. */
type Listener = (work: { readonly now: ReadonlySet<string>; readonly coalesced: ReadonlySet<string> }) => void;

export class WorkNotifier {
  readonly #listeners = new Set<Listener>();

  /** Returns a function that removes the listener. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  committed(connection: DatabaseConnection): void {
    const work = pendingWork.get(connection);
    if (!work) return;
    pendingWork.delete(connection);
    for (const listener of this.#listeners) queueMicrotask(() => listener(work));
  }

  rolledBack(connection: DatabaseConnection): void {
    pendingWork.delete(connection);
  }
}
