// A trigger on an insert, in the same transaction: for tests of a state that is too short-lived to be observed
// otherwise.
import type { Database } from '@recordproof/server/platform/db/open-db.ts';
import { sql } from 'kysely';

let count = 0;

/** `new` is the row, in the condition as in the statements. Removed with the scope. */
export async function onInsert(
  { db, kind }: Pick<Database, 'db' | 'kind'>,
  table: string,
  condition: string,
  statements: readonly string[],
): Promise<AsyncDisposable> {
  count += 1;
  const name = `on_insert_${count}`;
  const run = (text: string) => sql.raw(text).execute(db);
  const body = statements.map(statement => `${statement};`).join(' ');
  if (kind === 'sqlite') {
    await run(`create trigger ${name} after insert on ${table} when ${condition} begin ${body} end`);
    return { [Symbol.asyncDispose]: async () => void (await run(`drop trigger ${name}`)) };
  }
  await run(`create function ${name}() returns trigger language plpgsql as $$ begin ${body} return null; end $$`);
  await run(
    `create trigger ${name} after insert on ${table} for each row when (${condition}) execute function ${name}()`,
  );
  return { [Symbol.asyncDispose]: async () => void (await run(`drop function ${name} cascade`)) };
}
