// What a transaction writes at its very end, because it takes rows that many others wait for: nothing of the transaction
// stands between them and the commit. It is lost with the transaction, as all else in it.
import type { DatabaseConnection } from 'kysely';
import type { DatabaseOptions } from './database-options.ts';
import type { Tx } from './tables.ts';

type Engine = DatabaseOptions['kind'];

export type LastWords<Item> = {
  /** Locks are taken in one order everywhere: the lowest first, each number once. */
  readonly turn: number;
  /** Gets all that was left in the transaction, in its order. Throws to refuse the commit. */
  readonly write: (tx: Tx, engine: Engine, items: readonly Item[]) => Promise<void>;
};

type Left = { readonly items: unknown[]; readonly write: (engine: Engine) => Promise<void> };

const open = new WeakMap<DatabaseConnection, Map<number, Left>>();

/** A part of a transaction that is taken back to a savepoint must not have left any: they stay. */
export async function leaveForTheEnd<Item>(tx: Tx, words: LastWords<Item>, items: readonly Item[]): Promise<void> {
  await tx.getExecutor().provideConnection(async connection => {
    const left = open.get(connection);
    if (!left) throw new Error('last words are left in a transaction');
    const known = left.get(words.turn);
    if (known) {
      known.items.push(...items);
      return;
    }
    const own = [...items];
    left.set(words.turn, { items: own, write: engine => words.write(tx, engine, own) });
  });
}

/** For drivers: a transaction begins on the connection. */
export function listenForLastWords(connection: DatabaseConnection): void {
  open.set(connection, new Map());
}

/** For drivers: the next statement on the connection is the commit. */
export async function writeLastWords(connection: DatabaseConnection, engine: Engine): Promise<void> {
  const left = [...(open.get(connection) ?? [])];
  open.delete(connection);
  for (const [, { write }] of left.sort(([a], [b]) => a - b)) await write(engine);
}

/** For drivers: the transaction is undone. */
export function forgetLastWords(connection: DatabaseConnection): void {
  open.delete(connection);
}
