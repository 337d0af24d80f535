// The version of the program that last brought this database to its schema: "upgrade --check" names it beside its own.
import type { Migration } from './db/migrate.ts';
import type { Db, Time } from './db/tables.ts';

declare module './db/tables.ts' {
  interface Tables {
    program_version: { id: number; version: string; recorded_at: Time };
  }
}

export const programVersionMigrations: readonly Migration[] = [
  {
    name: 'V1.40.90 version of the program',
    statements: t => [
      `create table program_version (id ${t.integer} primary key check (id = 1), version text not null, recorded_at ${t.integer} not null) ${t.strict}`,
    ],
  },
];

/** Writes only where another version was here before. */
export async function recordProgramVersion(db: Db, version: string, now: Time): Promise<void> {
  if ((await findProgramVersion(db)) === version) return;
  await db
    .insertInto('program_version')
    .values({ id: 1, version, recorded_at: now })
    .onConflict(conflict => conflict.column('id').doUpdateSet({ version, recorded_at: now }))
    .execute();
}

/** Null before a server that records it has started. */
export async function findProgramVersion(db: Db): Promise<string | null> {
  const row = await db.selectFrom('program_version').select('version').executeTakeFirst();
  return row?.version ?? null;
}
