// The shared database: a pool of connections, exact numbers, bounded waits.
import { type Dialect, PostgresDialect, PostgresDriver } from 'kysely';
import type { DatabaseConfig } from '../../config.ts';
import type { WorkBell } from './work-bell.ts';

const int8 = 20;
const numeric = 1700;

function toExactNumber(text: string): number {
  const value = Number(text);
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) {
    throw new RangeError('a number from the database is too large to be exact');
  }
  return value;
}

type Connection = Parameters<PostgresDriver['rollbackTransaction']>[0];

class RingingDriver extends PostgresDriver {
  readonly #bell: WorkBell;

  constructor(config: ConstructorParameters<typeof PostgresDriver>[0], bell: WorkBell) {
    super(config);
    this.#bell = bell;
  }

  override async commitTransaction(connection: Connection): Promise<void> {
    try {
      await super.commitTransaction(connection);
    } catch (error) {
      this.#bell.rolledBack(connection);
      throw error;
    }
    this.#bell.committed(connection);
  }

  override async rollbackTransaction(connection: Connection): Promise<void> {
    this.#bell.rolledBack(connection);
    await super.rollbackTransaction(connection);
  }
}

export async function postgresDialect(config: DatabaseConfig & { kind: 'postgres' }, bell: WorkBell): Promise<Dialect> {
  const { default: pg } = await import('pg');
  const parsers: Readonly<Record<number, (text: string) => number>> = {
    [int8]: toExactNumber,
    [numeric]: toExactNumber,
  };
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
    keepAlive: true,
    application_name: 'recordproof-server',
  });
  // A connection died. The query on it fails by itself, the pool opens a new one; unheard, the event ends the process.
  pool.on('error', () => {});
  pool.on('connect', client => client.on('error', () => {}));
  const dialect = new PostgresDialect({ pool });
  return {
    createDriver: () => new RingingDriver({ pool }, bell),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: db => dialect.createIntrospector(db),
  };
}
