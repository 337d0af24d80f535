// Table columns and migrations of copies.
import type { Migration } from '../../platform/db/migrate.ts';

/** Columns of the table `file`: the source of a copy. */
export const copyMigrations: readonly Migration[] = [
  {
    name: 'V1.7.0 copies of files',
    statements: () => [
      // In any case, an account never has two copies of one file.
      `create unique index file_copy on file (owner_id, source_file_id) where source_file_id is not null and status in (0, 1)`,
    ],
  },
];
