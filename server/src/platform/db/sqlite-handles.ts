// The connections to the SQLite file: one for writing, which one transaction at a time may use, and one for reading.
import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BoundedMap } from '@recordproof/shared/bounded-map.ts';
import Database from 'better-sqlite3';
import { type CompiledQuery, type QueryResult, RawNode, SelectQueryNode } from 'kysely';
import { Mutex } from '../mutex.ts';

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
export function toExactRow<R>(row: R): R {
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
export async function whenFree<T>(work: () => T): Promise<T> {
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

/** The connections to the file, and whose turn it is to write. */
export class Handles {
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
