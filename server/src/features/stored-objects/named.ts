// Objects that something needs though nobody holds them: they are deleted no more than those that are held.
import type { Db } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';

declare module '../../platform/hooks.ts' {
  interface Hooks {
    /** Which of the places a feature needs without holding what lies there; of all tenants. */
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
