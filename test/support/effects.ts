// A table of our own, in which tests and their child processes record effects, in the same transaction as the effect.
import type { Migration } from '@recordproof/server/platform/db/migrate.ts';
import type { Db, Tx } from '@recordproof/server/platform/db/tables.ts';

declare module '@recordproof/server/platform/db/tables.ts' {
  interface Tables {
    effect: { id: NewKey; name: string; detail: string };
    counter: { name: string; value: number };
  }
}

export const effectMigrations: readonly Migration[] = [
  {
    name: 'V9.0.1 effects',
    statements: types => [
      `create table effect (id ${types.key}, name text not null, detail text not null) ${types.strict}`,
    ],
  },
  {
    name: 'V9.0.2 counters',
    statements: types => [
      `create table counter (name text primary key, value ${types.integer} not null) ${types.strict}`,
      "insert into counter values ('left', 1000), ('right', 1000)",
    ],
  },
];

export async function noteEffect(tx: Tx, name: string, detail: unknown = ''): Promise<void> {
  await tx
    .insertInto('effect')
    .values({ name, detail: String(detail) })
    .execute();
}

export async function listEffects(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('effect').select(['name', 'detail']).orderBy('id').execute();
  return rows.map(row => (row.detail === '' ? row.name : `${row.name} ${row.detail}`));
}
