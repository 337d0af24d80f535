// Watch over the database of a server: reports whether a request has written anything but the audit row of its
// rejection.
import { createHash } from 'node:crypto';
import Database from 'better-sqlite3';
import type { TestApp } from '../app.ts';

export type RowWatch = Disposable & {
  /** Runs all jobs that are due; from now on only requests write. */
  waitUntilQuiet(): Promise<void>;
  /** Whether a commit has changed anything since the last call; the audit row of a rejected call does not count. */
  hasChanged(): boolean;
};

/** The tables that a rejected call is recorded in. */
const rejectionTables = ['audit_log', 'audit_head', 'audit_refusal'];

/** JSON would write a number for each byte. */
const toText = (row: unknown[]): string =>
  JSON.stringify(row.map(value => (Buffer.isBuffer(value) ? value.toString('latin1') : value)));

const counts = 'row_watch_count';
const events = ['insert', 'update', 'delete'] as const;

/** Triggers count the writes to each table; search indexes cannot have any. */
function countWrites(handle: Database.Database, names: readonly string[]): void {
  handle.exec(`create table ${counts} (name text primary key, writes integer not null) without rowid`);
  for (const name of names) {
    handle.prepare(`insert into ${counts} values (?, 0)`).run(name);
    for (const event of events)
      handle.exec(`create trigger "${name}_${event}_watch" after ${event} on "${name}"
        begin update ${counts} set writes = writes + 1 where name = '${name}'; end`);
  }
}

/**
 * A digest over all rows of all tables, with the part of the audit log that is not about rejections. Only tables that
 * were written to since the last one are read again.
 */
function openDigest(handle: Database.Database): () => string {
  const tables = handle
    .prepare<[], { name: string; type: string }>("select name, type from pragma_table_list where schema = 'main'")
    .all()
    .filter(({ name }) => !name.startsWith('sqlite_') && !rejectionTables.includes(name));
  const names = tables.map(({ name }) => name);
  const counted = tables.filter(({ type }) => type === 'table').map(({ name }) => name);
  handle.transaction(() => countWrites(handle, counted))();
  const readCounts = handle.prepare<[], { name: string; writes: number }>(`select name, writes from ${counts}`);
  const indexes = names.filter(name => !counted.includes(name)).map(name => `select * from "${name}"`);
  const uncounted = [...indexes, 'select count(*), max(id) from audit_log where status = 0'].map(text =>
    handle.prepare(text).raw(),
  );
  const reads = new Map(names.map(name => [name, handle.prepare(`select * from "${name}"`).raw()]));
  const known = new Map<string, { readonly writes: number; readonly digest: string }>();
  const digestOf = (rows: unknown[]): string =>
    createHash('sha256')
      .update((rows as unknown[][]).map(toText).join('\n'))
      .digest('hex');
  return handle.transaction(() => {
    for (const { name, writes } of readCounts.all()) {
      if (known.get(name)?.writes !== writes)
        known.set(name, { writes, digest: digestOf(reads.get(name)?.all() ?? []) });
    }
    return [...[...known.values()].map(({ digest }) => digest), ...uncounted.map(read => digestOf(read.all()))].join();
  });
}

export function watchRows({ config, drain }: TestApp): RowWatch {
  if (config.db.kind !== 'sqlite') throw new Error('only a database in a file can be watched');
  const handle = new Database(config.db.path);
  const readVersion = (): unknown => handle.pragma('data_version', { simple: true });
  const digestRows = openDigest(handle);
  let seen = { version: readVersion(), digest: digestRows() };
  const hasChanged = (): boolean => {
    const before = seen;
    const version = readVersion();
    if (version === before.version) return false;
    seen = { version, digest: digestRows() };
    return seen.digest !== before.digest;
  };
  let isQuiet = false;
  return {
    waitUntilQuiet: async () => {
      if (!isQuiet || hasChanged()) await drain();
      hasChanged();
      isQuiet = true;
    },
    hasChanged: () => {
      const changed = hasChanged();
      if (changed) isQuiet = false;
      return changed;
    },
    [Symbol.dispose]: () => handle.close(),
  };
}
