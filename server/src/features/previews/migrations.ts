// Table types and migrations of previews.
import type { Migration } from '../../platform/db/migrate.ts';

declare module '../../platform/db/tables.ts' {
  interface Tables {
    thumbnail: {
      file_id: Key;
      tenant_id: Key;
      /** Sealed with a key that is derived from the one of the file; as it is where the file is stored as it is. */
      content: Uint8Array;
      created_at: Time;
    };
  }
}

export const previewMigrations: readonly Migration[] = [
  {
    name: 'V2.0.42 tables of previews',
    statements: t => [
      `create table thumbnail (
        file_id ${t.integer} primary key references file (id),
        tenant_id ${t.integer} not null references tenant (id),
        content ${t.bytes} not null,
        created_at ${t.integer} not null
      ) ${t.strict}`,
      'create index thumbnail_tenant on thumbnail (tenant_id)',
    ],
  },
];
