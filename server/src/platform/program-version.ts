// Version of the program that last migrated this database, for "upgrade --check".
import type { Migration } from './db/migrate.ts';
import type { Db, Time } from './db/tables.ts';

declare module './db/tables.ts' {
  interface Tables {
    program_version: { id: number; version: string; recorded_at: Time };
  }
}

export const programVersionMigrations: readonly Migration[] = [
  {
    name: 'V2.0.5 tables of the program version',
    statements: t => [
      `create table program_version (id ${t.integer} primary key check (id = 1), version text not null, recorded_at ${t.integer} not null) ${t.strict}`,
    ],
  },
];

/** Writes only if the version has changed. */
export async function recordProgramVersion(db: Db, version: string, now: Time): Promise<void> {
  if ((await findProgramVersion(db)) === version) return;
  await db
    .insertInto('program_version')
    .values({ id: 1, version, recorded_at: now })
    .onConflict(conflict => conflict.column('id').doUpdateSet({ version, recorded_at: now }))
    .execute();
}

/** Null before the first start of a version that records it. */
export async function findProgramVersion(db: Db): Promise<string | null> {
  const row = await db.selectFrom('program_version').select('version').executeTakeFirst();
  return row?.version ?? null;
}
