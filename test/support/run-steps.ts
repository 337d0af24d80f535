// Schema steps again, on tables that a test has put back into the form of an earlier release.
import { type Migration, statementsOf } from '@recordproof/server/platform/db/migrate.ts';
import type { Database } from '@recordproof/server/platform/db/open-db.ts';
import { sql } from 'kysely';

export const runSteps = ({ db, kind }: Database, steps: readonly Migration[]): Promise<void> =>
  db.transaction().execute(async tx => {
    for (const step of steps) {
      for (const statement of statementsOf(step, kind)) await sql.raw(statement).execute(tx);
      await step.convert?.(tx, kind);
    }
  });
