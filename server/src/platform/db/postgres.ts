// Shared database on PostgreSQL: connection pool, exact numbers, bounded waits.
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
import { OutcomeUnknown } from './database-errors.ts';
import type { DatabaseOptions } from './database-options.ts';
import { collectDeferredWrites, dropDeferredWrites, runDeferredWrites } from './deferred-writes.ts';
import type { WorkNotifier } from './work-notifications.ts';

const int8 = 20;
const numeric = 1700;

function toExactNumber(text: string): number {
  const value = Number(text);
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) {
    throw new RangeError(`the database returned the number ${text}, beyond the exact range of ±(2^53 - 1)`);
  }
  return value;
}

/** Whether PostgreSQL answered: by rejecting the commit, or by a rollback because an earlier statement had failed. */
const wasHeard = (error: unknown): boolean => {
  const { code, name } = Object(error) as { code?: unknown; name?: unknown };
  if (name === 'AbortedTransactionError') return true;
  return typeof code === 'string' && /^(?=.*\d)[0-9A-Z]{5}$/.test(code) && !/^(08|57P)/.test(code);
};

type Connection = Parameters<PostgresDriver['rollbackTransaction']>[0];

class NotifyingDriver extends PostgresDriver {
  readonly #workNotifier: WorkNotifier;

  constructor(config: ConstructorParameters<typeof PostgresDriver>[0], workNotifier: WorkNotifier) {
    super(config);
    this.#workNotifier = workNotifier;
  }

  override async beginTransaction(...[connection, settings]: Parameters<PostgresDriver['beginTransaction']>) {
    await super.beginTransaction(connection, settings);
    collectDeferredWrites(connection);
  }

  override async commitTransaction(connection: Connection): Promise<void> {
    await runDeferredWrites(connection, 'postgres');
    try {
      await super.commitTransaction(connection);
    } catch (error) {
      this.#workNotifier.rolledBack(connection);
      // A rejected commit has an error code. Without one, or with the code of a shutdown, its result is unknown.
      throw wasHeard(error) ? error : new OutcomeUnknown('the connection was lost during a commit', { cause: error });
    }
    this.#workNotifier.committed(connection);
  }

  override async rollbackTransaction(connection: Connection): Promise<void> {
    this.#workNotifier.rolledBack(connection);
    dropDeferredWrites(connection);
    // Fails only if the connection is gone, and the transaction with it: the error that led here is the one to report.
    await super.rollbackTransaction(connection).catch(() => {});
  }
}

const emptyList = new Map([
  ['in', 'false'],
  ['not in', 'true'],
]);

/** `in` with an empty list is false, as in SQLite; PostgreSQL rejects it as a syntax error. */
class EmptyListCompiler extends PostgresQueryCompiler {
  protected override visitBinaryOperation(node: BinaryOperationNode): void {
    const { operator, rightOperand: list } = node;
    const isEmpty = (PrimitiveValueListNode.is(list) || ValueListNode.is(list)) && list.values.length === 0;
    const answer = isEmpty && OperatorNode.is(operator) ? emptyList.get(operator.operator) : undefined;
    if (answer === undefined) super.visitBinaryOperation(node);
    else this.append(answer);
  }
}

/** A peer that is gone without a word is noticed within about 20 seconds; the system's default is two hours. */
export const keepAlive = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 } as const;

export async function postgresDialect(
  config: DatabaseOptions & { kind: 'postgres' },
  workNotifier: WorkNotifier,
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
    // Limits how long a server that hangs inside a transaction blocks the others.
    idle_in_transaction_session_timeout: 2000,
    ...keepAlive,
    application_name: 'recordproof-server',
  });
  // A dead connection: its query fails, and the pool opens a new one. Without a listener the event ends the process.
  pool.on('error', () => {});
  pool.on('connect', client => client.on('error', () => {}));
  const dialect = new PostgresDialect({ pool });
  return {
    createDriver: () => new NotifyingDriver({ pool }, workNotifier),
    createQueryCompiler: () => new EmptyListCompiler(),
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: db => dialect.createIntrospector(db),
  };
}
