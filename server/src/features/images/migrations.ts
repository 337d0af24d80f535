// Table types and migrations of images.
import type { Migration } from '../../platform/db/migrate.ts';

declare module '../../platform/db/tables.ts' {
  interface Tables {
    image: {
      id: NewKey;
      tenant_id: Key;
      owner_id: Key;
      /** Random, with a file extension: the last part of its path. */
      name: string;
      kind: string;
      content_type: string;
      size: number;
      sha256: string;
      /** PREPARE until the bytes are stored. */
      status: string;
      created_at: Time;
    };
  }
}

export const imageMigrations: readonly Migration[] = [
  {
    name: 'V2.0.13 tables of images',
    statements: t => [
      `create table image (
        id ${t.key},
        tenant_id ${t.integer} not null references tenant (id),
        owner_id ${t.integer} not null references account (id),
        name text not null unique,
        kind text not null check (kind in ('AVATAR', 'IMAGE')),
        content_type text not null,
        size ${t.integer} not null,
        sha256 text not null,
        status text not null check (status in ('PREPARE', 'STORED')),
        created_at ${t.integer} not null
      ) ${t.strict}`,
      `create index image_avatar on image (tenant_id, owner_id) where kind = 'AVATAR'`,
      `create index image_unfinished on image (created_at) where status = 'PREPARE'`,
    ],
  },
];
