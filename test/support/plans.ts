// Query plans: statements are recorded as they are executed, and explained afterwards.
import type { Database, QueryObserver } from '@recordproof/server/platform/db/open-db.ts';
import { sql } from 'kysely';
import { openTestDatabase, type TestDatabaseAddress } from './database-address.ts';

type Statement = { readonly sql: string; readonly parameters: readonly unknown[] };

export type Watched = { readonly database: Database; readonly asked: Statement[] };

export async function openWatched(address: TestDatabaseAddress): Promise<Watched> {
  const asked: Statement[] = [];
  const observe: QueryObserver = ({ query }) => void asked.push({ sql: query.sql, parameters: query.parameters });
  return { database: await openTestDatabase(address, observe), asked };
}

type Plan = { readonly sql: string; readonly lines: readonly string[] };

/**
 * The plans of the queries of `run`; `analyze` also runs them and reports how long each part took, where the database
 * can.
 */
export async function explain(
  { database, asked }: Watched,
  run: () => Promise<unknown>,
  { analyze = false } = {},
): Promise<Plan[]> {
  asked.length = 0;
  await run();
  const queries = asked.filter(query => /^\s*(select|with)\b/i.test(query.sql));
  const postgres = analyze ? 'explain (analyze, buffers)' : 'explain';
  const how = database.kind === 'postgres' ? postgres : 'explain query plan';
  const plans: Plan[] = [];
  for (const { sql: text, parameters } of queries) {
    const query = { ...sql.raw(`${how} ${text}`).compile(database.db), parameters };
    const { rows } = await database.db.executeQuery<Record<string, unknown>>(query);
    plans.push({ sql: text, lines: rows.map(row => String(row['QUERY PLAN'] ?? row.detail)) });
  }
  return plans;
}
