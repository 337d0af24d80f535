// Detection of other servers on the shared database.
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from './tables.ts';

/** Connections of a killed server may remain for a short time. */
const longestMs = 10_000;
const pauseMs = 200;

/** Only for programs with a single connection so far. */
export async function hasOtherServers(db: Db): Promise<boolean> {
  for (const until = performance.now() + longestMs; ; await sleep(pauseMs)) {
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()
        and application_name = current_setting('application_name')`.execute(db);
    if (rows[0]?.count === 0) return false;
    if (performance.now() > until) return true;
  }
}
