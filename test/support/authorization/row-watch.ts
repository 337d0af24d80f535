// Tells whether anything at all was written to the database of a server, by whomever.
import Database from 'better-sqlite3';
import type { TestApp } from '../app.ts';

export type RowWatch = Disposable & {
  /** Everything that is due is done; from now on only requests write. */
  settle(): Promise<void>;
  /** Whether a commit has changed anything since the last call. */
  hasChanged(): boolean;
};

export function watchRows({ config, drain }: TestApp): RowWatch {
  if (config.db.kind !== 'sqlite') throw new Error('only a database in a file can be watched');
  const handle = new Database(config.db.path, { readonly: true });
  const readVersion = (): unknown => handle.pragma('data_version', { simple: true });
  let seen = readVersion();
  const hasChanged = (): boolean => {
    const before = seen;
    seen = readVersion();
    return seen !== before;
  };
  return {
    settle: async () => {
      await drain();
      hasChanged();
    },
    hasChanged,
    [Symbol.dispose]: () => handle.close(),
  };
}
