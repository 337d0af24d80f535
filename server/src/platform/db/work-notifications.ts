// Wake-up of workers after a commit that enqueued work, so that it starts within milliseconds instead of at the next
// poll. Only a hint: the rows are authoritative, and a lost wake-up costs one poll interval.
import type { DatabaseConnection } from 'kysely';
import type { Tx } from './tables.ts';

/** Kinds of work. `patient`: background work that may be coalesced. */
type LeftWork = { readonly now: Set<string>; readonly coalesced: Set<string> };

const leftWork = new WeakMap<DatabaseConnection, LeftWork>();

/** Call it in the transaction that enqueues; a rollback cancels the wake-up. */
export async function announceWork(tx: Tx, kind: string, isCoalesced = false): Promise<void> {
  await tx.getExecutor().provideConnection(async connection => {
    const left = leftWork.get(connection) ?? { now: new Set(), coalesced: new Set() };
    (isCoalesced ? left.coalesced : left.now).add(kind);
    leftWork.set(connection, left);
  });
}

/** Gets the kinds of enqueued work. Must neither throw nor block. */
type Listener = (work: { readonly now: ReadonlySet<string>; readonly coalesced: ReadonlySet<string> }) => void;

export class WorkBell {
  readonly #listeners = new Set<Listener>();

  /** Returns a function that removes the listener. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  committed(connection: DatabaseConnection): void {
    const work = leftWork.get(connection);
    if (!work) return;
    leftWork.delete(connection);
    for (const listener of this.#listeners) queueMicrotask(() => listener(work));
  }

  rolledBack(connection: DatabaseConnection): void {
    leftWork.delete(connection);
  }
}
