// Opens the database that the configuration names. Two engines, one behaviour: 64-bit ids as exact numbers, times as
// milliseconds, every commit durable.
import { type Dialect, Kysely, PostgresDialect } from 'kysely';
import type { DatabaseConfig } from '../../config.ts';
import { sqliteDialect } from './sqlite.ts';
import type { Db, Tables } from './tables.ts';

export type Engine = DatabaseConfig['kind'];

export type Database = {
  readonly kind: Engine;
  readonly db: Db;
  /** Null when the database answers, else why not. */
  probe(): Promise<string | null>;
  close(): Promise<void>;
};

/** The database cannot be reached or does not let us in. */
export class DatabaseUnavailable extends Error {}

const int8 = 20;
const numeric = 1700;

async function postgresDialect(config: DatabaseConfig & { kind: 'postgres' }): Promise<Dialect> {
  const { default: pg } = await import('pg');
  const toNumber = (text: string): number => {
    const value = Number(text);
    if (!Number.isSafeInteger(value)) throw new RangeError('a number from the database is too large to be exact');
    return value;
  };
  const parsers: Readonly<Record<number, (text: string) => number>> = { [int8]: toNumber, [numeric]: toNumber };
  const types: import('pg').CustomTypesConfig = {
    getTypeParser: ((oid: number, format: 'text' | 'binary') =>
      parsers[oid] ?? pg.types.getTypeParser(oid, format)) as import('pg').CustomTypesConfig['getTypeParser'],
  };
  const pool = new pg.Pool({
    connectionString: config.url.reveal(),
    max: config.poolSize,
    types,
    connectionTimeoutMillis: 10_000,
    statement_timeout: 60_000,
    idle_in_transaction_session_timeout: 60_000,
    application_name: 'recordproof-server',
  });
  pool.on('error', () => {}); // an idle connection died; the next query gets a new one or fails with its own error
  return new PostgresDialect({ pool });
}

export async function openDatabase(config: DatabaseConfig): Promise<Database> {
  const dialect = config.kind === 'sqlite' ? sqliteDialect(config.path) : await postgresDialect(config);
  const db = new Kysely<Tables>({ dialect });
  return {
    kind: config.kind,
    db,
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
