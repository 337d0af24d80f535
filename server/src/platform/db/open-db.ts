// Opens the database that the configuration names. Two engines, one behaviour: 64-bit ids as exact numbers, times as
// milliseconds, every commit durable.
import { Kysely } from 'kysely';
import type { DatabaseConfig } from '../../config.ts';
import { postgresDialect } from './postgres.ts';
import { sqliteDialect } from './sqlite.ts';
import type { Db, Tables } from './tables.ts';
import { WorkBell } from './work-bell.ts';

export type Engine = DatabaseConfig['kind'];

export type Database = {
  readonly kind: Engine;
  readonly db: Db;
  /** Rings after each commit, through this object, that left jobs or events behind. */
  readonly bell: WorkBell;
  /** Null when the database answers, else why not. */
  probe(): Promise<string | null>;
  close(): Promise<void>;
};

/** The database cannot be reached or does not let us in. */
export class DatabaseUnavailable extends Error {}

export async function openDatabase(config: DatabaseConfig): Promise<Database> {
  const bell = new WorkBell();
  const dialect = config.kind === 'sqlite' ? sqliteDialect(config.path, bell) : await postgresDialect(config, bell);
  const db = new Kysely<Tables>({ dialect });
  return {
    kind: config.kind,
    db,
    bell,
    probe: async () => {
      try {
        await db.selectNoFrom(eb => eb.lit(1).as('one')).execute();
        return null;
      } catch (error) {
        return error instanceof Error ? ((error as { code?: string }).code ?? error.message) : String(error);
      }
    },
    close: () => db.destroy(),
  };
}
