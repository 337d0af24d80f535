// Paths of objects that features need without a reference row: the collector and the sweep keep them.
import type { Db } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';

declare module '../../platform/hooks.ts' {
  interface Hooks {
    /** Returns which of the paths the feature needs without a reference; of all tenants. */
    listNamedPaths: (db: Db, paths: readonly string[]) => Promise<readonly string[]>;
  }
}

export async function listNamed(
  { hooks }: Pick<Server, 'hooks'>,
  db: Db,
  paths: readonly string[],
): Promise<ReadonlySet<string>> {
  const named = new Set<string>();
  if (paths.length === 0) return named;
  for (const list of hooks.of('listNamedPaths')) for (const path of await list(db, paths)) named.add(path);
  return named;
}
