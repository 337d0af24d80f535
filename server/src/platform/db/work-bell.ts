// Rings when a transaction that left work behind is committed, so that whoever does the work starts within milliseconds
// instead of at the next poll. Only a hint: the rows are the truth, a lost ring costs one poll.
import type { DatabaseConnection } from 'kysely';
import type { Tx } from './tables.ts';

/** Kinds of work. `patient`: nobody waits for it, so it may gather for a moment. */
type LeftWork = { readonly now: Set<string>; readonly patient: Set<string> };

const leftWork = new WeakMap<DatabaseConnection, LeftWork>();

/** Called by whoever writes such a row; nothing rings when the transaction is rolled back. */
export async function announceWork(tx: Tx, kind: string, isPatient = false): Promise<void> {
  await tx.getExecutor().provideConnection(async connection => {
    const left = leftWork.get(connection) ?? { now: new Set(), patient: new Set() };
    (isPatient ? left.patient : left.now).add(kind);
    leftWork.set(connection, left);
  });
}

/** Hears of which kinds work was left. Must neither throw nor wait. */
type Listener = (work: { readonly now: ReadonlySet<string>; readonly patient: ReadonlySet<string> }) => void;

export class WorkBell {
  readonly #listeners = new Set<Listener>();

  /** Returns the function that ends the listening. */
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
