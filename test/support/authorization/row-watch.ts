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

/** A digest over all rows of all tables, with the part of the audit log that is not about rejections. */
function openDigest(handle: Database.Database): () => string {
  const names = handle
    .prepare<[], { name: string }>("select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'")
    .all()
    .map(({ name }) => name)
    .filter(name => !rejectionTables.includes(name));
  const reads = [
    ...names.map(name => handle.prepare(`select * from "${name}"`).raw()),
    handle.prepare('select count(*), max(id) from audit_log where status = 0').raw(),
  ];
  return () => {
    const digest = createHash('sha256');
    for (const read of reads) digest.update((read.all() as unknown[][]).map(toText).join('\n'));
    return digest.digest('hex');
  };
}

export function watchRows({ config, drain }: TestApp): RowWatch {
  if (config.db.kind !== 'sqlite') throw new Error('only a database in a file can be watched');
  const handle = new Database(config.db.path, { readonly: true });
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
  return {
    waitUntilQuiet: async () => {
      await drain();
      hasChanged();
    },
    hasChanged,
    [Symbol.dispose]: () => handle.close(),
  };
}
