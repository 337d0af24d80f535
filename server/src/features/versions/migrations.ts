// Table columns and migrations of version chains.
import type { Migration } from '../../platform/db/migrate.ts';

/** Columns of the table `file`; existing files become chains of one. */
export const versionMigrations: readonly Migration[] = [
  {
    name: 'V1.4.0 version chains',
    statements: t => [
      `alter table file add column version ${t.integer} not null default 1`,
      `alter table file add column parent_version_id ${t.integer}`,
      `alter table file add column version_group_id ${t.integer}`,
      `alter table file add column is_latest ${t.integer} not null default 1`,
      'update file set version_group_id = id',
      'create unique index file_version on file (version_group_id, version)',
      'create index file_parent_version on file (parent_version_id)',
      'create unique index file_latest on file (version_group_id) where is_latest = 1',
      // A covering index for lists.
      `create index file_list_created on file (tenant_id, owner_id, created_at, id) where is_latest = 1 and status = 1`,
      `create index file_list_name on file (tenant_id, owner_id, name_folded, id) where is_latest = 1 and status = 1`,
      `create index file_list_size on file (tenant_id, owner_id, file_size, id) where is_latest = 1 and status = 1`,
      'create index file_owner on file (tenant_id, owner_id, status, id)',
    ],
  },
  // No query names the parent.
  { name: 'V1.49.4 no index of parent versions', statements: () => ['drop index file_parent_version'] },
];
