// Opening the configured database. Both engines behave alike: 64-bit ids as exact numbers, times as milliseconds, every
// commit durable.
import { type CompiledQuery, Kysely, type LogEvent, sql } from 'kysely';
import type { Awaitable } from '../awaitable.ts';
import { type DatabaseOptions, type Engine, nameDatabase } from './database-options.ts';
import { postgresDialect } from './postgres.ts';
import { openSqlite } from './sqlite.ts';
import type { Db, Tables } from './tables.ts';
import { WorkNotifier } from './work-notifications.ts';

export type { Engine } from './database-options.ts';

export type Database = AsyncDisposable & {
  readonly kind: Engine;
  readonly db: Db;
  /**
   * For writes that a power failure may undo, such as claims and progress: on SQLite their commits do not wait for the
   * disk. The newest ones may be lost, and none without those after it. On PostgreSQL it is `db`.
   */
  readonly unsynced: Db;
  /** Rings after each commit through this object that enqueued jobs or events. */
  readonly workNotifier: WorkNotifier;
  /** First row of a hot query outside transactions; synchronous on SQLite. */
  prepareFirst<R>(query: CompiledQuery<R>): (parameters: readonly unknown[]) => Awaitable<R | undefined>;
  /** Null if the database answers, otherwise the reason. */
  probe(): Promise<string | null>;
  close(): Promise<void>;
};

/** The database is unreachable or rejects the login. */
export class DatabaseUnavailable extends Error {}

/** Called after each statement. */
export type QueryObserver = (event: LogEvent) => void;

export async function openDatabase(config: DatabaseOptions, onQuery?: QueryObserver): Promise<Database> {
  const log = onQuery && { log: onQuery };
  const workNotifier = new WorkNotifier();
  if (config.kind === 'sqlite') {
    const { dialect, unsyncedDialect, prepareFirst } = openSqlite(config.path, workNotifier);
    const prepare = onQuery ? observed(prepareFirst, onQuery) : prepareFirst;
    const db = new Kysely<Tables>({ dialect, ...log });
    const unsynced = new Kysely<Tables>({ dialect: unsyncedDialect, ...log });
    return toDatabase(config.kind, workNotifier, { db, unsynced }, prepare);
  }
  const db = new Kysely<Tables>({ dialect: await postgresDialect(config, workNotifier), ...log });
  const prepareFirst = <R>(query: CompiledQuery<R>) => {
    return async (parameters: readonly unknown[]): Promise<R | undefined> =>
      (await db.executeQuery<R>({ ...query, parameters })).rows[0];
  };
  return toDatabase(config.kind, workNotifier, { db, unsynced: db }, prepareFirst);
}

/** Reports statements that bypass the query builder. */
const observed =
  (prepareFirst: Database['prepareFirst'], onQuery: QueryObserver): Database['prepareFirst'] =>
  <R>(query: CompiledQuery<R>) => {
    const first = prepareFirst(query);
    return parameters => {
      const startedAt = performance.now();
      const row = first(parameters);
      onQuery({ level: 'query', query, queryDurationMillis: performance.now() - startedAt });
      return row;
    };
  };

const toDatabase = (
  kind: Engine,
  workNotifier: WorkNotifier,
  { db, unsynced }: Pick<Database, 'db' | 'unsynced'>,
  prepareFirst: Database['prepareFirst'],
): Database => {
  const close = async () => {
    if (unsynced !== db) await unsynced.destroy();
    await db.destroy();
  };
  return {
    kind,
    db,
    unsynced,
    workNotifier,
    prepareFirst,
    probe: async () => {
      try {
        await db.selectNoFrom(eb => eb.lit(1).as('one')).execute();
        return null;
      } catch (error) {
        return error instanceof Error ? ((error as { code?: string }).code ?? error.message) : String(error);
      }
    },
    close,
    [Symbol.asyncDispose]: close,
  };
};

/** The same under every address of a PostgreSQL server, another one after a dump and restore. */
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
