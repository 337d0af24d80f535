import type { Migration } from '../../platform/db/migrate.ts';

/** The columns belong to the table `file`: where a copy came from. */
export const copyMigrations: readonly Migration[] = [
  {
    name: 'V1.7.0 copies of files',
    statements: () => [
      // Whatever else goes wrong, there are never two copies of one file in one account.
      `create unique index file_copy on file (owner_id, source_file_id) where source_file_id is not null and status in (0, 1)`,
    ],
  },
];
