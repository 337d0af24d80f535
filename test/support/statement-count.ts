// Counts what the embedded database of this process is asked for: every statement, and every commit that waits for the disk.
import Database from 'better-sqlite3';

export type StatementCount = { readonly statements: number; readonly commits: number };

/** A statement that found nothing to change writes nothing, so it waits for no disk. */
const hasChanged = (result: unknown): boolean =>
  Array.isArray(result) ? result.length > 0 : (result as { readonly changes?: number } | undefined)?.changes !== 0;

/** From the call on, over all databases of this process; `texts` says how often each was asked for. */
export function countStatements(): { read(): StatementCount; readonly texts: ReadonlyMap<string, number> } {
  const texts = new Map<string, number>();
  let statements = 0;
  let commits = 0;
  const sample = new Database(':memory:');
  const prototype = Object.getPrototypeOf(sample.prepare('select 1')) as Record<string, (...args: never[]) => unknown>;
  sample.close();
  for (const name of ['run', 'all', 'get']) {
    const original = prototype[name];
    if (!original) throw new Error(`statements have no ${name}`);
    prototype[name] = function (this: Database.Statement, ...args: never[]) {
      const isAlone = !this.readonly && !this.database.inTransaction && !this.source.startsWith('begin');
      statements += 1;
      texts.set(this.source, (texts.get(this.source) ?? 0) + 1);
      const result = original.apply(this, args);
      if (this.source === 'commit' || (isAlone && hasChanged(result))) commits += 1;
      return result;
    };
  }
  return { read: () => ({ statements, commits }), texts };
}
