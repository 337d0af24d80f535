// Opens the database that the configuration names. Two engines, one behaviour: 64-bit ids as exact numbers, times as
// milliseconds, every commit durable.
import { type CompiledQuery, Kysely } from 'kysely';
import type { Awaitable } from '../awaitable.ts';
import type { DatabaseOptions } from './database-options.ts';
import { postgresDialect } from './postgres.ts';
import { openSqlite } from './sqlite.ts';
import type { Db, Tables } from './tables.ts';
import { WorkBell } from './work-bell.ts';

export type Engine = DatabaseOptions['kind'];

export type Database = {
  readonly kind: Engine;
  readonly db: Db;
  /** Rings after each commit, through this object, that left jobs or events behind. */
  readonly bell: WorkBell;
  /** For queries on the hot path, outside of any transaction: the first row, at once where the engine is in this process. */
  prepareFirst<R>(query: CompiledQuery<R>): (parameters: readonly unknown[]) => Awaitable<R | undefined>;
  /** Null when the database answers, else why not. */
  probe(): Promise<string | null>;
  close(): Promise<void>;
};

/** The database cannot be reached or does not let us in. */
export class DatabaseUnavailable extends Error {}

export async function openDatabase(config: DatabaseOptions): Promise<Database> {
  const bell = new WorkBell();
  if (config.kind === 'sqlite') {
    const { dialect, prepareFirst } = openSqlite(config.path, bell);
    return toDatabase(config.kind, bell, new Kysely<Tables>({ dialect }), prepareFirst);
  }
  const db = new Kysely<Tables>({ dialect: await postgresDialect(config, bell) });
  const prepareFirst = <R>(query: CompiledQuery<R>) => {
    return async (parameters: readonly unknown[]): Promise<R | undefined> =>
      (await db.executeQuery<R>({ ...query, parameters })).rows[0];
  };
  return toDatabase(config.kind, bell, db, prepareFirst);
}

const toDatabase = (kind: Engine, bell: WorkBell, db: Db, prepareFirst: Database['prepareFirst']): Database => ({
  kind,
  db,
  bell,
  prepareFirst,
  probe: async () => {
    try {
      await db.selectNoFrom(eb => eb.lit(1).as('one')).execute();
      return null;
    } catch (error) {
      return error instanceof Error ? ((error as { code?: string }).code ?? error.message) : String(error);
    }
  },
  close: () => db.destroy(),
});
