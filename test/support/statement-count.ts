// Counters of the databases of this process: every statement, and every commit that waits for the disk.
import Database from 'better-sqlite3';
import pg from 'pg';

export type StatementCount = { readonly statements: number; readonly commits: number };

type Methods = Record<string, (...args: never[]) => unknown>;

/** A statement that changes no row writes nothing, so it waits for no disk. */
const hasChanged = (result: unknown): boolean =>
  Array.isArray(result) ? result.length > 0 : (result as { readonly changes?: number } | undefined)?.changes !== 0;

const always = () => true;

/**
 * Counts from the call on, over all databases of this process; `texts` holds the count of each statement. Commits:
 * SQLite only. `isCounted` is called for each statement, in its async context.
 */
export function countStatements(isCounted = always): {
  read(): StatementCount;
  readonly texts: ReadonlyMap<string, number>;
} {
  const texts = new Map<string, number>();
  let statements = 0;
  let commits = 0;
  const note = (text: string): void => {
    if (!isCounted()) return;
    statements += 1;
    texts.set(text, (texts.get(text) ?? 0) + 1);
  };
  const sample = new Database(':memory:');
  const prototype = Object.getPrototypeOf(sample.prepare('select 1')) as Methods;
  sample.close();
  for (const name of ['run', 'all', 'get']) {
    replace(prototype, name, function (this: Database.Statement, original, args) {
      const isAlone = !this.readonly && !this.database.inTransaction && !this.source.startsWith('begin');
      note(this.source);
      const result = original.apply(this, args as never[]);
      if (this.source === 'commit' || (isAlone && hasChanged(result))) commits += 1;
      return result;
    });
  }
  replace(pg.Client.prototype as unknown as Methods, 'query', function (original, [query, ...rest]) {
    note(typeof query === 'string' ? query : (query as { text: string }).text);
    return original.apply(this, [query, ...rest] as never[]);
  });
  return { read: () => ({ statements, commits }), texts };
}

type Replacement<This> = (this: This, original: (...args: never[]) => unknown, args: readonly unknown[]) => unknown;

function replace<This>(methods: Methods, name: string, replacement: Replacement<This>): void {
  const original = methods[name];
  if (!original) throw new Error(`statements have no ${name}`);
  methods[name] = function (this: This, ...args: unknown[]) {
    return replacement.call(this, original, args);
  };
}
