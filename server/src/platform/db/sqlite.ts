// Embedded database. One connection writes, one transaction at a time; another reads the last committed state, so reads
// never wait for writes. Every commit is on disk before it returns, except those of the unsynced driver: they are written
// to the log at once and synced with the next other commit, so that only a power failure can lose them, and only the
// newest ones.
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  IdentifierNode,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { collectDeferredWrites, dropDeferredWrites, runDeferredWrites } from './deferred-writes.ts';
import { Handles, toExactRow, whenFree } from './sqlite-handles.ts';
import type { WorkNotifier } from './work-notifications.ts';

/**
 * Routes queries: inside a transaction to its writer; otherwise reads to the reader, and writes to the writer in turn.
 */
class SqliteConnection implements DatabaseConnection {
  readonly #handles: Handles;
  readonly #isSynced: boolean;
  #release: (() => void) | undefined;

  constructor(handles: Handles, isSynced: boolean) {
    this.#handles = handles;
    this.#isSynced = isSynced;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#release) return this.#handles.writer.run(query);
    if (this.#handles.isRead(query)) return this.#handles.reader.run(query);
    const release = await this.#handles.takeTurn(this.#isSynced);
    try {
      return await whenFree(() => this.#handles.writer.run<R>(query));
    } finally {
      release();
    }
  }

  async begin(): Promise<void> {
    const release = await this.#handles.takeTurn(this.#isSynced);
    try {
      await whenFree(() => this.#handles.writer.get('begin immediate').run());
      this.#release = release;
    } catch (error) {
      release();
      throw error;
    }
  }

  /** In every case the transaction is over afterwards and the next one may begin. */
  end(statement: 'commit' | 'rollback'): void {
    if (!this.#release) return; // a commit that failed has already been rolled back
    try {
      if (statement === 'commit') this.#handles.writer.get('commit').run();
    } finally {
      try {
        if (this.#handles.writer.inTransaction) this.#handles.writer.get('rollback').run();
      } finally {
        this.#release();
        this.#release = undefined;
      }
    }
  }

  // biome-ignore lint/correctness/useYield: the contract asks for a generator
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('rows are read page by page, not streamed');
  }
}

type Driving = { readonly isSynced: boolean; readonly workNotifier: WorkNotifier };

class SqliteDriver implements Driver {
  readonly #handles: Handles;
  readonly #isSynced: boolean;
  readonly #workNotifier: WorkNotifier;

  constructor(handles: Handles, { isSynced, workNotifier }: Driving) {
    this.#handles = handles;
    this.#isSynced = isSynced;
    this.#workNotifier = workNotifier;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<SqliteConnection> {
    return new SqliteConnection(this.#handles, this.#isSynced);
  }

  async beginTransaction(connection: SqliteConnection): Promise<void> {
    await connection.begin();
    collectDeferredWrites(connection);
  }

  async commitTransaction(connection: SqliteConnection): Promise<void> {
    await runDeferredWrites(connection, 'sqlite');
    try {
      connection.end('commit');
    } catch (error) {
      this.#workNotifier.rolledBack(connection);
      throw error;
    }
    this.#workNotifier.committed(connection);
  }

  async rollbackTransaction(connection: SqliteConnection): Promise<void> {
    this.#workNotifier.rolledBack(connection);
    dropDeferredWrites(connection);
    connection.end('rollback');
  }

  async savepoint(connection: SqliteConnection, name: string): Promise<void> {
    await connection.executeQuery(toCommand('savepoint', name));
  }

  async rollbackToSavepoint(connection: SqliteConnection, name: string): Promise<void> {
    await connection.executeQuery(toCommand('rollback to', name));
  }

  async releaseSavepoint(connection: SqliteConnection, name: string): Promise<void> {
    await connection.executeQuery(toCommand('release', name));
  }

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {
    if (this.#isSynced) this.#handles.close();
  }
}

const toCommand = (command: string, name: string): CompiledQuery =>
  CompiledQuery.raw(`${command} ${IdentifierNode.create(name).name.replace(/\W/g, '_')}`);

type Sqlite = {
  readonly dialect: Dialect;
  /** On the same connections; ends with the other one. */
  readonly unsyncedDialect: Dialect;
  /** Reads the first row, bypassing the query builder. */
  prepareFirst<R>(query: CompiledQuery<R>): (parameters: readonly unknown[]) => R | undefined;
};

export function openSqlite(path: string, workNotifier: WorkNotifier): Sqlite {
  const handles = new Handles(path);
  const toDialect = (isSynced: boolean): Dialect => ({
    createDriver: () => new SqliteDriver(handles, { isSynced, workNotifier }),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new ManyConnections(),
    createIntrospector: db => new SqliteIntrospector(db),
  });
  return {
    dialect: toDialect(true),
    unsyncedDialect: toDialect(false),
    prepareFirst: <R>({ sql }: CompiledQuery<R>) => {
      const statement = handles.reader.get(sql);
      return parameters => toExactRow(statement.get(...parameters) as R | undefined);
    },
  };
}

/** The driver serializes writers itself, so Kysely need not lock the whole database for a transaction. */
class ManyConnections extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}
