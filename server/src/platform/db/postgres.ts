// The shared database: a pool of connections, exact numbers, bounded waits.
import {
  type BinaryOperationNode,
  type Dialect,
  OperatorNode,
  PostgresDialect,
  PostgresDriver,
  PostgresQueryCompiler,
  PrimitiveValueListNode,
  ValueListNode,
} from 'kysely';
import type { DatabaseOptions } from './database-options.ts';
import { forgetLastWords, listenForLastWords, writeLastWords } from './last-words.ts';
import { OutcomeUnknown } from './outcome-unknown.ts';
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

const wasHeard = (error: unknown): boolean => {
  const { code } = Object(error) as { code?: unknown };
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !/^(08|57P)/.test(code);
};

type Connection = Parameters<PostgresDriver['rollbackTransaction']>[0];

class RingingDriver extends PostgresDriver {
  readonly #bell: WorkBell;

  constructor(config: ConstructorParameters<typeof PostgresDriver>[0], bell: WorkBell) {
    super(config);
    this.#bell = bell;
  }

  override async beginTransaction(...[connection, settings]: Parameters<PostgresDriver['beginTransaction']>) {
    await super.beginTransaction(connection, settings);
    listenForLastWords(connection);
  }

  override async commitTransaction(connection: Connection): Promise<void> {
    await writeLastWords(connection, 'postgres');
    try {
      await super.commitTransaction(connection);
    } catch (error) {
      this.#bell.rolledBack(connection);
      // A refusal comes with a code of the database; without one, or with that of its end, nobody heard how it went.
      throw wasHeard(error) ? error : new OutcomeUnknown('the connection was lost during a commit', { cause: error });
    }
    this.#bell.committed(connection);
  }

  override async rollbackTransaction(connection: Connection): Promise<void> {
    this.#bell.rolledBack(connection);
    forgetLastWords(connection);
    await super.rollbackTransaction(connection);
  }
}

const emptyList = new Map([
  ['in', 'false'],
  ['not in', 'true'],
]);

/** Nothing is in an empty list. SQLite says so by itself; PostgreSQL calls the query malformed. */
class EmptyListCompiler extends PostgresQueryCompiler {
  protected override visitBinaryOperation(node: BinaryOperationNode): void {
    const { operator, rightOperand: list } = node;
    const isEmpty = (PrimitiveValueListNode.is(list) || ValueListNode.is(list)) && list.values.length === 0;
    const answer = isEmpty && OperatorNode.is(operator) ? emptyList.get(operator.operator) : undefined;
    if (answer === undefined) super.visitBinaryOperation(node);
    else this.append(answer);
  }
}

export async function postgresDialect(
  config: DatabaseOptions & { kind: 'postgres' },
  bell: WorkBell,
): Promise<Dialect> {
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
    // A server that stands still in the middle of a transaction keeps the others waiting no longer than this.
    idle_in_transaction_session_timeout: 2000,
    keepAlive: true,
    application_name: 'recordproof-server',
  });
  // A connection died. The query on it fails by itself, the pool opens a new one; unheard, the event ends the process.
  pool.on('error', () => {});
  pool.on('connect', client => client.on('error', () => {}));
  const dialect = new PostgresDialect({ pool });
  return {
    createDriver: () => new RingingDriver({ pool }, bell),
    createQueryCompiler: () => new EmptyListCompiler(),
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: db => dialect.createIntrospector(db),
  };
}
