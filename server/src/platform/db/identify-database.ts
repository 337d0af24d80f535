// Identity of a database: the same under every address of a PostgreSQL server, another one after a dump and restore.
import { sql } from 'kysely';
import { type DatabaseOptions, nameDatabase } from './database-options.ts';
import type { Database } from './open-db.ts';

export async function identifyDatabase({ db }: Pick<Database, 'db'>, options: DatabaseOptions): Promise<string> {
  if (options.kind === 'sqlite') return options.path;
  try {
    const { rows } = await sql<{ identity: string }>`
      select system_identifier || '/' || current_database() as identity from pg_control_system()`.execute(db);
    return rows[0]?.identity ?? nameDatabase(options);
  } catch {
    return nameDatabase(options); // hosted PostgreSQL services may deny this
  }
}
