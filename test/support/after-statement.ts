// Work of another server between two statements: for tests of reads that take several statements.
import type { Db } from '@recordproof/server/platform/db/tables.ts';

/** `work` runs after the nth statement of the returned handle, before its result is used. */
export function afterStatement(db: Db, nth: number, work: () => Promise<unknown>): Db {
  let count = 0;
  return db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      count += 1;
      if (count === nth) await work();
      return result;
    },
  });
}
