// Embedded database. One connection writes, one transaction at a time; another reads the last committed state, so reads
// never wait for writes. Every commit is on disk before it returns, except those of the unsynced driver: they are written
// to the log at once and synced with the next other commit, so that only a power failure can lose them, and only the
// newest ones.
import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BoundedMap } from '@recordproof/shared/bounded-map.ts';
import Database from 'better-sqlite3';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  IdentifierNode,
  type QueryResult,
  RawNode,
  SelectQueryNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { Mutex } from '../mutex.ts';
import { collectDeferredWrites, dropDeferredWrites, runDeferredWrites } from './deferred-writes.ts';
import type { WorkNotifier } from './work-notifications.ts';

const statementCacheSize = 500;
const turnTimeoutMs = 60_000;
const busyTimeoutMs = 10_000;

/** Timeout while waiting for the writer: most likely a query on the root `db` inside the caller's own transaction. */
class WriterBusy extends Error {}

/** LRU cache of prepared statements by text. */
class Statements {
  readonly #db: Database.Database;
  readonly #statements = new BoundedMap<string, Database.Statement>(statementCacheSize);

  constructor(db: Database.Database) {
    this.#db = db;
  }

  get(sql: string): Database.Statement {
    const cached = this.#statements.use(sql);
    if (cached) return cached;
    const statement = this.#db.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  get inTransaction(): boolean {
    return this.#db.inTransaction;
  }

  run<R>(query: CompiledQuery): QueryResult<R> {
    const statement = this.get(query.sql);
    if (statement.reader) return { rows: statement.all(...query.parameters).map(row => toExactRow(row as R)) };
    const { changes, lastInsertRowid } = statement.run(...query.parameters);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }
}

/** SQLite's integers have 64 bits: values beyond JavaScript's exact range are errors, as on PostgreSQL. */
function toExactRow<R>(row: R): R {
  for (const column in row) {
    const value = row[column];
    if (typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER) {
      throw new RangeError(`column ${column} has the number ${value}, beyond the exact range of ±(2^53 - 1)`);
    }
  }
  return row;
}

const isBusy = (error: unknown): boolean =>
  error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY');

/** Waits for other processes without blocking this one; only for work that can be retried from its start. */
async function whenFree<T>(work: () => T): Promise<T> {
  const until = performance.now() + busyTimeoutMs;
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, 16)) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || performance.now() > until) throw error;
    }
    await sleep(pauseMs);
  }
}

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

/** The connections to the file, and whose turn it is to write. */
class Handles {
  readonly writer: Statements;
  readonly reader: Statements;
  readonly #turn = new Mutex();
  readonly #writer: Database.Database;
  readonly #reader: Database.Database;
  #isSynced = true;

  constructor(path: string) {
    this.#writer = openHandle(path);
    this.#reader = openHandle(path, { readonly: true });
    this.writer = new Statements(this.#writer);
    this.reader = new Statements(this.#reader);
  }

  /** A query that begins with `with` may still write; SQLite tells. */
  isRead(query: CompiledQuery): boolean {
    if (SelectQueryNode.is(query.query)) return true;
    if (!RawNode.is(query.query)) return false;
    return /^\s*(select|with|explain)\b/i.test(query.sql) && this.reader.get(query.sql).readonly;
  }

  /** The level is that of the connection and cannot be set inside a transaction, so it is set with each turn. */
  async takeTurn(isSynced: boolean): Promise<() => void> {
    const release = await this.#turn.acquireWithin(turnTimeoutMs);
    if (!release)
      throw new WriterBusy('the database was not free for writing within a minute; a transaction is held open.');
    try {
      this.#setLevel(isSynced);
      return release;
    } catch (error) {
      release();
      throw error;
    }
  }

  #setLevel(isSynced: boolean): void {
    if (this.#isSynced === isSynced) return;
    this.#writer.exec(`pragma synchronous = ${isSynced ? 'full' : 'normal'}`);
    this.#isSynced = isSynced;
  }

  close(): void {
    this.#reader.close();
    this.#writer.close();
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

function openHandle(path: string, options: { readonly?: boolean } = {}): Database.Database {
  if (!existsSync(dirname(path))) mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600)); // -wal and -shm inherit the mode
  const handle = new Database(path, { ...options, timeout: busyTimeoutMs });
  if (!options.readonly) handle.pragma('journal_mode = WAL');
  handle.pragma('synchronous = FULL');
  handle.pragma('foreign_keys = ON');
  handle.pragma('trusted_schema = OFF');
  handle.pragma('cache_size = -16000');
  handle.pragma('journal_size_limit = 67108864');
  if (!options.readonly) handle.pragma('busy_timeout = 0'); // from here on `whenFree` waits without blocking
  return handle;
}

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
