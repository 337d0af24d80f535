// Table types and migrations of maintenance mode.
import type { Migration } from '../../platform/db/migrate.ts';

declare module '../../platform/db/tables.ts' {
  interface Tables {
    /** One row during maintenance mode. */
    maintenance: { id: number; message: string; since: Time };
  }
}

export const maintenanceMigrations: readonly Migration[] = [
  {
    name: 'V2.0.36 tables of maintenance mode',
    statements: t => [
      `create table maintenance (
        id ${t.integer} primary key check (id = 1),
        message text not null,
        since ${t.integer} not null
      ) ${t.strict}`,
    ],
  },
];
