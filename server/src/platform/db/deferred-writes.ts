// Writes deferred to commit: for rows that many transactions compete for, so that their locks are held as briefly as
// possible. A rollback discards them.
import type { DatabaseConnection } from 'kysely';
import type { Engine } from './database-options.ts';
import type { Tx } from './tables.ts';

export type DeferredWrites<Item> = {
  /** Order of execution, unique and the same everywhere, so that locks are taken in one order. */
  readonly order: number;
  /** Gets all items deferred in the transaction, in order. Throws to reject the commit. */
  readonly write: (tx: Tx, engine: Engine, items: readonly Item[]) => Promise<void>;
};

type PendingWrites = { readonly items: unknown[]; readonly write: (engine: Engine) => Promise<void> };

const open = new WeakMap<DatabaseConnection, Map<number, PendingWrites>>();

/** Items stay deferred after a rollback to a savepoint, so do not defer inside one. */
export async function deferToCommit<Item>(tx: Tx, writes: DeferredWrites<Item>, items: readonly Item[]): Promise<void> {
  await tx.getExecutor().provideConnection(async connection => {
    const pending = open.get(connection);
    if (!pending) throw new Error('writes are deferred to a commit only inside a transaction');
    const existing = pending.get(writes.order);
    if (existing) {
      existing.items.push(...items);
      return;
    }
    const own = [...items];
    pending.set(writes.order, { items: own, write: engine => writes.write(tx, engine, own) });
  });
}

/** For drivers: a transaction begins on the connection. */
export function collectDeferredWrites(connection: DatabaseConnection): void {
  open.set(connection, new Map());
}

/** For drivers: call right before the commit. */
export async function runDeferredWrites(connection: DatabaseConnection, engine: Engine): Promise<void> {
  const pending = [...(open.get(connection) ?? [])];
  open.delete(connection);
  for (const [, { write }] of pending.sort(([a], [b]) => a - b)) await write(engine);
}

/** For drivers: the transaction is rolled back. */
export function dropDeferredWrites(connection: DatabaseConnection): void {
  open.delete(connection);
}
