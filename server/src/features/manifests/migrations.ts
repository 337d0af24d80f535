// Table types and migrations of manifests.
import type { Migration } from '../../platform/db/migrate.ts';

declare module '../../platform/db/tables.ts' {
  interface Tables {
    manifest: {
      id: NewKey;
      tenant_id: Key;
      file_id: Key;
      file_version: number;
      manifest_hash: string;
      /** The canonical JSON that is hashed as manifest_hash (packed-manifest.ts). */
      packed: Buffer;
      status: string;
      deleted: number;
      created_at: Time;
    };
  }
}

export const manifestMigrations: readonly Migration[] = [
  {
    name: 'V2.0.25 tables of manifests',
    statements: t => [
      `create table manifest (
        id ${t.key},
        tenant_id ${t.integer} not null,
        file_id ${t.integer} not null references file (id),
        file_version ${t.integer} not null,
        manifest_hash text not null,
        status text not null check (status in ('ACTIVE', 'SUPERSEDED')),
        deleted ${t.integer} not null default 0,
        created_at ${t.integer} not null,
        packed ${t.bytes} not null default ${t.emptyBytes}
      ) ${t.strict}`,
      `create unique index manifest_active_slot on manifest (tenant_id, file_id) where status = 'ACTIVE' and deleted = 0`,
      'create index manifest_file on manifest (file_id)',
    ],
  },
];
