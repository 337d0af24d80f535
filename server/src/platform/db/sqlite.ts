// The embedded database. One connection writes, one at a time, with every commit on the disk before it returns;
// another reads the last committed state, so that reading never waits for writing.
import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
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

const statementCacheSize = 500;

/** Prepared statements by their text, the least recently used thrown out first. */
class Statements {
  readonly #db: Database.Database;
  readonly #known = new Map<string, Database.Statement>();

  constructor(db: Database.Database) {
    this.#db = db;
  }

  get(sql: string): Database.Statement {
    const known = this.#known.get(sql);
    if (known) {
      this.#known.delete(sql);
      this.#known.set(sql, known);
      return known;
    }
    const statement = this.#db.prepare(sql);
    this.#known.set(sql, statement);
    const oldest = this.#known.size > statementCacheSize ? this.#known.keys().next().value : undefined;
    if (oldest !== undefined) this.#known.delete(oldest);
    return statement;
  }

  run<R>(query: CompiledQuery): QueryResult<R> {
    const statement = this.get(query.sql);
    if (statement.reader) return { rows: statement.all(...query.parameters) as R[] };
    const { changes, lastInsertRowid } = statement.run(...query.parameters);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }
}

const isRead = ({ query }: CompiledQuery): boolean =>
  SelectQueryNode.is(query) || (RawNode.is(query) && /^\s*(select|with|explain)\b/i.test(query.sqlFragments[0] ?? ''));

/** Routes each query: inside a transaction to the writer it holds; alone, reads to the reader, writes to the writer in turn. */
class SqliteConnection implements DatabaseConnection {
  readonly #driver: SqliteDriver;
  #release: (() => void) | undefined;

  constructor(driver: SqliteDriver) {
    this.#driver = driver;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#release) return this.#driver.writer.run(query);
    if (isRead(query)) return this.#driver.reader.run(query);
    const release = await this.#driver.turn.acquire();
    try {
      return this.#driver.writer.run(query);
    } finally {
      release();
    }
  }

  async begin(): Promise<void> {
    const release = await this.#driver.turn.acquire();
    try {
      this.#driver.writer.get('begin immediate').run();
      this.#release = release;
    } catch (error) {
      release();
      throw error;
    }
  }

  end(statement: 'commit' | 'rollback'): void {
    try {
      this.#driver.writer.get(statement).run();
    } finally {
      this.#release?.();
      this.#release = undefined;
    }
  }

  // biome-ignore lint/correctness/useYield: the contract asks for a generator
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('rows are read page by page, not streamed');
  }
}

class SqliteDriver implements Driver {
  readonly turn = new Mutex();
  readonly writer: Statements;
  readonly reader: Statements;
  readonly #handles: readonly Database.Database[];

  constructor(path: string) {
    const writer = openHandle(path);
    const reader = openHandle(path, { readonly: true });
    this.#handles = [reader, writer];
    this.writer = new Statements(writer);
    this.reader = new Statements(reader);
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<SqliteConnection> {
    return new SqliteConnection(this);
  }

  async beginTransaction(connection: SqliteConnection): Promise<void> {
    await connection.begin();
  }

  async commitTransaction(connection: SqliteConnection): Promise<void> {
    connection.end('commit');
  }

  async rollbackTransaction(connection: SqliteConnection): Promise<void> {
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
    for (const handle of this.#handles) handle.close();
  }
}

const toCommand = (command: string, name: string): CompiledQuery =>
  CompiledQuery.raw(`${command} ${IdentifierNode.create(name).name.replace(/\W/g, '_')}`);

function openHandle(path: string, options: { readonly?: boolean } = {}): Database.Database {
  if (!existsSync(dirname(path))) mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const handle = new Database(path, { ...options, timeout: 10_000 });
  if (!options.readonly) handle.pragma('journal_mode = WAL');
  handle.pragma('synchronous = FULL');
  handle.pragma('foreign_keys = ON');
  handle.pragma('trusted_schema = OFF');
  handle.pragma('cache_size = -16000');
  return handle;
}

export const sqliteDialect = (path: string): Dialect => ({
  createDriver: () => new SqliteDriver(path),
  createQueryCompiler: () => new SqliteQueryCompiler(),
  createAdapter: () => new ManyConnections(),
  createIntrospector: db => new SqliteIntrospector(db),
});

/** The driver takes turns by itself, so Kysely need not hold the whole database for one transaction. */
class ManyConnections extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}
