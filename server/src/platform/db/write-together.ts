// Writes that do not read each other's rows: one statement on PostgreSQL, where each costs a round trip, and one each on
// SQLite, which has no statement that writes several tables.
import { type OperationNodeSource, sql } from 'kysely';
import type { Engine } from './open-db.ts';
import type { Tx } from './tables.ts';

/** An insert or update that returns a row for each that it writes. */
export type Write = OperationNodeSource & { execute(): Promise<readonly unknown[]> };

/**
 * Returns how many rows each has written. On PostgreSQL the order of execution is not defined, none sees the rows of
 * another, and foreign keys are checked after all of them: their locks must not depend on their order.
 */
export async function writeTogether(tx: Tx, engine: Engine, writes: readonly Write[]): Promise<number[]> {
  if (engine === 'sqlite' || writes.length < 2) {
    const counts: number[] = [];
    for (const write of writes) counts.push((await write.execute()).length);
    return counts;
  }
  const names = writes.map((_, at) => sql.ref(`write_${at}`));
  const parts = writes.map((write, at) => sql`${names[at]} as (${write})`);
  const counts = names.map(name => sql`(select count(*) from ${name})`);
  const { rows } = await sql<{ counts: number[] }>`
    with ${sql.join(parts)} select json_build_array(${sql.join(counts)}) as counts`.execute(tx);
  return rows[0]?.counts ?? [];
}
